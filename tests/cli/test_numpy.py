"""Files written by NumPy, reduced by redhost, and by NumPy.

Every type, operator and layout by `serial`; and at night by every strategy, since each kernel has to be compiled and the matrix compares
all of them with redhost's own reference."""

import fractions
import itertools
import math
import os
import re
import unittest

import redhost_cli as cli

try:
    import numpy as np
except ImportError as reason:
    np = None
    WHY = "NumPy is not here (Debian: python3-numpy): %s" % reason

NAMES = {"i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2", "i32": "i4", "u32": "u4", "i64": "i8", "u64": "u8",
         "f16": "f2", "f32": "f4", "f64": "f8"}
FLOATS = ("f16", "f32", "f64")
SHAPE = (7, 11, 13)
OF_MAGNITUDES = {"asum": "sum", "amax": "max", "argamax": "argmax"}


def defined(op, kind):
    return kind not in FLOATS or op not in ("and", "or", "xor")


def exact(value):
    """A float as it is meant: NaN is equal to NaN, -0 is not 0."""
    return "nan" if math.isnan(value) else (value, math.copysign(1, value))


def magnitudes(elements):
    """Of integers as unsigned ones of the same width: NumPy's abs(-128) is -128, too."""
    if elements.dtype.kind == "f":
        return np.abs(elements)
    unsigned = elements.astype(elements.dtype.str.replace("i", "u"))
    return np.where(elements < 0, 0 - unsigned, unsigned)


def sample(kind, n, seed=0):
    """All values of integers; floats of both signs, and of magnitudes that make sums and products lose digits."""
    random = np.random.default_rng([seed, cli.TYPES.index(kind)])
    dtype = np.dtype(NAMES[kind])
    if kind in FLOATS:
        return (random.standard_normal(n) * 2.0 ** random.integers(-3, 4, n)).astype(dtype)
    limits = np.iinfo(dtype)
    return random.integers(limits.min, limits.max, n, dtype=dtype, endpoint=True)


@unittest.skipIf(np is None, "" if np else WHY)
class NumpyCase(cli.Case):

    def reduce(self, strategy, op, *args, **how):
        return self.json("--run", strategy, "--op", op, *args, **how)["results"][0]

    def compare(self, result, op, kind, elements):
        """`elements`: one-dimensional, in storage order."""
        label = "%s %s of %s" % (result["strategy"], op, kind)
        self.assertEqual((result["op"], result["type"], result["n"], result["status"]), (op, kind, elements.size, "ok"), label)
        self.assertTrue(result["check"]["ok"], label)
        self.assertIsInstance(result["value"], str, label)
        if op in OF_MAGNITUDES:
            op, elements = OF_MAGNITUDES[op], magnitudes(elements)
            kind = elements.dtype.kind + str(8 * elements.dtype.itemsize)
        if op in ("argmin", "argmax"):
            place = int(getattr(np, op)(elements))
            self.assertEqual(result["index"], place, label)
            self.same(result["value"], elements[place] + elements.dtype.type(0), kind, label)  # to argmin and argmax, -0 is 0
        elif op in ("min", "max"):
            self.same(result["value"], self.extreme(op, kind, elements), kind, label)
        elif kind in FLOATS:
            self.near(result, op, elements, label)
        else:
            self.assertEqual(int(result["value"]), self.integer(op, kind, elements), label)

    def same(self, text, value, kind, label):
        if kind in FLOATS:
            self.assertEqual(exact(float(text)), exact(float(value)), label)
        else:
            self.assertEqual(int(text), int(value), label)

    @staticmethod
    def extreme(op, kind, elements):
        value = getattr(np, op)(elements)
        if kind in FLOATS and value == 0:  # NumPy takes either zero; -0 is below +0
            zeros = elements[elements == 0]
            return -0.0 if (np.signbit(zeros).any() if op == "min" else np.signbit(zeros).all()) else 0.0
        return value

    @staticmethod
    def integer(op, kind, elements):
        wide = np.uint64 if kind[0] == "u" else np.int64
        with np.errstate(over="ignore"):
            if op in ("sum", "prod"):
                return int(getattr(np, op)(elements, dtype=wide))
        return int(getattr(np, "bitwise_" + op).reduce(elements))

    def near(self, result, op, elements, label):
        """Within the bound that redhost prints, and that bound within what theory allows."""
        numbers = [float(x) for x in elements]
        value, bound = float(result["value"]), result["check"]["bound"]
        unit = 2.0**-53 if result["type"] == "f64" else 2.0**-24
        if op == "sum":
            right = fractions.Fraction(math.fsum(numbers))
            most = unit * (len(numbers) + 1) * math.fsum(map(abs, numbers))
        else:
            right = math.prod(map(fractions.Fraction, numbers))
            most = 1.01 * unit * len(numbers) * abs(float(right))
        self.assertLessEqual(bound, most, label)
        self.assertLessEqual(abs(float(fractions.Fraction(value) - right)), bound, label)


