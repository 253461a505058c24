#!/usr/bin/env python3
"""exact_peers.py LIBXSUM [LOG2_N...]: exact sums of f64 by xsum's large superaccumulator and math.fsum, one thread each, beside redhost's
superaccumulator.  Default: 2^20.

xsum is Radford Neal's (github.com/radfordneal/xsum), as a shared library:

    gcc -O3 -march=native -shared -fPIC xsum/xsum.c -o libxsum.so
    chrt -r 1 lab/measure/exact_peers.py ./libxsum.so 20 26

The three take turns of five, and must give the same number.  A line has the least time of each in microseconds, and how many times as long as
redhost's it is: processor time of xsum, time of fsum (of a list, to 2^22), the median of a process of redhost's, by all processors.  REDHOST
names the program, VECTORS a width in bits."""
import ctypes
import json
import math
import os
import subprocess
import sys
import tempfile
import time

import numpy

ROUNDS = 5


def made(kind, n):
    rng = numpy.random.default_rng(1)
    if kind == "uniform":
        return rng.random(n)
    if kind == "normal":
        return rng.standard_normal(n)
    signs = numpy.where(rng.random(n) < 0.5, -1.0, 1.0)
    if kind == "log-uniform, 40 binades":
        return numpy.ldexp(1 + rng.random(n), rng.integers(-20, 20, n)) * signs
    return numpy.ldexp(1 + rng.random(n), rng.integers(-1022, 1000, n)) * signs


def by_xsum(library, room, x):
    """As redhost's, the sum is computed again and again."""
    at, n, times = x.ctypes.data_as(ctypes.c_void_p), ctypes.c_ssize_t(len(x)), []
    for _ in range(9):
        before = time.process_time()
        library.xsum_large_init(room)
        library.xsum_large_addv(room, at, n)
        answer = library.xsum_large_round(room)
        times.append(time.process_time() - before)
    return min(times), answer


def by_fsum(numbers):
    before = time.perf_counter()
    answer = math.fsum(numbers)
    return time.perf_counter() - before, answer


def by_redhost(path):
    words = [os.environ.get("REDHOST", "redhost"), "--run", "superaccumulator", "-t", "f64", "-i", path, "--json", "-v"]
    if "VECTORS" in os.environ:
        words += ["-p", "vectors=" + os.environ["VECTORS"]]
    told = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)["results"][0]
    return told["time_s"]["median"], float(told["value"])


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
    library.xsum_large_round.restype = ctypes.c_double
    room = ctypes.create_string_buffer(1 << 20)
    for log in map(int, sys.argv[2:] or ["20"]):
        for kind in ("uniform", "normal", "log-uniform, 40 binades", "hostile"):
            x = made(kind, 1 << log)
            numbers = x.tolist() if log <= 22 else None
            with tempfile.NamedTemporaryFile(suffix=".f64") as file:
                x.tofile(file)
                file.flush()
                rounds = [[by_redhost(file.name), by_xsum(library, room, x), by_fsum(numbers) if numbers else None] for _ in range(ROUNDS)]
            answers = {one[1] for turn in rounds for one in turn if one}
            if len(answers) != 1:
                sys.exit(f"{kind}: the answers differ: {answers}")
            times = [min(turn[k][0] for turn in rounds) for k in range(3 if numbers else 2)]
            print(f"2^{log} {kind:24}", *(f"{name} {1e6 * t:10.1f} us {t / times[0]:6.2f}" for name, t in zip(("redhost", "xsum", "fsum"), times)),
                  flush=True)


if __name__ == "__main__":
    main()
