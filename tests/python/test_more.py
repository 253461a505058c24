#!/usr/bin/env python3
"""What goes beyond NumPy's words: maps, groups, prepared reductions, partials, exact sums, the program, notebooks."""
import array
import math
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from fractions import Fraction

import redhost
from with_numpy import np

RNG = np.random.default_rng(1)
X, Y = RNG.standard_normal((2, 10_000)).astype("f4")


class Expressions(unittest.TestCase):
    def test_maps_constants_and_several_results(self):
        close = self.assertAlmostEqual
        close(redhost.reduce((X, Y), map="x*y"), np.dot(X.astype("f8"), Y), 1)
        close(redhost.sum(X, map="t*fabs(x)", let={"t": 0.5}), 0.5 * np.abs(X).sum(), 1)
        both = redhost.reduce((X, Y), op="sum", map="x, y", finalize="left = a.0, right = a.1")
        self.assertEqual(both.names, ("left", "right"))
        close(both.right, Y.sum(), 2)
        self.assertEqual(pickle.loads(pickle.dumps(both)), both)
        self.assertEqual(redhost.reduce(X, reduce="a > b ? a : b", identity="-inf", commutes=True), X.max())
        rows = redhost.meanvar(X.reshape(100, 100), axis=1)
        np.testing.assert_allclose(rows.variance, X.reshape(100, 100).var(axis=1), rtol=1e-5)
        close(redhost.mean(X, map="x*x"), np.mean(X * X), 5)
        self.assertEqual(redhost.count(X, map="x > 1", full=True, check=True).value, np.count_nonzero(X > 1))
        table = X.reshape(100, 100)
        for axis in (None, 0, 1):
            np.testing.assert_array_equal(redhost.any(table, axis, map="x > 3"), (table > 3).any(axis))
            np.testing.assert_array_equal(redhost.all(table, axis, map="x < 3"), (table < 3).all(axis))
        self.assertEqual(redhost.mean(X, dtype="float64").dtype, np.float64)
        self.assertEqual(redhost.norm(X).dtype, np.float32)
        close(redhost.norm(X, 1), np.abs(X).sum(), 1)

    def test_broadcasting(self):
        weights = RNG.random(100).astype("f4")
        table = X.reshape(100, 100)
        np.testing.assert_allclose(redhost.dot(table, weights, axis=1), table @ weights, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(redhost.dot(table, weights[:, None], axis=0), weights @ table, rtol=1e-3, atol=1e-4)

    def test_groups(self):
        labels = RNG.integers(0, 50, X.size)
        for by, x in ((labels, X), (np.sort(labels), X), (labels.astype("f4"), X.astype("f8")), (labels, X > 0),
                      (labels.astype("i1") - np.int8(30), X.astype("f2")), (labels.astype("u8") * 10**15, X),
                      (labels.astype("u8") + np.uint64(2**63), X), (labels > 20, X)):
            found = redhost.sum(x, by=by)
            np.testing.assert_array_equal(found.labels, np.unique(by))
            np.testing.assert_allclose(found.values, [x[by == label].sum() for label in found.labels], rtol=1e-3, atol=1e-4)
        nan = redhost.count(np.ones(4), by=np.array([np.nan, 1, np.nan, 2]))
        self.assertEqual(nan.values.tolist(), [1, 1, 2])
        spread = redhost.var(X, by=labels, ddof=1).values
        np.testing.assert_allclose(spread, [X[labels == k].var(ddof=1) for k in range(50)], rtol=1e-4)
        self.assertEqual(redhost.sum(np.arange(6), offsets=[0, 2, 2, 5]).tolist(), [1, 0, 9])
        some = np.array([3, np.nan, 1, 2, np.nan])
        self.assertEqual(redhost.nanargmin(some, by=[1, 0, 1, 0, 0]).values.tolist(), [1, 1])
        self.assertEqual(repr(redhost.nanmax(some, by=[1, 0, 1, 0, 2]).values), repr(np.array([2, 3, np.nan])))
        found = redhost.nanmin(some[1:2], full=True)
        self.assertTrue(np.isnan(found.value) and found.strategy)

    def test_exact(self):
        x = np.array([1e100, 1, -1e100, 1e-20] * 100)
        self.assertEqual(redhost.sum(x, accuracy="exact"), math.fsum(x))
        for k in range(50):
            x = RNG.standard_normal(1000) * 10.0 ** RNG.integers(-9, 9, 1000)
            self.assertEqual(redhost.sum(x, accuracy="exact"), math.fsum(x))
        for dtype in ("f2", "f4", "f8", "i4", "i8"):
            x = (X * 1000).astype(dtype)
            exact = sum(map(Fraction, x.tolist()), Fraction(0))
            self.assertEqual(redhost.mean(x, accuracy="exact", dtype="f8" if dtype[0] == "f" else None), float(exact / len(x)))
            if dtype[0] == "f":
                self.assertEqual(redhost.sum(x, dtype=np.float64, accuracy="exact"), float(exact))
                rest = redhost.partial(x[8:], "mean", first=8, accuracy="exact")
                merged = redhost.partial(x[:8], "mean", accuracy="exact").merge(rest)
                self.assertEqual(merged.value, redhost.mean(x, accuracy="exact"))
        x = RNG.standard_normal((400, 300))
        for axis, rows in ((0, x.T), (1, x)):
            found = redhost.sum(x, axis=axis, accuracy="exact", full=True)
            self.assertEqual(found.value.tolist(), [math.fsum(row) for row in rows])
            self.assertEqual(found.check, "ok")
            self.assertIn(found.strategy, ("native", "superaccumulator"))  # with REDHOST_DEVICE `auto` chooses

    def test_full(self):
        found = redhost.sum(X, check=True, full=True)
        self.assertEqual((found.value, found.check), (redhost.sum(X), "ok"))
        self.assertTrue(found.strategy and found.time > 0)
        self.assertIn("<th>value</th>", found._repr_html_())

    def test_bounds(self):
        for dtype in ("f2", "f4", "f8"):
            for n in (0, 1, 1000, 10_000):
                x = RNG.standard_normal(n).astype(dtype)
                for found in (redhost.sum(x, check=True, full=True), redhost.sum(x, accuracy="exact", full=True),
                              redhost.sum(x, dtype="f8", check=True, full=True)):
                    off = abs(float(found.value) - math.fsum(x))
                    self.assertLessEqual(off, found.bound)
                    self.assertLess(found.bound, 1e-3 * max(n, 1))
        dot, exact = redhost.dot(X, Y, check=True, full=True), math.fsum(X.astype("f8") * Y.astype("f8"))
        self.assertLessEqual(abs(float(dot.value) - exact), dot.bound)
        self.assertLess(dot.bound, 1)
        product = redhost.prod(X[:20], check=True, full=True)
        self.assertLessEqual(abs(float(product.value) - math.prod(X[:20].tolist())), product.bound)
        self.assertLess(product.bound, 1e-4 * abs(product.value))
        for found in (redhost.max(X, check=True, full=True), redhost.argmin(X, check=True, full=True),
                      redhost.sum(X > 0, check=True, full=True)):
            self.assertEqual(found.bound, 0)
        for found in (redhost.sum(X, full=True), redhost.var(X, check=True, full=True), redhost.mean(X, check=True, full=True),
                      redhost.sum(X.reshape(10, -1), axis=1, check=True, full=True)):
            self.assertIsNone(found.bound)

    def test_the_short_way_and_the_long_one(self):
        """An operator alone goes by sdk/python/call.c, and with a strategy that is named by ctypes."""
        for dtype in "? b B h H i I l L q Q e f d >i4 >f8".split():
            x = RNG.integers(-9, 9, 300).astype(dtype)
            x[:3] = 1
            for op in "sum prod min max argmin argmax any all count mean".split():
                function = getattr(redhost, op)
                for y in (x, x[5:6], x[::3], x.reshape(10, 30), x.reshape(10, 30).T):
                    short, long = function(y), function(y, strategy="native")
                    self.assertEqual((type(short), repr(short)), (type(long), repr(long)), (op, dtype))
        for y in (b"abc", bytearray(b"xyz"), memoryview(b"abc"), array.array("f", [1, 2]), memoryview(X[:9])):
            for op in ("sum", "max", "argmax", "any"):
                function = getattr(redhost, op)
                self.assertEqual(repr(function(y)), repr(function(y, strategy="native")))


class Prepared(unittest.TestCase):
    def test_it_equals_a_call(self):
        for dtype in ("i1", "u2", "i8", "f2", "f4", "f8"):
            x = (X * 20).astype(dtype)
            for op in ("sum", "min", "argmax", "mean", "any"):
                with redhost.prepare(op, x.dtype, x.size) as call:
                    for part in (x, x, x[:100], x[::3], x[:100][::-1], x[:0] if op == "sum" else x):
                        self.assertEqual(call(part), getattr(redhost, op)(part), (op, dtype))
        with redhost.prepare("dot", ("f32", "f32"), X.size) as dot:
            self.assertEqual(dot(X, Y), redhost.dot(X, Y))
            with self.assertRaisesRegex(ValueError, "2 operands, and called with 1"):
                dot(X)
            with self.assertRaisesRegex(ValueError, "of f64; prepared was f32"):
                dot(X.astype("f8"), Y)
        with redhost.prepare("sum", "f32", 10) as few, self.assertRaises(redhost.UsageError):
            few(X)

    def test_constants(self):
        with redhost.prepare("sum", "f64", 10, map="t*x", let={"t": 1.0}) as scaled:
            scaled.let(t=4.0)
            self.assertEqual(scaled(np.ones(3)), 12)
            with self.assertRaises(redhost.UsageError):
                scaled.let(no_such=1)

    def test_temporaries_may_die(self):
        for strategy in ("native", "onepass"):
            with redhost.prepare("sum", "f32", 1 << 16, strategy=strategy) as total:
                for k in range(20):
                    self.assertEqual(total(np.full(1 << 16, k, "f4")), k << 16)


class Partials(unittest.TestCase):
    def test_bits_in_any_order(self):
        cuts = [0, 1, 333, 334, 5000, X.size]
        for op in ("sum", "prod", "argmin", "meanvar"):
            parts = [redhost.partial(X[a:b], op, first=a) for a, b in zip(cuts, cuts[1:])]
            parts = [pickle.loads(pickle.dumps(part)) for part in parts]
            a, b, c, d, e = (redhost.Partial(bytes(part)) for part in parts)
            self.assertEqual(c.merge(a, e).merge(d + b).value, redhost.reduce(X, op=op), op)
        with self.assertRaisesRegex(redhost.FileError, "."):
            a.merge(redhost.partial(X, "max", first=X.size))

    def test_masks_and_checks(self):
        mask = X > 0
        halves = [redhost.partial(X[a:b], where=mask[a:b], first=a, check=True) for a, b in ((0, 4000), (4000, X.size))]
        self.assertEqual(halves[1].merge(halves[0]).value, redhost.sum(X, where=mask))


class Program(unittest.TestCase):
    def test_lists(self):
        self.assertIn("native", [row["name"] for row in redhost.strategies()])
        self.assertIn("dot", repr(redhost.operators()))
        self.assertIn("<th>name</th>", redhost.operators()._repr_html_())
        self.assertIsInstance(redhost.devices(), list)

    def test_laws(self):
        with self.assertRaisesRegex(redhost.NotAssociative, "is not associative: a="):
            redhost.verify_op("a+2*b")
        self.assertTrue(all(report["ok"] for report in redhost.verify_op("max")))

    def test_states(self):
        """What --state keeps is a Partial; two are merged in the library."""
        with tempfile.TemporaryDirectory() as folder:
            states = []
            for k, x in enumerate((X, Y)):
                np.save(os.path.join(folder, "x.npy"), x)
                path = os.path.join(folder, f"{k}.state")
                subprocess.run([sys.executable, "-m", "redhost", os.path.join(folder, "x.npy"), "--accuracy", "exact", "--state", path],
                               check=True, stdout=subprocess.DEVNULL)
                with open(path, "rb") as file:
                    states.append(redhost.Partial(file.read()))
            self.assertEqual((states[0] + states[1]).value, np.float32(math.fsum(np.concatenate((X, Y)).tolist())))
            with self.assertRaisesRegex(redhost.FileError, "do not go together"):
                states[0].merge(redhost.partial(X, accuracy="exact"))

    def test_records(self):
        record = redhost.bench("native", n="2^10", op="sum", dtype="f32")
        self.assertEqual([row["strategy"] for row in record["results"]], ["native"])
        self.assertIn("native", redhost.compare(record, record))
        with tempfile.TemporaryDirectory() as folder:
            pictures = redhost.plot(record, os.path.join(folder, "a.svg"), picture="rate,time")
            self.assertEqual([os.path.basename(path) for path in pictures], ["a-rate.svg", "a-time.svg"])
            with self.assertRaisesRegex(redhost.FileError, "no.json"):
                redhost.compare("/no.json", "/no.json")
        with self.assertRaises(redhost.UsageError):
            redhost.bench("native", no_such=1)


class Buffers(unittest.TestCase):
    def test_interface(self):
        class Interface:
            __array_interface__ = X.__array_interface__
        self.assertEqual(redhost.sum(Interface()), redhost.sum(X))

    def test_dlpack(self):
        class Producer:
            def __dlpack__(self):
                return X.__dlpack__()

            def __dlpack_device__(self):
                return X.__dlpack_device__()
        for _ in range(3):
            self.assertEqual(redhost.sum(Producer()), redhost.sum(X))

    def test_numbers_and_lists(self):
        self.assertEqual(redhost.sum([1, 2, 3]), 6)
        self.assertEqual(redhost.sum([[1.5], [2]], axis=0).tolist(), [3.5])
        self.assertEqual(redhost.sum(3), 3)
        self.assertEqual(redhost.sum(array.array("d", [1.5])), 1.5)

    def test_columns_that_begin_within_a_line(self):
        """The same bits wherever rows begin, of values of one part and of two."""
        for kind in "i1 u2 f2 f4 i8 f8".split():
            size, rows, columns = np.dtype(kind).itemsize, 37, 2048
            values = (np.random.default_rng(3).standard_normal((rows, columns)) * 9).astype(kind)
            room = np.empty(values.nbytes + 128, "u1")
            first = -room.ctypes.data % 64
            for op in (redhost.sum, redhost.prod, redhost.max, redhost.argmax):
                found = []
                for begin in (first, first + size, first + 16):
                    x = room[begin:begin + values.nbytes].view(kind).reshape(rows, columns)
                    x[...] = values
                    found.append(op(x, axis=0).tobytes())
                self.assertEqual(found, found[:1] * 3, (kind, op.__name__))

    def test_out(self):
        out = np.empty(100, "f4")
        self.assertIs(redhost.sum(X.reshape(100, 100), axis=1, out=out), out)
        np.testing.assert_array_equal(out, redhost.sum(X.reshape(100, 100), axis=1))


if __name__ == "__main__":
    unittest.main()
