#!/usr/bin/env python3
"""segments.py [options]: segments by the library's prepared calls, against NumPy, on this machine's processors.

    lab/measure/segments.py --lib build/lib/libredhost.so --ops sum,argmax --types f32,i32 --kinds rows --below 1.0

Each contender is a process of its own, and they take turns on one case after the other; a case's figure is NumPy's median time
divided by redhost's.  NumPy makes a new array of results for each call, redhost writes into one, and needs no interpreter."""
import argparse
import ctypes
import json
import math
import os
import statistics
import subprocess
import sys
import time

TYPES = {"i8": 1, "u8": 2, "i16": 3, "u16": 4, "i32": 5, "u32": 6, "i64": 7, "u64": 8, "f16": 9, "f32": 10, "f64": 11}
OPS = ["sum", "prod", "min", "max", "argmax", "mean", "any", "meanvar"]
LENGTHS = [1, 2, 3, 4, 8, 16, 17, 32, 64, 100, 128, 256, 512, 1000, 1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24]


def array_of(case):
    import numpy as np
    name = case["type"]
    dtype = np.dtype({"i": "int", "u": "uint", "f": "float"}[name[0]] + name[1:])
    numbers = np.random.default_rng(1).standard_normal(case["n"]).astype(np.float32)
    if name[0] != "f":
        numbers = np.abs(numbers * 20)
    return (numbers % 127 if name[0] != "f" else numbers).astype(dtype)


