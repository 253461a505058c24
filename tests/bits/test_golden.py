#!/usr/bin/env python3
"""The canonical order of docs/inside/bits.md: the page's own Python gives the golden values of version 1, and every strategy that computes
in that order agrees with them to the last bit.  `test_golden.py --write FOLDER' computes them, and fails where they are not those of
version 1; `--compare STRATEGY [KEY=VALUE...] FILE...' compares those of the files with what a strategy makes of the same data."""

import fractions
import functools
import hashlib
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.realpath(__file__))
VALUES = os.environ.get("REDHOST_TEST_GOLDEN", "")  # the folder that --write filled
# Of the files of version 1.  They change with the version of the order, and never without it.
PINNED = {"golden.txt": "9c2db3ac8107a16c7e882f0769d2f5bfe026cfeeabbbd992f959dc14aa245c69",
          "golden_own.txt": "b7569fab7026e2bafe048d01cde9961c050d4f1ae04aaf400feecd0bf4309520",
          "golden_range.txt": "da20d8d6644eb094b8c4be7c126e2ddfd5b4d7ce9a0634a24ac47725d6003431"}
PAGE = os.path.join(HERE, "..", "..", "docs", "inside", "bits.md")
REDHOST = os.environ.get("REDHOST", "redhost")
WHOLE = os.environ.get("REDHOST_TEST_EXTENT") == "all"  # the nightly run
FLOATS = {"f16": np.float16, "f32": np.float32, "f64": np.float64}
PRECISION = {"f16": 10, "f32": 23, "f64": 52}  # bits of the fraction


def the_page():
    code = "\n".join(re.findall(r"```python\n(.*?)```", pathlib.Path(PAGE).read_text(encoding="utf-8"), re.DOTALL))
    scope = {"np": np}
    exec(code, scope)  # pylint: disable=exec-used
    return scope


def elements(kind, op, n):
    """Element i, from h = splitmix64(i): magnitudes of 2^-4 to 2^4 with either sign; for products, numbers near 1."""
    h = (np.arange(n, dtype=np.uint64) + np.uint64(1)) * np.uint64(0x9e3779b97f4a7c15)
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xbf58476d1ce4e5b9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94d049bb133111eb)
    h ^= h >> np.uint64(31)
    bits = PRECISION[kind]
    sign = np.where(h >> np.uint64(63), -1.0, 1.0)
    fraction = (h & np.uint64((1 << bits) - 1)).astype(np.float64) / (1 << bits)
    if op == "prod":
        return (1 + sign * np.floor(fraction * (1 << (bits - 6))) / (1 << bits)).astype(FLOATS[kind])
    exponent = ((h >> np.uint64(52)) & np.uint64(7)).astype(np.float64) - 4
    return (sign * (1 + fraction) * 2.0**exponent).astype(FLOATS[kind])


def product(x):
    page = the_page()
    values = x.astype(np.float64 if x.itemsize == 8 else np.float32)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        one = page["value_of"](values.dtype.type(1).reshape(1))
        return float(page["result_of"](page["canonical"](page["value_of"](values), x.itemsize, page["multiply"], one)))


def merge(a, b):
    """The operator meanvar's combination."""
    made = np.empty_like(a)
    made["n"] = a["n"] + b["n"]
    with np.errstate(invalid="ignore"):  # of two identities
        r = b["n"] / made["n"]
    d = b["mean"] - a["mean"]
    for field, both in (("mean", a["mean"] + d * r), ("m2", a["m2"] + b["m2"] + d * d * a["n"] * r)):
        made[field] = np.where(a["n"] == 0, b[field], np.where(b["n"] == 0, a[field], both))
    return made


def variance(x):
    values = np.zeros(x.shape, [("n", np.float64), ("mean", np.float64), ("m2", np.float64)])
    values["n"], values["mean"] = 1, x
    whole = the_page()["canonical"](values, x.itemsize, merge, np.zeros(1, values.dtype)[0])
    return float(whole["m2"] / whole["n"])


def expected(kind, op, n):
    x = elements(kind, op, n)
    if op == "meanvar":
        return variance(x)
    if op == "prod":
        return product(x)
    values = x.astype(np.float64 if kind == "f64" else np.float32)
    if op == "asum":
        values = np.abs(values)
    identity = {"sum": -0.0, "asum": 0.0}[op]
    return float(the_page()["canonical"](values, x.itemsize, np.add, values.dtype.type(identity)))


# Products that leave the range.  TOP, BOTTOM: exponents of the largest power of two, and of the smallest subnormal, of elements.
TOP = {"f16": 15, "f32": 127, "f64": 1023}
BOTTOM = {"f16": -24, "f32": -149, "f64": -1074}
RESULT_BOTTOM = {"f16": -149, "f32": -149, "f64": -1074}
SHAPES = ("alternate", "halves", "subnormal", "deep", "over", "under", "zero", "infinity", "nan")


