#!/usr/bin/env python3
"""The functions with NumPy's names against NumPy's: every type, axis, stride, mask, and nothing."""
import sys
import unittest

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)

import redhost

TYPES = "?bBhHiIqQefd"
PLAIN = "sum prod min max argmin argmax any all mean var std".split()


def kinds_of(dtype):
    """The same numbers in many layouts."""
    x = (np.arange(24) % 7).reshape(2, 3, 4).astype(dtype)
    read_only = x.copy()
    read_only.flags.writeable = False
    yield from (x, x.T, x[:, ::2], x[::-1], x[:, :, 1], x[0, 0, 0], np.asfortranarray(x), x.astype(x.dtype.newbyteorder(">")),
                read_only, np.broadcast_to(x[:1], (2, 3, 4)), np.frombuffer(b"\0" + x.tobytes(), dtype, offset=1))


class AgainstNumPy(unittest.TestCase):
    def same(self, op, x, **words):
        with np.errstate(all="ignore"):
            theirs = getattr(np, op)(x, **words)
            # f16 is kept in f32, and NumPy's sums of it are rounded to f16 on the way.
            if x.dtype.kind == "f" and x.dtype.itemsize == 2 and op not in ("min", "max", "argmin", "argmax", "any", "all"):
                theirs = getattr(np, op)(x.astype("f4"), **words)
        ours = getattr(redhost, op)(x, **words)
        what = f"{op} of {x.dtype.str} {x.shape} {x.strides} {words}"
        self.assertEqual(np.shape(ours), np.shape(theirs), what)
        self.assertEqual(ours.dtype, np.dtype(theirs.dtype).newbyteorder("="), what)
        np.testing.assert_allclose(np.asarray(ours, "f8"), np.asarray(theirs, "f8"), rtol=2e-6, err_msg=what)

    def test_each_operator_type_layout_and_axis(self):
        for dtype in TYPES:
            for x in kinds_of(dtype):
                for op in PLAIN:
                    for axis in (None, *range(x.ndim)):
                        self.same(op, x, axis=axis)

    def test_several_axes_and_dimensions_that_are_kept(self):
        for x in kinds_of("f4"):
            for op in ("sum", "max", "mean", "var", "all"):
                for axis in [a for a in ((0, 1), (1, 2), (0, 2), (0, 1, 2), ()) if len(set(a)) <= x.ndim and max(a, default=0) < x.ndim]:
                    self.same(op, x, axis=axis, keepdims=True)

    def test_arrays_of_one_shape_one_after_the_other(self):
        arrays = [np.random.default_rng(k).integers(0, 50, (3, 4, 5)) for k in range(3)]
        for dtype in ("i4", "f4", "f8", "?", ">f8"):
            for words in ({"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 2)}):
                for op in ("sum", "max", "mean", "any"):
                    answers = [(getattr(redhost, op)(x.astype(dtype), **words), getattr(np, op)(x.astype(dtype), **words)) for x in arrays]
                    for ours, theirs in answers:
                        np.testing.assert_allclose(np.asarray(ours, "f8"), np.asarray(theirs, "f8"), rtol=2e-6)
        for k in (2, 2.0, 4):
            np.testing.assert_array_equal(redhost.sum(arrays[0], axis=0, map="x/k", let={"k": k}),
                                          (arrays[0] / k if isinstance(k, float) else arrays[0] // k).sum(axis=0))

    def test_a_tuple_of_numbers_is_an_array(self):
        self.assertEqual((redhost.prod((2, 3)), redhost.max((1.5, 2.5, 0.5))), (6, 2.5))

    def test_masks(self):
        x = np.arange(24, dtype="f8").reshape(4, 6)
        mask = x % 3 == 1
        for op in ("sum", "prod", "mean", "var", "any", "all"):
            for axis in (None, 0, 1):
                self.same(op, x, axis=axis, where=mask)
                self.same(op, x.T, axis=axis, where=mask.T)
        self.same("max", x, axis=1, where=mask[0], initial=-5)
        self.assertEqual(redhost.sum(x, where="x > 20"), 66)
        self.assertEqual(redhost.sum(np.ma.array(x, mask=~mask)), x[mask].sum())

    def test_of_nothing(self):
        for shape in ((0,), (0, 3), (3, 0)):
            x = np.empty(shape, "i2")
            for op in ("sum", "prod", "any", "all"):
                for axis in (None, *range(x.ndim)):
                    self.same(op, x, axis=axis)
            for op in ("min", "max", "argmin", "argmax"):
                with self.assertRaises(ValueError):
                    getattr(redhost, op)(x)
        self.assertTrue(np.isnan(redhost.mean(np.empty(0))))


if __name__ == "__main__":
    unittest.main()
