#!/usr/bin/env python3
"""gpu_operators.py [SHAPE[:AXIS]]...: mean and variance of f32 by PyTorch and CuPy, those of the two that are installed, on
an NVIDIA GPU.  As gpu_operators.cu: cold inputs, medians in microseconds.

A SHAPE is 65536 or 4096x1024; without one, sizes 2^16, 2^18, ... 2^28.

device: PyTorch as a CUDA graph of a batch, so without Python between its launches; CuPy by events around a batch.
call: from Python, until all numbers are on the host."""
import math
import statistics
import sys
import time


def copies_of(size):
    return max(2, (256 << 20) // size)


def calls(function, copies):
    times = []
    for k in range(60):
        begin = time.perf_counter()
        function(k % copies)
        times.append(time.perf_counter() - begin)
    return 1e6 * statistics.median(times)


def torch_times(shape, axis):
    import torch
    size = 4 * math.prod(shape)
    copies = copies_of(size)
    arrays = [torch.rand(shape, device="cuda") for _ in range(copies)]
    batch = max(2, min(60, (8 << 30) // size))
    for k in range(3):
        torch.var_mean(arrays[k % copies], axis)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for k in range(batch):
            torch.var_mean(arrays[k % copies], axis)
    times = []
    for _ in range(15):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end) / batch)
    return statistics.median(times), calls(lambda k: [v.cpu() for v in torch.var_mean(arrays[k], axis)], copies)


def cupy_times(shape, axis):
    import cupy
    size = 4 * math.prod(shape)
    copies = copies_of(size)
    arrays = [cupy.random.random(shape, dtype=cupy.float32) for _ in range(copies)]
    batch = max(2, min(60, (8 << 30) // size))
    times = []
    for _ in range(15):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        for k in range(batch):
            arrays[k % copies].mean(axis), arrays[k % copies].var(axis)
        end.record()
        end.synchronize()
        times.append(1e3 * cupy.cuda.get_elapsed_time(begin, end) / batch)
    return statistics.median(times), calls(lambda k: (arrays[k].mean(axis).get(), arrays[k].var(axis).get()), copies)


def main():
    for text in sys.argv[1:] or [str(1 << log) for log in range(16, 29, 2)]:
        shape, _, axis = text.partition(":")
        for name, times in (("pytorch", torch_times), ("cupy", cupy_times)):
            try:
                device, call = times(tuple(map(int, shape.split("x"))), int(axis) if axis else None)
            except ImportError as error:
                print(f"{name}: {error}")
                continue
            print(f"{name:8} {'meanvar f32':12} {text:>14}  device {device:8.2f} us  call {call:8.2f} us", flush=True)


if __name__ == "__main__":
    main()
