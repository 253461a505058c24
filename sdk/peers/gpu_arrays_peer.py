#!/usr/bin/env python3
"""Peers for an NVIDIA GPU: the reductions of PyTorch, CuPy and JAX, those that are installed, as a user would call them.  The first GPU that CUDA_VISIBLE_DEVICES leaves.  The protocol is in docs/extend/peers.md."""
import mmap
import os
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

    def along(self, op, dtype):
        wide = self.torch.float32 if dtype == np.float16 else None
        return {"sum": lambda x, axis: self.torch.sum(x, axis, dtype=wide), "min": self.torch.amin, "max": self.torch.amax,
                "argmin": self.torch.argmin, "argmax": self.torch.argmax}.get(op)

    def by_offsets(self, op, dtype, offsets):
        """segment_reduce() is of floats alone, and begins with the operator's identity."""
        if dtype.kind != "f" or dtype == np.float16 or op not in ("sum", "min", "max"):
            return None
        bounds = self.torch.from_numpy(offsets).cuda()
        return lambda x: self.torch.segment_reduce(x, op, offsets=bounds, unsafe=True)

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

    def along(self, op, dtype):
        wide = np.float32 if dtype == np.float16 else None
        return {"sum": lambda x, axis: self.cupy.sum(x, axis, dtype=wide), "min": self.cupy.min, "max": self.cupy.max,
                "argmin": self.cupy.argmin, "argmax": self.cupy.argmax}.get(op)

    def by_offsets(self, op, dtype, offsets):
        """add.reduceat() takes an empty segment for one of one element."""
        call = {"sum": self.cupy.add, "min": self.cupy.minimum, "max": self.cupy.maximum}.get(op)
        if call is None or dtype == np.float16 or (offsets[1:] == offsets[:-1]).any():
            return None
        starts = self.cupy.asarray(offsets[:-1])
        wide = {"i": np.int64, "u": np.uint64}.get(dtype.kind) if op == "sum" else None
        return lambda x: call.reduceat(x, starts, dtype=wide)

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


class Jax:
    """Compiled once for each point; what a batch takes is timed by the host, which waits for all of it."""

    def __init__(self):
        import jax
        jax.config.update("jax_enable_x64", True)
        device = jax.devices("gpu")[0]
        self.about = f"JAX {jax.__version__}, {device.device_kind}"
        self.jax, self.jnp, self.last = jax, jax.numpy, None

    def upload(self, data):
        return self.jax.device_put(data)

    def kept(self, call):
        compiled = self.jax.jit(call)

        def run(x):
            self.last = compiled(x)
            return self.last
        return run

    def named(self, op, dtype):
        wide = np.float32 if dtype == np.float16 else None
        jnp = self.jnp
        return {"sum": lambda x, axis: jnp.sum(x, axis, dtype=wide), "min": jnp.min, "max": jnp.max, "argmin": jnp.argmin, "argmax": jnp.argmax}.get(op)

    def function(self, op, dtype):
        call = self.named(op, dtype)
        return call and self.kept(lambda x: call(x, None))

    def along(self, op, dtype):
        return self.named(op, dtype)

    def by_offsets(self, op, dtype, offsets):
        call = {"sum": self.jax.ops.segment_sum, "min": self.jax.ops.segment_min, "max": self.jax.ops.segment_max}.get(op)
        if call is None or dtype == np.float16 or (op == "sum" and dtype.kind != "f"):
            return None
        count = len(offsets) - 1
        labels = self.jax.device_put(np.repeat(np.arange(count, dtype=np.int32), np.diff(offsets)))
        return lambda x: call(x, labels, num_segments=count, indices_are_sorted=True)

    def event(self):
        if self.last is not None:
            self.last.block_until_ready()
        return time.perf_counter()

    @staticmethod
    def seconds(begin, end):
        return end - begin

    @staticmethod
    def fetch(value):
        return np.asarray(value)[()]


def cut(library, op, dtype, segments, length, inner, offsets, results):
    """What reduces each segment."""
    del results
    if length:
        call, used = library.along(op, dtype), segments * length
        shape = (segments // inner, length, inner) if inner > 1 else (segments, length)
        reduce = call and (lambda x: call(x[:used].reshape(shape), 1).reshape(segments))
    else:
        file = mmap.mmap(DATA, offsets + 8 * (segments + 1), access=mmap.ACCESS_COPY)
        reduce = library.by_offsets(op, dtype, np.frombuffer(file, np.int64, segments + 1, offsets))
    if reduce is None:
        raise Declined(f"no {op} of such segments of {dtype.name}")
    return library.kept(reduce) if hasattr(library, "kept") else reduce


class Point:
    """The copies on the device, and what reduces one."""

    def __init__(self, library, op, type_name, n, copies, stride, *segments):
        del stride  # each copy is an array of its own
        if type_name not in TYPES:
            raise Declined(f"no type {type_name}")
        dtype = np.dtype(TYPES[type_name])
        self.library, self.indexed = library, op.startswith("arg")
        self.at, self.result = segments[-1] if segments else None, None
        self.reduce = cut(library, op, dtype, *segments) if segments else library.function(op, dtype)
        if self.reduce is None or n == 0:
            raise Declined(f"no {op} of {n} elements of {type_name}")
        data = np.frombuffer(mmap.mmap(DATA, n * dtype.itemsize, access=mmap.ACCESS_COPY), dtype, n)
        self.host = data.copy() if self.indexed and not segments else None  # another point may have other data
        self.arrays = [library.upload(data) for _ in range(copies)]
        self.next = 0
        self.wide = np.float32 if op == "sum" and dtype == np.float16 else np.int64 if self.indexed or op == "sum" and dtype.kind == "i" \
            else np.uint64 if op == "sum" and dtype.kind == "u" else dtype
        library.fetch(self.one())

    def one(self):
        x = self.arrays[self.next % len(self.arrays)]
        self.next += 1
        return self.reduce(x)

    def value(self, result):
        self.result = result
        if self.at is not None:
            return "0"
        value = self.library.fetch(result)
        return spell((self.host[int(value)], int(value)) if self.indexed else value)

    def take(self, kind, batch):
        if kind == "latency":
            begin = time.perf_counter()
            result = self.reduce(self.arrays[0])
            self.library.fetch(result)
            seconds = time.perf_counter() - begin
            return f"taken {seconds:.17g} host {self.value(result)}"
        result = self.one()
        begin, start = self.library.event(), time.perf_counter()
        for _ in range(batch):
            result = self.one()
        seconds = self.library.seconds(begin, self.library.event())
        if kind == "host":
            seconds = time.perf_counter() - start
        clock = "host" if isinstance(self.library, Jax) else kind
        return f"taken {seconds / batch:.17g} {clock} {self.value(result)}"

    def values(self):
        data = np.ascontiguousarray(self.library.fetch(self.result), self.wide)
        if os.pwrite(DATA, data, self.at) != data.nbytes:
            raise OSError("the results were not written")
        return "valued"


def offered():
    peers = {}
    for name, library in (("pytorch", Torch), ("cupy", CuPy), ("jax", Jax)):
        try:
            made = library()
        except Exception as error:  # not installed, or without a GPU: the other may do
            print(f"{name}: {error}")
            continue
        peers[name] = Peer(made.about, "host" if isinstance(made, Jax) else "device", lambda *point, made=made: Point(made, *point))
    return peers


if __name__ == "__main__":
    leave_unless_asked()
    found = offered()
    if not found:
        sys.exit("none of PyTorch, CuPy and JAX works here")
    serve(found)
