#!/usr/bin/env python3
"""Each row of the table in docs/use/numpy.md that says where redhost differs from NumPy is so, and there is one for each test."""
import math
import sys
import unittest
import warnings

import redhost
from with_numpy import np

PAGE = sys.argv[1]
RNG = np.random.default_rng(1)
NAN = float("nan")


def rows():
    """The first cells of the table."""
    with open(PAGE, encoding="utf-8") as file:
        table = file.read().split("| | NumPy | redhost |\n|---|---|---|\n")[1].split("\n\n")[0]
    return [line.split(" | ")[0][2:] for line in table.splitlines()]


class Differences(unittest.TestCase):
    def halves(self):
        """sums, products, means and variances of f16"""
        x = np.ones(3, "f2")
        for op in ("sum", "prod", "mean", "var"):
            self.assertEqual((getattr(np, op)(x).dtype, getattr(redhost, op)(x).dtype), (np.float16, np.float32))

    def digits(self):
        """floats in their last digits"""
        x = RNG.random(1 << 20, "f4")
        found = [redhost.sum(x, strategy="native", settings={"threads": n}) for n in (1, 2, 3)]
        self.assertEqual(found, [redhost.sum(x)] * 3)
        exact = math.fsum(x)
        self.assertLessEqual(abs(redhost.mean(x) - exact / x.size), abs(np.mean(x) - exact / x.size))

    def products(self):
        """a product that overflows on the way only"""
        x = np.array([1e200, 1e200, 1e-300])
        with np.errstate(over="ignore"):
            self.assertEqual((np.prod(x), redhost.prod(x)), (math.inf, 1e100))

    def nothing(self):
        """mean of nothing, `var` where n is not above `ddof`"""
        for call in (lambda m: m.mean(np.zeros(0)), lambda m: m.var(np.array([1.0, 2]), ddof=2)):
            with self.assertWarns(RuntimeWarning):
                self.assertFalse(math.isfinite(call(np)))
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                self.assertTrue(math.isnan(call(redhost)))

    def masked_extremes(self):
        """`min` and `max` of floats with `where`"""
        x, mask = np.array([1.0, 2]), np.zeros(2, bool)
        with self.assertRaises(ValueError):
            np.min(x, where=mask)
        self.assertEqual((redhost.min(x, where=mask), redhost.max(x, where=mask)), (math.inf, -math.inf))

    def masked_indices(self):
        """`argmin`, `argmax` with `where`"""
        x = np.array([3.0, 1, 2])
        with self.assertRaises(TypeError):
            np.argmin(x, where=x > 1)
        self.assertEqual((redhost.argmin(x, where=x > 1), redhost.argmin(x, where=x > 9)), (2, -1))

    def expressions_as_masks(self):
        """`where`"""
        x = np.array([-1.0, 2])
        self.assertEqual((np.sum(x, where="x > 0"), redhost.sum(x, where="x > 0")), (1, 2))

    def nothing_but_nan(self):
        """`nanmin` and the like of nothing but NaN"""
        with self.assertWarns(RuntimeWarning):
            np.nanmin(np.array([NAN]))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertTrue(math.isnan(redhost.nanmin(np.array([NAN]))))

    def norms(self):
        """`norm` of an array of several dimensions"""
        x = np.array([[1.0, 2], [3, 4]])
        self.assertEqual((np.linalg.norm(x, 1), redhost.norm(x, 1)), (6, 10))

    def axes_of_a_number(self):
        """`axis=0` of a number"""
        with self.assertRaises(getattr(np, "exceptions", np).AxisError):
            np.mean(3.0, axis=0)
        self.assertEqual((np.sum(3.0, axis=0), redhost.sum(3.0, axis=0), redhost.mean(3.0, axis=0)), (3, 3, 3))

    def expressions(self):
        """an expression of several arrays"""
        x, y = RNG.random((2, 100))
        self.assertAlmostEqual(redhost.reduce((x, y), map="x*y"), np.sum(x * y))

    def groups(self):
        """groups"""
        found = redhost.sum(np.arange(4), by=[7, 5, 7, 5])
        self.assertEqual((found.labels.tolist(), found.values.tolist()), ([5, 7], [4, 2]))
        self.assertEqual(redhost.sum(np.arange(4), offsets=[0, 1, 4]).tolist(), np.add.reduceat(np.arange(4), [0, 1]).tolist())

    def masked_arrays(self):
        """masked arrays"""
        x = np.ma.array([1.0, 2, 3], mask=[1, 1, 1])
        self.assertIs(np.sum(x), np.ma.masked)
        self.assertEqual(redhost.sum(x), 0)

    def python_numbers(self):
        """the answer for bytes, `array.array`, memoryviews and DLPack"""
        for x in (b"ab", memoryview(b"ab")):
            self.assertIs(type(redhost.max(x)), int)

    def errors(self):
        """errors"""
        for call, kind in ((lambda m: m.min(np.zeros(0)), ValueError), (lambda m: m.sum(np.zeros(2), axis=1), getattr(np, "exceptions", np).AxisError),
                           (lambda m: m.sum(np.zeros(2), axis=1.5), TypeError)):
            for module in (np, redhost):
                with self.assertRaises(kind) as caught:
                    call(module)
            self.assertEqual(isinstance(caught.exception, redhost.Error), kind is not TypeError)

    def test_the_table(self):
        shown = {method.__doc__: method for name, method in vars(Differences).items()
                 if callable(method) and method.__doc__ and not name.startswith("_")}
        self.assertEqual(rows(), list(shown))
        for row, method in shown.items():
            with self.subTest(row):
                method(self)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
