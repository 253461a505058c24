#!/usr/bin/env python3
"""Times prepared calls of redhost's `native` against what users would write instead; lab/notes has figures.

  map_calls.py [--program build/bin/map_calls] [--log2 12:27:3] [--rounds 9] [WORK:TYPE ...]

WORK is dot, far (the maximum of fabs(x-y)) or meanvar.  Each contender is a process of its own; all of a size are asked in
turns, so that what the machine does beside reaches all of them.  Each prints the nanoseconds of a call in a loop.  Of loops
under OpenMP and of OpenBLAS there are two, with all threads and with one, and the faster one counts.  The table has the
medians, and of each opponent its median ratio to redhost in a turn; above 1 redhost is faster.  NumPy and numexpr are left
out where this Python has none."""
import argparse
import math
import os
import statistics
import subprocess
import sys
import time

CONTENDERS = {
    "dot": ["openblas", "openmp", "numpy"],
    "far": ["openmp", "numpy", "numexpr", "numexpr-and-max"],
    "meanvar": ["openmp", "openmp-two-passes", "numpy", "numexpr"],
}
IN_PYTHON = ("numpy", "numexpr")
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
TOLERANCE = {"f32": 1e-2, "f64": 1e-9}  # a loop in f32 is off by 0.002 at 2^27


# ---- Contenders in Python


def numpy_call(np, work, x, y):
    made = np.empty_like(x)

    def far():
        np.subtract(x, y, out=made)
        np.abs(made, out=made)
        return made.max(), 0

    return {"dot": lambda: (np.dot(x, y), 0), "far": far, "meanvar": lambda: (x.mean(), x.var())}[work]


def numexpr_call(np, name, work, x, y):
    import numexpr
    made = np.empty_like(x)
    n = len(x)

    def far():
        return numexpr.evaluate("max(abs(x-y))", local_dict={"x": x, "y": y}), 0

    def far_and_max():
        numexpr.evaluate("abs(x-y)", local_dict={"x": x, "y": y}, out=made)
        return made.max(), 0

    def meanvar():
        mean = numexpr.evaluate("sum(x)", local_dict={"x": x}) / n
        return mean, numexpr.evaluate("sum((x-m)*(x-m))", local_dict={"x": x, "m": mean}) / n

    return meanvar if work == "meanvar" else far_and_max if name == "numexpr-and-max" else far


def contend(name, work, type_, n):
    import numpy as np
    real = np.float32 if type_ == "f32" else np.float64
    random = np.random.default_rng(1)
    x, y = random.random(n, real), random.random(n, real)
    call = numpy_call(np, work, x, y) if name == "numpy" else numexpr_call(np, name, work, x, y)
    values = call()
    print("ready", *(float(v) for v in values), flush=True)
    for line in sys.stdin:
        seconds = float(line)
        start = time.perf_counter()
        call()
        while time.perf_counter() - start < 0.2 * seconds:
            call()
        calls, batch, start = 0, 1, time.perf_counter()
        while True:
            for _ in range(batch):
                call()
            calls += batch
            took = time.perf_counter() - start
            if took >= seconds:
                break
            if took < 0.1 * seconds:
                batch *= 2
        print(1e9 * took / calls, flush=True)


# ---- Turns


class Contender:
    def __init__(self, arguments, name, work, type_, n):
        self.name, self.of = name, name.removesuffix("-1")
        own = [sys.executable, __file__, "--contend"] if self.of.startswith(IN_PYTHON) else [arguments.program]
        environment = {**os.environ, **(ONE_THREAD if name.endswith("-1") else {})}
        self.process = subprocess.Popen([*own, self.of, work, type_, str(n)], text=True, env=environment,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def ready(self):
        """What it computes; None where it cannot run here."""
        words = self.process.stdout.readline().split()
        if not words:
            reason = self.process.communicate()[1].strip().splitlines()
            print(f"without {self.name}: {reason[-1] if reason else 'it ended'}", file=sys.stderr)
            return None
        return tuple(float(word) for word in words[1:])

    def take(self, seconds):
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())

    def close(self):
        self.process.communicate()