def offsets_of(case):
    """Lengths alternate, so that equal ones are not handed on."""
    import numpy as np
    n, length = case["n"], case["length"]
    lengths = np.full(n // length, length, np.uint64)
    if length > 1:
        lengths[0::2][:len(lengths) // 2] -= 1
        lengths[1::2] += 1
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint64)


# ---- NumPy ----

def numpy_call(case):
    import numpy as np
    x, op, kind = array_of(case), case["op"], case["kind"]
    if kind == "offsets":
        o = offsets_of(case)
        at, lengths = o[:-1].astype(np.intp), np.diff(o).astype(np.float64)
        wide = np.int64 if case["type"][0] == "i" else np.uint64 if case["type"][0] == "u" else None
        return {"sum": lambda: np.add.reduceat(x, at, dtype=wide), "prod": lambda: np.multiply.reduceat(x, at, dtype=wide),
                "min": lambda: np.minimum.reduceat(x, at), "max": lambda: np.maximum.reduceat(x, at),
                "mean": lambda: np.add.reduceat(x, at, dtype=wide) / lengths,
                "any": lambda: np.logical_or.reduceat(x, at)}.get(op)
    axis = 1 if kind == "middle" else 0 if kind == "columns" else 1
    shape = {"rows": (case["n"] // case["length"], case["length"]), "columns": (case["length"], case["n"] // case["length"]),
             "middle": (16, case["length"], case["n"] // case["length"] // 16)}[kind]
    if 0 in shape:
        return None
    x = x[:math.prod(shape)].reshape(shape)
    if op == "meanvar":
        return lambda: (x.mean(axis=axis), x.var(axis=axis))
    return lambda: getattr(x, op)(axis=axis)


# ---- pandas ----

def pandas_call(case):
    import numpy as np
    import pandas
    if case["kind"] != "offsets":
        return None
    o = offsets_of(case)
    by = np.repeat(np.arange(len(o) - 1), np.diff(o).astype(np.int64))
    groups = pandas.Series(array_of(case)[:len(by)]).groupby(by, sort=False)
    ops = {"sum": groups.sum, "prod": groups.prod, "min": groups.min, "max": groups.max, "argmax": groups.idxmax,
           "mean": groups.mean, "meanvar": lambda: (groups.mean(), groups.var(ddof=0))}
    return ops.get(case["op"])


# ---- redhost ----

RESULT_BYTES = 872  # sizeof(rh_result)


class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("code", ctypes.c_int32), ("message", ctypes.c_char * 1024)]


class Output(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("reserved", ctypes.c_uint32), ("data", ctypes.c_void_p),
                ("n", ctypes.c_uint64)]


class Segmentation(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("n_axes", ctypes.c_uint32), ("reduced", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("lengths", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("length", ctypes.c_uint64), ("starts", ctypes.c_void_p),
                ("stops", ctypes.c_void_p), ("n", ctypes.c_uint64)]


class Request(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("type", ctypes.c_int), ("unchecked", ctypes.c_uint32), ("on_device", ctypes.c_uint32),
                ("strategy", ctypes.c_char_p), ("op", ctypes.c_char_p), ("data", ctypes.c_void_p), ("n", ctypes.c_uint64),
                ("settings", ctypes.c_void_p), ("n_settings", ctypes.c_uint64), ("inputs", ctypes.c_void_p),
                ("n_inputs", ctypes.c_uint64), ("map", ctypes.c_char_p), ("reduce", ctypes.c_char_p), ("identity", ctypes.c_char_p),
                ("finalize", ctypes.c_char_p), ("constants", ctypes.c_void_p), ("n_constants", ctypes.c_uint64),
                ("commutes", ctypes.c_uint32), ("unchecked_op", ctypes.c_uint32), ("where", ctypes.c_char_p),
                ("accuracy", ctypes.c_uint32), ("result_on_device", ctypes.c_uint32), ("segments", ctypes.c_void_p),
                ("outputs", ctypes.c_void_p), ("n_outputs", ctypes.c_uint64), ("initial", ctypes.c_char_p)]


class Call(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint32), ("n_operands", ctypes.c_uint32), ("n", ctypes.c_uint64), ("arrays", ctypes.c_void_p),
                ("buffers", ctypes.c_void_p), ("first", ctypes.c_void_p), ("values", ctypes.c_void_p), ("index", ctypes.c_uint64),
                ("outputs", ctypes.c_void_p), ("n_outputs", ctypes.c_uint64)]


def segmentation_of(case, keep):
    n, length = case["n"], case["length"]
    s = Segmentation(size=ctypes.sizeof(Segmentation))
    if case["kind"] == "offsets":
        o = offsets_of(case)
        keep.append(o)
        s.starts, s.stops, s.n = o.ctypes.data, o.ctypes.data + 8, len(o) - 1
        return s, len(o) - 1, int(o[-1])
    shape = {"rows": (n // length, length, 1), "columns": (1, length, n // length), "middle": (16, length, n // length // 16)}[case["kind"]]
    lengths = (ctypes.c_uint64 * 3)(*shape)
    keep.append(lengths)
    s.n_axes, s.reduced, s.lengths = 3, 2, ctypes.addressof(lengths)
    return s, shape[0] * shape[2], math.prod(shape)


def redhost_call(case, lib, opened=[]):
    import numpy as np
    keep, error = [], Error()
    if not opened:
        library, handle = ctypes.CDLL(lib), ctypes.c_void_p()
        if library.rh_open(ctypes.byref(handle), None, ctypes.byref(error)):
            sys.exit(error.message.decode())
        opened += [library, handle]
    library, handle = opened
    x = array_of(case)
    segments, n_segments, n = segmentation_of(case, keep)
    request = Request(size=ctypes.sizeof(Request), type=TYPES[case["type"]], strategy=case["strategy"].encode(),
                      op=case["op"].encode(), n=n, segments=ctypes.addressof(segments), data=x.ctypes.data)
    prepared = ctypes.c_void_p()
    if library.rh_prepare(handle, ctypes.byref(request), ctypes.byref(prepared), ctypes.byref(error)):
        return error.message.decode()
    n_outputs = 2 if case["op"] == "meanvar" else 1
    outputs, arrays = (Output * n_outputs)(), (ctypes.c_void_p * 1)(x.ctypes.data)
    call = Call(size=ctypes.sizeof(Call), n_operands=1, n=n, arrays=ctypes.addressof(arrays), outputs=ctypes.addressof(outputs),
                n_outputs=n_outputs)
    for output in outputs:
        room = np.zeros(n_segments, np.uint64)
        keep.append(room)
        output.data, output.n, output.type = room.ctypes.data, n_segments, TYPES["i64"]
    result = ctypes.create_string_buffer(RESULT_BYTES)
    ctypes.cast(result, ctypes.POINTER(ctypes.c_uint32))[0] = RESULT_BYTES
    keep += [x, segments, request, arrays, outputs, result, call]
    from_call = (prepared, ctypes.byref(call), result, ctypes.byref(error))

    def run():
        return library.rh_prepared_call(*from_call)
    while run():
        message = error.message.decode()
        if "the results are" not in message:
            return message
        output = outputs[int(message.split("output ")[1].split(":")[0])]
        output.type = TYPES[message.split("the results are ")[1].split(",")[0]]
    run.keep = keep
    run.close = lambda: library.rh_prepared_destroy(prepared)
    return run


# ---- Processes that take turns ----

def serve(role, lib):
    call = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "case" in asked:
            if hasattr(call, "close"):
                call.close()
            case = asked["case"]
            call = {"numpy": numpy_call, "pandas": pandas_call}[role](case) if role != "redhost" else redhost_call(case, lib)
            answer = call if isinstance(call, str) else "ready" if call else "none"
        else:
            times = []
            for _ in range(asked["calls"]):
                begin = time.perf_counter()
                call()
                times.append(time.perf_counter() - begin)
            answer = times
        print(json.dumps(answer), flush=True)


class Contender:
    def __init__(self, role, lib, python):
        command = [python, os.path.abspath(__file__), "--role", role, "--lib", lib]
        self.child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, question):
        print(json.dumps(question), file=self.child.stdin, flush=True)
        return json.loads(self.child.stdout.readline())


def compare(peer, redhost, case, rounds):
    """The peer's median over redhost's, and both; None where one of them cannot."""
    for one in (peer, redhost):
        answer = one.ask({"case": case})
        if answer != "ready":
            if one is redhost:
                print(f"# {case}: {answer}", file=sys.stderr)
            return None
    calls, times = [], []
    for one in (peer, redhost):
        once = min(one.ask({"calls": 3}))
        calls.append(max(2, min(40, int(0.01 / once))))
        times.append([])
    for _ in range(rounds):
        for one, count, of in zip((peer, redhost), calls, times):
            of += one.ask({"calls": count})
    a, b = (statistics.median(of) for of in times)
    return a / b, a, b


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lib", default="build/lib/libredhost.so")
    parser.add_argument("--python", default=sys.executable, help="with NumPy")
    parser.add_argument("--peer", default="numpy", choices=["numpy", "pandas"])
    parser.add_argument("--ops", default=",".join(OPS))
    parser.add_argument("--types", default="f32,f64,i32,u8")
    parser.add_argument("--kinds", default="rows,columns,offsets", help="and middle")
    parser.add_argument("--lengths", default="", help="of segments; default: many up to n")
    parser.add_argument("-n", type=int, default=1 << 20)
    parser.add_argument("--strategy", default="native")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--below", type=float, default=0, help="list the cases below this ratio; default: all")
    parser.add_argument("--json", help="a file for all figures")
    parser.add_argument("--role", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.role:
        serve(given.role, given.lib)
        return
    peer, redhost = (Contender(role, given.lib, given.python) for role in (given.peer, "redhost"))
    lengths = [int(k) for k in given.lengths.split(",") if k] or [k for k in LENGTHS if k <= given.n]
    all_of, by_group = [], {}
    for kind in given.kinds.split(","):
        for op in given.ops.split(","):
            for name in given.types.split(","):
                for length in lengths:
                    case = {"kind": kind, "op": op, "type": name, "length": length, "n": given.n, "strategy": given.strategy}
                    found = compare(peer, redhost, case, given.rounds)
                    if not found:
                        continue
                    ratio, a, b = found
                    all_of.append([kind, op, name, length, ratio, a, b])
                    by_group.setdefault((kind, op), []).append(ratio)
                    if not given.below or ratio < given.below:
                        print(f"{kind:8} {op:8} {name:4} {length:8} {ratio:6.2f}x  {1e6 * a:9.1f} {1e6 * b:9.1f} us", flush=True)
    for group, ratios in [*by_group.items(), (("all", ""), [k[4] for k in all_of])]:
        mean = math.exp(statistics.fmean(math.log(k) for k in ratios)) if ratios else 0
        print(f"{group[0]:8} {group[1]:8} {len(ratios):4} cases, geometric mean {mean:.2f}x, least {min(ratios, default=0):.2f}x, "
              f"{sum(k < 1 for k in ratios)} below 1.0x")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as to:
            json.dump(all_of, to)


if __name__ == "__main__":
    main()
