#!/usr/bin/env python3
"""The Python package against NumPy, numexpr and pandas: ratios of medians, each contender in a process of its own.

    REDHOST_PREFIX=build PYTHONPATH=sdk/python lab/measure/python_speed.py [WORK...]

A work's contenders take turns, ROUNDS times; each process makes its data, calls twice, and then for 0.4 s.  The limit, where
read_limit is built (cmake --build build --target read_limit), is a read of as many bytes by as many threads.
"""
import os
import statistics
import subprocess
import sys
import time

SIZES = (14, 16, 18, 20, 22, 24, 26, 27)
LIMIT = os.path.join(os.environ.get("REDHOST_PREFIX", "build"), "bin", "read_limit")
ROUNDS = int(os.environ.get("ROUNDS", "3"))


def measured(call, seconds=0.4):
    """The median of the times of calls, and the shortest."""
    call()
    call()
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times), min(times)


def whole(op, dtype, log):
    def redhost(np, x):
        import redhost
        function = getattr(redhost, op)
        return lambda: function(x)

    def numpy(np, x):
        function = getattr(np, op)
        return lambda: function(x)
    return (lambda np: np.random.default_rng(1).random(1 << log, dtype)), {"redhost": redhost, "numpy": numpy, "limit": None}


def imported(name):
    return __import__(name)


def matrix(shape, dtype):
    return lambda np: np.random.default_rng(1).standard_normal(shape).astype(dtype)


def groups(np):
    labels = np.repeat(np.arange(1_000_000), 10)
    return labels, np.random.default_rng(1).standard_normal(labels.size)


def by_pandas(np, x):
    import pandas
    frame = pandas.DataFrame({"k": x[0], "v": x[1]})
    return lambda: frame.groupby("k")["v"].sum()


def prepared(np, x):
    import redhost
    total = redhost.prepare("sum", x.dtype, x.size)
    return lambda: total(x)


def expression(text):
    def make(np, x):
        import numexpr
        numexpr.set_num_threads(2)
        y, z = x
        return lambda: numexpr.evaluate(text, {"x": y, "y": z})
    return make


WORKS = {f"{op} {dtype} 2^{log}": whole(op, dtype, log)
         for op, dtypes in (("sum", ("f4", "f8")), ("max", ("f4",)), ("argmax", ("f4",))) for dtype in dtypes for log in SIZES}
for _dtype in ("f4", "f8"):
    WORKS.update({
        f"var {_dtype} 2^24": whole("var", _dtype, 24),
        f"dot with a map {_dtype}": (matrix((2, 1 << 24), _dtype), {
            "redhost": lambda np, x: lambda: imported("redhost").reduce((x[0], x[1]), map="x*y"),
            "numpy": lambda np, x: lambda: np.sum(x[0] * x[1]),
            "numexpr": expression("sum(x*y)")}),
        f"squared distance {_dtype}": (matrix((2, 1 << 24), _dtype), {
            "redhost": lambda np, x: lambda: imported("redhost").reduce((x[0], x[1]), map="(x - y)*(x - y)"),
            "numpy": lambda np, x: lambda: np.sum((x[0] - x[1]) ** 2),
            "numexpr": expression("sum((x - y)**2)")}),
    })
    for _shape in ((4096, 4096), (1_000_000, 8)):
        for _axis in (0, 1):
            WORKS[f"sum {_dtype} axis={_axis} {_shape}"] = (matrix(_shape, _dtype), {
                "redhost": lambda np, x, axis=_axis: lambda: imported("redhost").sum(x, axis=axis),
                "numpy": lambda np, x, axis=_axis: lambda: np.sum(x, axis=axis), "limit": None})
WORKS.update({
    "by, 10^6 groups": (groups, {
        "redhost": lambda np, x: lambda: imported("redhost").sum(x[1], by=x[0]), "pandas": by_pandas}),
    "prepared sum of 1000": (lambda np: np.ones(1000, "f4"), {
        "redhost": prepared, "numpy": lambda np, x: lambda: np.sum(x)}),
    "sum of 1000": (lambda np: np.ones(1000, "f4"), {
        "redhost": lambda np, x: lambda: imported("redhost").sum(x), "numpy": lambda np, x: lambda: np.sum(x)}),
})

FIRST = {"redhost": "import redhost, array; redhost.sum(array.array('f', bytes(4000)))", "numpy": "import numpy"}


def child(work, contender):
    import numpy as np
    data, contenders = WORKS[work]
    x = data(np)
    if contender == "limit":
        subprocess.run([LIMIT, str(x.nbytes)], check=True)
    else:
        print(*measured(contenders[contender](np, x)))


def elsewhere(*words):
    said = subprocess.run([sys.executable, __file__, *words], check=True, stdout=subprocess.PIPE).stdout
    return tuple(map(float, said.split()))


def started(code):
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return (time.perf_counter() - begin,) * 2


def row(name, times):
    """The ratios of medians, and of the shortest times, which other programs on the machine disturb least."""
    def of(found):
        return statistics.median(time for time, _ in found), min(time for _, time in found)
    ours = of(times["redhost"])
    ratios = [f"{of(found)[0] / ours[0]:6.2f}x {of(found)[1] / ours[1]:6.2f}x {other}" for other, found in times.items()
              if other != "redhost"]
    print(f"{name:28} {ours[0] * 1e6:12.1f} us", *ratios, flush=True)


def main(wanted):
    if not wanted or "first" in wanted:
        times = {name: [] for name in FIRST}
        for _ in range(11):
            for name, code in FIRST.items():
                times[name].append(started(code))
        row("import, first sum", times)
    for work, (_, contenders) in WORKS.items():
        if not os.path.exists(LIMIT):
            contenders.pop("limit", None)
        if wanted and not any(work.startswith(name) for name in wanted):
            continue
        times = {name: [] for name in contenders}
        for _ in range(ROUNDS):
            for name in contenders:
                times[name].append(elsewhere("--child", work, name))
        row(work, times)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--child"]:
        child(*sys.argv[2:])
    else:
        main(sys.argv[1:])