class Files(NumpyCase):
    """By the loop on the host: 3 ms each."""

    def all_operators(self, name, kind, array, strategy="serial", ops=cli.OPS, **how):
        stored = array.ravel(order="K")
        for op in ops:
            if defined(op, kind):
                self.compare(self.reduce(strategy, op, "-i", name, **how), op, kind, stored)

    def test_types(self):
        for kind in cli.TYPES:
            with self.subTest(kind=kind):
                array = sample(kind, 1001)
                np.save(self.path("v.npy"), array)
                self.all_operators("v.npy", kind, array, ops=[op for op in cli.OPS if op != "prod" or kind not in FLOATS])
                if kind in FLOATS:
                    array = (sample(kind, 60) % 1 + 0.5).astype(array.dtype)
                    np.save(self.path("v.npy"), array)
                    self.all_operators("v.npy", kind, array, ops=["prod"])

    def test_layouts(self):
        """A header's version changes nothing of what follows, so by day each layout of each type has one of them, in turn."""
        versions, turn = ((1, 0), (2, 0), (3, 0)), 0
        whole = os.environ.get("REDHOST_TEST_EXTENT") == "all"
        for kind in ("i8", "u16", "i32", "f16", "f32", "u64", "f64"):
            array = sample(kind, math.prod(SHAPE), 1).reshape(SHAPE)
            big = array.astype(array.dtype.newbyteorder(">"))
            for name, layout in (("C", array), ("F", np.asfortranarray(array)), ("big", big), ("bigF", np.asfortranarray(big)),
                                 ("2d", array.reshape(77, 13)), ("0d", array[3, 4, 5]), ("1", array.ravel()[:1])):
                layout = np.asanyarray(layout)
                turn += 1
                for version in versions if whole else (versions[turn % 3],):
                    with self.subTest(kind=kind, layout=name, version=version):
                        with open(self.path("v.npy"), "wb") as file:
                            np.lib.format.write_array(file, layout, version=version)
                        warns = layout.flags.f_contiguous and not layout.flags.c_contiguous
                        self.all_operators("v.npy", kind, layout, ops=["sum", "max"])
                        result = self.reduce("serial", "argmin", "-i", "v.npy", quiet=not warns)
                        self.compare(result, "argmin", kind, layout.ravel(order="K"))

    def test_empty(self):
        for kind in cli.TYPES:
            np.save(self.path("none.npy"), np.zeros((3, 0), dtype=NAMES[kind]))
            for op, value in (("sum", "0"), ("prod", "1"), ("or", "0"), ("xor", "0"), ("asum", "0")):
                if defined(op, kind):
                    self.assertEqual(self.value("--run", "serial", "--op", op, "-i", "none.npy"), value)

    def test_specials(self):
        nan, inf = math.nan, math.inf
        for kind in FLOATS:
            dtype = NAMES[kind]
            smallest, largest = float(np.finfo(dtype).smallest_subnormal), float(np.finfo(dtype).max)
            for values in ([1, nan, 2], [nan], [nan, nan, 1], [-nan, 1], [inf, nan], [inf], [-inf], [inf, inf, -1], [-inf, inf],
                           [0.0, -0.0], [-0.0, 0.0], [-0.0], [-0.0, -0.0], [3, 1, 1, 3], [1, 3, 3, 1], [smallest, -smallest, 0.0],
                           [largest, -largest], [smallest] * 3, [inf, 1, 2], [-inf, 1, -inf]):
                array = np.array(values, dtype=dtype)
                np.save(self.path("s.npy"), array)
                for op in ("min", "max", "argmin", "argmax", "amax", "argamax"):
                    with self.subTest(kind=kind, values=values, op=op):
                        self.compare(self.reduce("serial", op, "-i", "s.npy"), op, kind, array)
                with self.subTest(kind=kind, values=values, op="sum"), np.errstate(invalid="ignore"):
                    result = self.reduce("serial", "sum", "-i", "s.npy")
                    right = float(np.sum(array, dtype="f8" if kind == "f64" else "f4"))
                    self.assertEqual(exact(float(result["value"]) + 0), exact(right + 0))  # of [-0], NumPy says 0
                with self.subTest(kind=kind, values=values, op="asum"):
                    result = self.reduce("serial", "asum", "-i", "s.npy")
                    right = float(np.sum(np.abs(array), dtype="f8" if kind == "f64" else "f4"))
                    self.assertEqual(exact(float(result["value"])), exact(right))

    def test_what_is_not_a_number(self):
        """The note counts NaN in a file, and says so where it does not count."""
        for kind in FLOATS:
            elements = sample(kind, 300001)
            elements[[131071, 131072, 300000]] = np.nan
            np.save(self.path("n.npy"), elements)
            elements.tofile(self.path("n.raw"))
            said = "n.npy has 3 NaN, the first at index 131071; --where '!isnan(x)' leaves them out."
            for more in ([], ["--op", "max"], ["--stream=65536"], ["--ranks=2"], ["--op", "minmax"]):
                self.assertEqual(self.good("n.npy", *more, quiet=False).err.count(said), 1, more)
            self.assertIn("n.raw has 3 NaN", self.good("-i", "n.raw", "-t", kind, quiet=False).err)
            self.good("n.npy", "-q")
            self.good("n.npy", "--json")
            self.good("n.npy", "--where", "!isnan(x)")
            with open(self.path("n.npy"), "rb") as file:
                self.assertIn("--map 'isnan(x)' counts NaN", self.good("-i", "-", stdin=file, quiet=False).err)
            elements[:] = 1
            elements[:2] = np.inf, -np.inf
            np.save(self.path("n.npy"), elements)
            self.assertIn("no element of n.npy is NaN", self.good("n.npy", quiet=False).err)
        self.good("--run", "serial", "-n", "100", "--data", "nan")

    def test_side_by_side(self):
        """--run A,B: one document of what each alone says, and lines of values with -q."""
        np.save(self.path("s.npy"), sample("f32", 5000))
        document = self.json("--run", "serial,native,cascade", "-i", "s.npy")
        self.assertEqual([row["strategy"] for row in document["results"]], ["serial", "native", "cascade"])
        self.assertEqual(len(document["devices"]), 1)
        values = self.good("--run", "serial,native,cascade", "s.npy", "-q").out.split()
        self.assertEqual(values, [self.good("--run", name, "s.npy", "-q").out.strip() for name in ("serial", "native", "cascade")])
        self.assertEqual(values, [row["value"] for row in document["results"]])
        text = self.good("--run", "serial,native", "s.npy", "--op", "min,max").out.splitlines()
        self.assertEqual([line.split()[0] for line in text], ["STRATEGY", "serial", "native"])
        least, most = sample("f32", 5000).min(), sample("f32", 5000).max()
        self.assertEqual([float.fromhex(word) for word in re.findall(r"-?0x\S+", "".join(text))], [least, most] * 2)
        for code, why, rows, args in (
                (2, "unknown strategy 'nosuch'", r"^serial .* ok\nnosuch .* failed\nnative .* ok$", ("serial,nosuch,native", "s.npy")),
                (4, "affine does not commute", r"^cascade .* declined\nserial .* ok$", ("cascade,serial", "-n", "9", "-t", "u64", "--op=affine"))):
            done = self.redhost("--run", *args)
            self.assertEqual((done.code, done.err.count("\n")), (code, 1), done)
            self.assertIn(why, done.err)
            self.assertRegex(done.out, "(?m)" + rows)