def names_for(work, n, apart_us):
    names = ["redhost"]
    for name in CONTENDERS[work]:
        if apart_us and name.startswith(IN_PYTHON):
            continue
        names.append(name)
        if name.startswith(("openblas", "openmp")) and n <= 1 << 20:
            names.append(name + "-1")
    return names


def open_all(arguments, work, type_, n):
    """They have different data of the same distribution, except those in C; so only gross errors are found."""
    contenders = [Contender(arguments, name, work, type_, n) for name in names_for(work, n, arguments.apart_us)]
    values = [contender.ready() for contender in contenders]
    if values[0] is None:
        sys.exit("map_calls.py: redhost cannot run")
    for contender, value in zip(contenders, values):
        same = TOLERANCE[type_] if not contender.of.startswith(IN_PYTHON) else 0.1
        if value and not all(math.isclose(a, b, rel_tol=same) for a, b in zip(value, values[0])):
            differ = f"map_calls.py: {contender.name} computes {value}, redhost {values[0]}"
            # Such a library adds many floats one after the other, in f32, and loses their digits.  Its time counts.
            if not (contender.of.startswith(IN_PYTHON) and type_ == "f32" and n > 1 << 24):
                sys.exit(differ)
            print(differ, file=sys.stderr)
    return [contender for contender, value in zip(contenders, values) if value]


def measure(arguments, work, type_, n):
    """{contender: [nanoseconds of each turn]}, of the better of all threads and one."""
    contenders, turns = open_all(arguments, work, type_, n), {}
    for turn in range(arguments.rounds):
        for contender in contenders if turn % 2 == 0 else contenders[::-1]:
            turns.setdefault(contender.name, []).append(contender.take(arguments.seconds))
            time.sleep(arguments.pause)  # threads that spin after a call go to sleep
    for contender in contenders:
        contender.close()
    for name in [name for name in turns if name.endswith("-1")]:
        alone, all_threads = turns.pop(name), turns[name.removesuffix("-1")]
        if statistics.median(alone) < statistics.median(all_threads):
            turns[name.removesuffix("-1")] = alone
    return turns


def table(work, type_, sizes, results):
    print(f"\n| {work} {type_} | " + " | ".join(f"2^{size}" for size in sizes) + " | geometric mean |")
    print("|---|" + "---|" * (len(sizes) + 1))
    for name in dict.fromkeys(name for turns in results for name in turns):
        cells = [f"{statistics.median(turns[name]):.3g}" if name in turns else "" for turns in results]
        print(f"| {name}, ns | " + " | ".join(cells) + " | |")
    for name in dict.fromkeys(name for turns in results for name in turns if name != "redhost"):
        ratios = [statistics.median(a / b for a, b in zip(turns[name], turns["redhost"])) for turns in results if name in turns]
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
        print(f"| {name} / redhost | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + f" | {mean:.2f} |")
    sys.stdout.flush()


def main():
    if sys.argv[1:2] == ["--contend"]:
        contend(*sys.argv[2:5], int(sys.argv[5]))
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="build/bin/map_calls")
    parser.add_argument("--log2", default="12:27:3")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=0.03, help="of a turn")
    parser.add_argument("--pause", type=float, default=0.02, help="seconds between turns")
    parser.add_argument("--apart-us", type=float, default=0, help="time between two calls, computed away; not for NumPy and numexpr")
    parser.add_argument("work", nargs="*", metavar="WORK:TYPE", default=["dot:f32", "dot:f64", "far:f32", "meanvar:f32"])
    arguments = parser.parse_args()
    if arguments.apart_us:
        os.environ["MAP_CALLS_APART_US"] = str(arguments.apart_us)
    low, high, step = (int(part) for part in arguments.log2.split(":"))
    sizes = list(range(low, high + 1, step))
    for pair in arguments.work:
        work, type_ = pair.split(":")
        table(work, type_, sizes, [measure(arguments, work, type_, 1 << size) for size in sizes])


if __name__ == "__main__":
    main()
