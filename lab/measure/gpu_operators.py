#!/usr/bin/env python3
"""gpu_operators.py [FROM TO]: mean and variance of f32 by PyTorch and CuPy, those of the two that are installed, on an
NVIDIA GPU.  As gpu_operators.cu: cold inputs, medians in microseconds, sizes 2^FROM, 2^(FROM+2), ... 2^TO.

device: PyTorch as a CUDA graph of a batch, so without Python between its launches; CuPy by events around a batch.
call: from Python, until both numbers are on the host."""
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


def torch_times(n):
    import torch
    copies = copies_of(4 * n)
    arrays = [torch.rand(n, device="cuda") for _ in range(copies)]
    batch = max(2, min(60, (8 << 30) // (4 * n)))
    for k in range(3):
        torch.var_mean(arrays[k % copies])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for k in range(batch):
            torch.var_mean(arrays[k % copies])
    times = []
    for _ in range(15):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end) / batch)
    return statistics.median(times), calls(lambda k: [v.item() for v in torch.var_mean(arrays[k])], copies)


def cupy_times(n):
    import cupy
    copies = copies_of(4 * n)
    arrays = [cupy.random.random(n, dtype=cupy.float32) for _ in range(copies)]
    batch = max(2, min(60, (8 << 30) // (4 * n)))
    times = []
    for _ in range(15):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        for k in range(batch):
            arrays[k % copies].mean(), arrays[k % copies].var()
        end.record()
        end.synchronize()
        times.append(1e3 * cupy.cuda.get_elapsed_time(begin, end) / batch)
    return statistics.median(times), calls(lambda k: (float(arrays[k].mean()), float(arrays[k].var())), copies)


def main():
    first, last = (int(text) for text in sys.argv[1:3]) if len(sys.argv) > 2 else (16, 28)
    for log in range(first, last + 1, 2):
        for name, times in (("pytorch", torch_times), ("cupy", cupy_times)):
            try:
                device, call = times(1 << log)
            except ImportError as error:
                print(f"{name}: {error}")
                continue
            print(f"{name:8} {'meanvar f32':12} {1 << log:10}  device {device:8.2f} us  call {call:8.2f} us", flush=True)


if __name__ == "__main__":
    main()
