#!/usr/bin/env python3
"""Peers for an NVIDIA GPU: the reductions of PyTorch and CuPy, those of the two that are installed, as a user would call
them.  The first GPU that CUDA_VISIBLE_DEVICES leaves.  The protocol is in docs/extend/peers.md."""
import mmap
import sys
import time

import numpy as np
from numpy_peer import DATA, TYPES, Declined, Peer, leave_unless_asked, serve, spell


class Torch:
    def __init__(self):
        import torch
        self.about = f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}"
        self.torch = torch

    def upload(self, data):
        return self.torch.from_numpy(data).cuda()

    def function(self, op, dtype):
        wide = self.torch.float32 if dtype == np.float16 else None
        return {"sum": lambda x: self.torch.sum(x, dtype=wide), "min": self.torch.min, "max": self.torch.max,
                "argmin": self.torch.argmin, "argmax": self.torch.argmax}.get(op)

    def event(self):
        event = self.torch.cuda.Event(enable_timing=True)
        event.record()
        return event

    @staticmethod
    def seconds(begin, end):
        end.synchronize()
        return begin.elapsed_time(end) / 1e3

    @staticmethod
    def fetch(value):
        return value.cpu().numpy()[()]


class CuPy:
    def __init__(self):
        import cupy
        name = cupy.cuda.runtime.getDeviceProperties(0)["name"].decode()
        self.about = f"CuPy {cupy.__version__}, {name}"
        self.cupy = cupy

    def upload(self, data):
        return self.cupy.asarray(data)

    def function(self, op, dtype):
        wide = np.float32 if dtype == np.float16 else None
        return {"sum": lambda x: self.cupy.sum(x, dtype=wide), "min": self.cupy.min, "max": self.cupy.max,
                "argmin": self.cupy.argmin, "argmax": self.cupy.argmax}.get(op)

    def event(self):
        event = self.cupy.cuda.Event()
        event.record()
        return event

    def seconds(self, begin, end):
        end.synchronize()
        return self.cupy.cuda.get_elapsed_time(begin, end) / 1e3

    @staticmethod
    def fetch(value):
        return value.get()[()]


class Point:
    """The copies on the device, and what reduces one."""

    def __init__(self, library, op, type_name, n, copies, stride):
        del stride  # each copy is an array of its own
        if type_name not in TYPES:
            raise Declined(f"no type {type_name}")
        dtype = np.dtype(TYPES[type_name])
        self.library, self.indexed = library, op.startswith("arg")
        self.reduce = library.function(op, dtype)
        if self.reduce is None or n == 0:
            raise Declined(f"no {op} of {n} elements of {type_name}")
        with mmap.mmap(DATA, n * dtype.itemsize, access=mmap.ACCESS_READ) as data:
            self.host = np.frombuffer(bytearray(data), dtype, n)
        self.arrays = [library.upload(self.host) for _ in range(copies)]
        self.next = 0
        library.fetch(self.one())

    def one(self):
        x = self.arrays[self.next % len(self.arrays)]
        self.next += 1
        return self.reduce(x)

    def value(self, result):
        value = self.library.fetch(result)
        return spell((self.host[int(value)], int(value)) if self.indexed else value)

    def take(self, kind, batch):
        if kind == "latency":
            begin = time.perf_counter()
            value = self.library.fetch(self.reduce(self.arrays[0]))
            seconds = time.perf_counter() - begin
            return f"taken {seconds:.17g} host {spell((self.host[int(value)], int(value)) if self.indexed else value)}"
        result = self.one()
        begin, start = self.library.event(), time.perf_counter()
        for _ in range(batch):
            result = self.one()
        seconds = self.library.seconds(begin, self.library.event())
        if kind == "host":
            seconds = time.perf_counter() - start
        return f"taken {seconds / batch:.17g} {kind} {self.value(result)}"


def offered():
    peers = {}
    for name, library in (("pytorch", Torch), ("cupy", CuPy)):
        try:
            made = library()
        except Exception as error:  # not installed, or without a GPU: the other may do
            print(f"{name}: {error}")
            continue
        peers[name] = Peer(made.about, "device", lambda *point, made=made: Point(made, *point))
    return peers


if __name__ == "__main__":
    leave_unless_asked()
    found = offered()
    if not found:
        sys.exit("neither PyTorch nor CuPy works here")
    serve(found)