def powers(shape, kind, n):
    """The exponent of each element.  Running products leave the range, on one side or both; `deep' ends as a subnormal."""
    i = np.arange(n)
    top, bottom = TOP[kind] - 1, BOTTOM[kind] + 3
    if shape == "subnormal":  # one element in three, and two that make up for it
        exponent = np.where(i % 3 == 0, bottom, np.where(i % 3 == 1, -bottom // 2, -bottom - -bottom // 2))
        exponent[n // 3 * 3:] = 0
        return exponent
    if shape in ("zero", "infinity"):  # without it, the other one
        return np.full(n, top if shape == "zero" else -top)
    exponent = np.where(i % 2 == 0 if shape == "alternate" else i < n // 2, top, -top)
    exponent[n // 2 * 2:] = 0
    missing = {"deep": RESULT_BOTTOM[kind] + 3, "over": 1500, "under": -1500}.get(shape, 0)
    for at in range(n if missing else 0):  # what has the other sign makes room
        if missing * exponent[at] < 0:
            moved = max(-2 * top, min(2 * top, missing))
            exponent[at] += moved
            missing -= moved
    return exponent


def leaving(shape, kind, n):
    x = np.ldexp(elements(kind, "prod", n).astype(np.float64), powers(shape, kind, n)).astype(FLOATS[kind])
    x[n // 3] *= -1
    if shape in ("zero", "nan"):
        x[n - 1] = 0
    if shape in ("infinity", "nan"):
        x[n // 2] = np.inf
    return x


def leaving_cases():
    found = []
    for kind in FLOATS:
        lanes = 512 // FLOATS[kind]().itemsize
        tile = 4 * lanes
        found += [(kind, shape, n) for shape in SHAPES for n in (4, lanes + 1, tile - 1, 2 * tile, 64 * tile + 2 * lanes + 5, 100003)]
    return found


def cases():
    """200 of them: around the ends of rows and tiles, and where the tree has odd levels."""
    found = []
    for kind in FLOATS:
        lanes = 512 // FLOATS[kind]().itemsize
        tile = 4 * lanes
        sizes = [1, 2, 3, 7, lanes - 1, lanes, lanes + 1, 2 * lanes, 2 * lanes + 1, 3 * lanes - 1, 3 * lanes + 5, tile - 1, tile,
                 tile + 1, 2 * tile, 3 * tile, 5 * tile + lanes, 7 * tile - 1, 64 * tile, 64 * tile + 1, 65 * tile - 3, 100003]
        found += [(kind, op, n) for op in ("sum", "asum", "prod") for n in sizes]
    return found + [("f32", "sum", 1000003), ("f64", "sum", 500009)]


def own_cases():
    """Of an operator that is not built in, whose values are of 24 bytes."""
    sizes = [1, 2, 3, 7, 72, 73, 100, 127, 128, 129, 255, 511, 512, 513, 700, 1000, 1025, 2047, 2048, 4097, 10007, 100003, 777777, 1 << 20]
    return [("f32", "meanvar", n) for n in sizes]


def write(folder):
    made = {"golden.txt": [(case, expected(*case)) for case in cases()],
            "golden_own.txt": [(case, expected(*case)) for case in own_cases()],
            "golden_range.txt": [((kind, shape, n), product(leaving(shape, kind, n))) for kind, shape, n in leaving_cases()]}
    for name, values in made.items():
        text = "".join("%s %s %d %s\n" % (*case, value.hex()) for case, value in values)
        if hashlib.sha256(text.encode()).hexdigest() != PINNED[name]:
            sys.exit("%s: the Python of docs/inside/bits.md does not compute the order's version 1" % name)
        pathlib.Path(os.path.join(folder, name)).write_text(text, encoding="ascii")


def golden(name):
    with open(os.path.join(VALUES, name), encoding="ascii") as file:
        rows = [line.split() for line in file]
    return {(kind, op, int(n)): float.fromhex(value) for kind, op, n, value in rows}


@functools.lru_cache(maxsize=None)
def data(kind, op, n):
    return leaving(op, kind, n) if op in SHAPES else elements(kind, op, n)


def compare(strategy, settings, names):
    """Of each operator and type, one setup serves all sizes, and others those of a few elements."""
    import redhost  # pylint: disable=import-outside-toplevel
    wanted = {case: value for name in names for case, value in golden(name).items()}
    equal, differ = 0, []
    for kind, op in sorted({(kind, "prod" if op in SHAPES else op) for kind, op, _ in wanted}):
        for most in (1 << 20, 7, 256, 1024):
            with redhost.prepare(op, FLOATS[kind], most, strategy=strategy, settings=settings) as prepared:
                for case, value in wanted.items():
                    if case[0] == kind and (case[1] == op or (op == "prod" and case[1] in SHAPES)) and case[2] <= most:
                        result = prepared(data(*case))
                        result = float(result[-1] if op == "meanvar" else result)
                        equal += result.hex() == value.hex()
                        differ += [] if result.hex() == value.hex() else [(case, result.hex(), value.hex())]
    print("%s: %d of %d golden values equal" % (strategy, equal, equal + len(differ)), *differ, sep="\n")
    return 0 if equal and not differ else 1


class Golden(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="redhost-bits-")
        cls.golden = golden("golden.txt")
        cls.range = golden("golden_range.txt")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_products_that_leave_the_range(self):
        """They are what a big integer says; and plain multiplication, from the first to the last, gets many of them wrong."""
        plain_is_wrong = 0
        for (kind, shape, n), value in self.range.items():
            x = leaving(shape, kind, n)
            with np.errstate(all="ignore"):
                plain = float(np.multiply.accumulate(x.astype(np.float64 if kind == "f64" else np.float32))[-1])
            plain_is_wrong += not (plain == value or abs(plain / value - 1) < 1e-3) if np.isfinite(value) and value else 0
            if shape in ("zero", "infinity", "nan"):
                self.assertEqual(abs(value) if value == value else None, {"zero": 0, "infinity": np.inf, "nan": None}[shape])
            elif n < 1100:
                exact = abs(math.prod(fractions.Fraction(float(e)) for e in x))
                scale = fractions.Fraction(2) ** RESULT_BOTTOM[kind]
                if exact < scale / 4 or exact > fractions.Fraction(2) ** 1025:
                    self.assertIn(abs(value), (0, np.inf))
                elif np.isfinite(value):
                    self.assertLess(abs(fractions.Fraction(abs(value)) - exact), exact / 2**10 + scale, (kind, shape, n))
        self.assertGreater(plain_is_wrong, 40)

    def test_same_bits_says_so_in_one_line(self):
        path = os.path.join(self.folder.name, "same.npy")
        np.save(path, elements("f32", "sum", 100003))
        script = os.path.join(HERE, "..", "..", "scripts", "same-bits")
        done = subprocess.run([sys.executable, "-B", script, "--redhost", REDHOST, path], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, "^%s: the same bits in [0-9]+ ways: %s\n$"
                         % (re.escape(path), re.escape(self.golden["f32", "sum", 100003].hex())))

    def test_same_bits_compares_every_number(self):
        """Of a program whose devices agree on the first number only."""
        fake = os.path.join(self.folder.name, "fake")
        with open(fake, "w", encoding="ascii") as out:
            out.write("""#!%s
import sys
if "--devices" in sys.argv:
    print('{"devices": [{"name": "one", "id": "0:0"}]}')
else:
    variance = "1" if "onepass" in sys.argv else "2"
    print('{"results": [{"value": "3", "result_type": "f64", "fields": {"mean": "3", "variance": "%%s"}}]}' %% variance)
""" % sys.executable)
        os.chmod(fake, 0o755)
        script = os.path.join(HERE, "..", "..", "scripts", "same-bits")
        done = subprocess.run([sys.executable, "-B", script, "--redhost", fake, "x.npy"], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("mean 3, variance 2: native", done.stdout)

    @unittest.skipUnless(WHOLE, "at night")
    def test_large_arrays(self):
        for kind, op, n in (("f32", "sum", (1 << 26) + 3), ("f64", "sum", (1 << 25) + 77), ("f16", "sum", (1 << 27) - 1)):
            path = os.path.join(self.folder.name, "%s.npy" % kind)
            np.save(path, elements(kind, op, n))
            for strategy in ("native", "onepass"):
                done = subprocess.run([REDHOST, "--run", strategy, "--input", path, "--json"], stdout=subprocess.PIPE, check=True)
                self.assertEqual(float(json.loads(done.stdout)["results"][0]["value"]).hex(), expected(kind, op, n).hex(), (kind, strategy))

    def test_another_order_has_other_bits(self):
        """Or these values would hold nobody to the order."""
        differ = [case for case in self.golden if case[2] > 100 and
                  self.golden[case].hex() != float(np.add.accumulate(elements(*case).astype(
                      np.float64 if case[0] == "f64" else np.float32))[-1]).hex() and case[1] == "sum"]
        self.assertGreater(len(differ), 30)  # short sums of halves are exact in any order


if __name__ == "__main__":
    if sys.argv[1:2] == ["--write"]:
        write(sys.argv[2])
    elif sys.argv[1:2] == ["--compare"]:
        NAMES = [word for word in sys.argv[3:] if "=" not in word]
        sys.exit(compare(sys.argv[2], dict(word.split("=") for word in sys.argv[3:] if "=" in word), NAMES))
    else:
        unittest.main()
