#!/usr/bin/env python3
"""The Python package on a GPU: arrays of PyOpenCL in their own queue, and NumPy's from the host, beside PyOpenCL and CuPy.

    REDHOST_PREFIX=build PYTHONPATH=sdk/python lab/measure/python_gpu.py [WORK...]

A work's contenders take turns, ROUNDS times, each in a process of its own: the medians of calls for 0.3 s.  A call ends with the
value on the host.  Every value is compared with math.fsum's.  A contender that is not installed is left out.
"""
import json
import os
import statistics
import subprocess
import sys
import time

ROUNDS = int(os.environ.get("ROUNDS", "3"))
SECONDS = float(os.environ.get("SECONDS", "0.3"))
DEVICE_SIZES = (10, 16, 20, 22, 24, 26, 28)
HOST_SIZES = (14, 16, 18, 20, 22, 23, 24, 25, 26, 28)


def numbers(log):
    import numpy as np
    return np.random.default_rng(1).random(1 << log, "f4")


def on_queue(x):
    """x as an array of PyOpenCL, on a GPU if there is one."""
    import pyopencl as cl
    import pyopencl.array
    devices = [device for platform in cl.get_platforms() for device in platform.get_devices()]
    device = ([one for one in devices if one.type & cl.device_type.GPU] or devices)[0]
    context = cl.Context([device])
    return pyopencl.array.to_device(cl.CommandQueue(context), x), context


def redhost_on_queue(x, **words):
    import redhost
    there, _ = on_queue(x)
    return lambda: redhost.sum(there, **words), lambda: redhost.sum(there, full=True, **words).strategy


def pyopencl_sum(x):
    import pyopencl.array
    there, _ = on_queue(x)
    return lambda: pyopencl.array.sum(there).get(), lambda: ""


def reduction_kernel(x):
    import numpy as np
    import pyopencl.reduction
    there, context = on_queue(x)
    kernel = pyopencl.reduction.ReductionKernel(context, np.float32, neutral="0", reduce_expr="a+b", map_expr="x[i]",
                                                arguments="__global const float *x")
    return lambda: kernel(there).get(), lambda: ""


def redhost_from_host(x, **words):
    import redhost
    return lambda: redhost.sum(x, **words), lambda: redhost.sum(x, full=True, **words).strategy


def cupy_from_host(x):
    import cupy
    return lambda: float(cupy.asarray(x).sum()), lambda: ""


def numpy_sum(x):
    return x.sum, lambda: ""


WORKS = {f"queue 2^{log}": (log, {"redhost": redhost_on_queue, "pyopencl.array.sum": pyopencl_sum,
                                  "ReductionKernel": reduction_kernel}) for log in DEVICE_SIZES}
WORKS.update({f"host 2^{log}": (log, {"redhost": redhost_from_host, "gpu": lambda x: redhost_from_host(x, device="gpu"),
                                      "native": lambda x: redhost_from_host(x, strategy="native"), "cupy": cupy_from_host,
                                      "numpy": numpy_sum}) for log in HOST_SIZES})


def child(work, contender):
    log, contenders = WORKS[work]
    x = numbers(log)
    call, strategy = contenders[contender](x)
    begin = time.perf_counter()
    value = float(call())
    first = time.perf_counter() - begin
    call()
    times = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times) < 5:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    exact = float(x.sum(dtype="f8"))
    print(json.dumps({"median": statistics.median(times), "least": min(times), "first": first,
                      "off": abs(value - exact) / exact, "strategy": strategy()}))


def elsewhere(work, contender):
    done = subprocess.run([sys.executable, __file__, "--child", work, contender], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode:
        return (done.stderr.strip().split("\n") or ["?"])[-1]
    return json.loads(done.stdout)


def main(wanted):
    for work, (_, contenders) in WORKS.items():
        if wanted and work not in wanted and work.split()[0] not in wanted:
            continue
        found = {name: [] for name in contenders}
        for _ in range(ROUNDS):
            for name in contenders:
                made = elsewhere(work, name)
                if isinstance(made, str):
                    print(f"  {name}: {made}", flush=True)
                else:
                    found[name].append(made)
        if not found["redhost"]:
            continue
        ours = statistics.median(one["median"] for one in found["redhost"])
        for name, all_of_it in found.items():
            if all_of_it:
                median = statistics.median(one["median"] for one in all_of_it)
                print(f"{work:12} {name:20} {median * 1e6:10.1f} us, least {min(one['least'] for one in all_of_it) * 1e6:10.1f}, "
                      f"first {max(one['first'] for one in all_of_it) * 1e3:8.1f} ms, {median / ours:6.2f}x, "
                      f"off {all_of_it[0]['off']:.1e} {all_of_it[0]['strategy']}", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
    else:
        main(sys.argv[1:])
