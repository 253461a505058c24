#!/usr/bin/env python3
"""The functions with NumPy's names against NumPy's: every type, axis, layout, mask, and nothing; then 2000 random cases."""
import os
import random
import unittest
import warnings

import redhost
from with_numpy import np

CASES = int(os.environ.get("REDHOST_TEST_CASES", "2000"))
TYPES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
PLAIN = "sum prod min max argmin argmax any all mean var std".split()
OPS = [*PLAIN, *"nansum nanprod nanmin nanmax nanmean nanvar count_nonzero".split()]


def kinds_of(dtype):
    """The same numbers in many layouts."""
    x = (np.arange(24) % 7).reshape(2, 3, 4).astype(dtype)
    read_only = x.copy()
    read_only.flags.writeable = False
    yield from (x, x.T, x[:, ::2], x[::-1], x[:, :, 1], x[0, 0, 0], np.asfortranarray(x), x.astype(x.dtype.newbyteorder(">")),
                read_only, np.broadcast_to(x[:1], (2, 3, 4)), np.frombuffer(b"\0" + x.tobytes(), dtype, offset=1))


def array(rng):
    """Numbers of any type in any layout."""
    shape = tuple(rng.choice((0, 1, 2, 3, 5, 17)) if rng.random() < .9 else 1 for _ in range(rng.randrange(5)))
    made = np.random.default_rng(rng.getrandbits(32))
    dtype = np.dtype(rng.choice(TYPES))
    x = np.asarray(made.standard_normal(shape) * 3 if dtype.kind == "f" else made.integers(0, 5, shape)).astype(dtype)
    if dtype.kind == "f" and x.size and rng.random() < .3:
        x.reshape(-1)[made.integers(0, x.size)] = np.nan
    if x.ndim and rng.random() < .3:
        x = x[tuple(slice(None, None, rng.choice((1, 2, -1, -3))) for _ in shape)]
    if rng.random() < .3:
        x = x.transpose(rng.sample(range(x.ndim), x.ndim))
    if rng.random() < .2:
        x = x.astype(dtype.newbyteorder(">"))
    if rng.random() < .2:
        x = x.copy(order=rng.choice("CF"))
        x.flags.writeable = False
    return x


def words(rng, op, x):
    """NumPy's words for a call."""
    found = {}
    if x.ndim and rng.random() < .7:
        axes = rng.sample(range(-x.ndim, 0), rng.randrange(1, x.ndim + 1))
        found["axis"] = axes[0] if len(axes) == 1 or op.startswith("arg") else tuple(axes)
    if rng.random() < .3:
        found["keepdims"] = True
    if op in ("sum", "prod", "min", "max") and rng.random() < .2:
        found["initial"] = rng.randrange(4)
    if op in ("sum", "prod", "any", "all", "mean", "var") and rng.random() < .3:
        found["where"] = np.random.default_rng(rng.getrandbits(32)).random(x.shape) < .6
    if op in ("var", "std") and rng.random() < .3:
        found["ddof"] = 1
    return found


def answer(module, op, x, asked):
    try:
        return getattr(module, op)(x, **asked)
    except (ValueError, TypeError) as error:
        return type(error)


class AgainstNumPy(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        np.set_printoptions(threshold=10)

    def same(self, op, x, **asked):
        """Whether there is an answer; both say no alike."""
        what = f"{op} of {x.dtype.str} {x.shape} strides {x.strides} {asked}"
        ours = answer(redhost, {"count_nonzero": "count"}.get(op, op), x, asked)
        # f16 is kept in f32, and NumPy's sums of it are rounded to f16 on the way.
        half = x.dtype.kind == "f" and x.dtype.itemsize == 2 and op not in ("min", "max", "nanmin", "nanmax", "argmin", "argmax", "any", "all")
        theirs = answer(np, op, x.astype("f4") if half else x, asked)
        if isinstance(theirs, type):
            self.assertTrue(isinstance(ours, type) and issubclass(ours, ValueError), what)
            return False
        self.assertFalse(isinstance(ours, type), f"{what}: {ours}")
        self.assertEqual(np.shape(ours), np.shape(theirs), what)
        ours, theirs = np.asarray(ours), np.asarray(theirs)
        self.assertEqual(ours.dtype.kind, theirs.dtype.kind, what)
        if op in PLAIN:
            self.assertEqual(ours.dtype, theirs.dtype.newbyteorder("="), what)
        np.testing.assert_allclose(ours.astype("f8"), theirs.astype("f8"), rtol=3e-6, atol=1e-6, err_msg=what)
        return True

    def test_random_cases(self):
        rng, answered = random.Random(int(os.environ.get("REDHOST_TEST_SEED", "1"))), 0
        for _ in range(CASES):
            op, x = rng.choice(OPS), array(rng)
            answered += self.same(op, x, **words(rng, op, x))
        self.assertGreater(answered, CASES // 2)

    def test_each_operator_type_layout_and_axis(self):
        for dtype in TYPES:
            for x in kinds_of(dtype):
                for op in PLAIN:
                    for axis in (None, *range(x.ndim)):
                        self.assertTrue(self.same(op, x, axis=axis))

    def test_several_axes_and_dimensions_that_are_kept(self):
        for x in kinds_of("f4"):
            for op in ("sum", "max", "mean", "var", "all"):
                for axis in [a for a in ((0, 1), (1, 2), (0, 2), (0, 1, 2), ()) if len(set(a)) <= x.ndim and max(a, default=0) < x.ndim]:
                    self.assertTrue(self.same(op, x, axis=axis, keepdims=True))

    def test_arrays_of_one_shape_one_after_the_other(self):
        arrays = [np.random.default_rng(k).integers(0, 50, (3, 4, 5)) for k in range(3)]
        for dtype in ("i4", "f4", "f8", "?", ">f8"):
            for asked in ({"axis": 0}, {"axis": -1, "keepdims": True}, {"axis": (0, 2)}):
                for op in ("sum", "max", "mean", "any"):
                    for x in arrays:
                        self.assertTrue(self.same(op, x.astype(dtype), **asked))
        for k in (2, 2.0, 4):
            np.testing.assert_array_equal(redhost.sum(arrays[0], axis=0, map="x/k", let={"k": k}),
                                          (arrays[0] / k if isinstance(k, float) else arrays[0] // k).sum(axis=0))

    def test_a_tuple_of_numbers_is_an_array(self):
        self.assertEqual((redhost.prod((2, 3)), redhost.max((1.5, 2.5, 0.5))), (6, 2.5))

    def test_masks(self):
        x = np.arange(24, dtype="f8").reshape(4, 6)
        mask = x % 3 == 1
        self.assertTrue(self.same("max", x, axis=1, where=mask[0], initial=-5))
        self.assertEqual(redhost.sum(x, where="x > 20"), 66)
        self.assertEqual(redhost.sum(np.ma.array(x, mask=~mask)), x[mask].sum())

    def test_the_mean_of_nothing(self):
        self.assertTrue(np.isnan(redhost.mean(np.empty(0))))


if __name__ == "__main__":
    unittest.main()