class Strategies(NumpyCase):
    def test_all(self):
        """Of every operator on some type, or at night on every type."""
        chosen, seen = os.environ.get("REDHOST_TEST_STRATEGIES", "").split() or self.good("--list", "-q").out.split(), 0
        for kind in cli.TYPES:
            array = sample(kind, 5003, 4)
            if kind in FLOATS:
                array[1777] = array[4001] = array.max()  # ties
            np.save(self.path(kind + ".npy"), array)
            np.save(self.path(kind + "-few.npy"), array[:60] % 1 + array.dtype.type(0.5) if kind in FLOATS else array)
        for strategy, (o, op) in itertools.product(chosen, enumerate(cli.OPS)):
            kinds = [kind for kind in cli.TYPES if defined(op, kind)]
            for kind in kinds if cli.WHOLE else [kinds[5 * o % len(kinds)]]:
                with self.subTest(strategy=strategy, op=op, kind=kind):
                    name = kind + ("-few" if op == "prod" else "") + ".npy"
                    done = self.redhost("--run", strategy, "--op", op, "-i", name, "--json")
                    if done.code == 4:  # declined, with a reason
                        self.assertRegex(done.err, r"\Aredhost: strategy '%s' cannot run on [^\n]+\.\n\Z" % strategy)
                        continue
                    self.assertEqual((done.code, done.err), (0, ""), done)
                    self.compare(cli.json.loads(done.out, parse_constant=cli.no_constants)["results"][0], op, kind, np.load(self.path(name)))
                    seen += 1
        if not seen:
            self.skipTest("%s cannot run on this device" % chosen)

    def test_functions_of_openblas(self):
        there = self.good("--list", "-q").out.split()
        for strategy, op, kind in (("openblas_sasum", "asum", "f32"), ("openblas_idamax", "argamax", "f64")):
            if strategy not in there:
                self.skipTest("OpenBLAS is not here (Debian: libopenblas0-pthread)")
            array = sample(kind, 100_003, 6)
            array[77] = -2 * np.abs(array).max()
            array[99_000] = -array[77]  # the first of two
            np.save(self.path("blas.npy"), array)
            self.compare(self.reduce(strategy, op, "-i", "blas.npy"), op, kind, array)


if __name__ == "__main__":
    cli.main()
