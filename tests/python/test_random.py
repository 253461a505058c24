#!/usr/bin/env python3
"""2000 random cases against NumPy: types, shapes, axes, strides, nothing, no dimension, byte orders, NaN, read-only, masked."""
import os
import random
import sys
import unittest
import warnings

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy")
    sys.exit(77)

import redhost

CASES = int(os.environ.get("REDHOST_TEST_CASES", "2000"))
TYPES = ("?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
OPS = "sum prod min max argmin argmax any all mean var std nansum nanprod nanmin nanmax nanmean nanvar count_nonzero".split()


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


class Random(unittest.TestCase):
    def test_cases(self):
        rng, differing = random.Random(int(os.environ.get("REDHOST_TEST_SEED", "1"))), 0
        warnings.simplefilter("ignore")
        np.set_printoptions(threshold=10)
        for case in range(CASES):
            op, x = rng.choice(OPS), array(rng)
            asked = words(rng, op, x)
            what = f"case {case}: {op} of {x.dtype.str} {x.shape} strides {x.strides} {asked}"
            ours = answer(redhost, {"count_nonzero": "count"}.get(op, op), x, asked)
            half = x.dtype.kind == "f" and x.dtype.itemsize == 2 and op not in ("min", "max", "nanmin", "nanmax")
            theirs = answer(np, op, x.astype("f4") if half else x, asked)
            if isinstance(theirs, type):
                self.assertTrue(isinstance(ours, type) and issubclass(ours, ValueError), what)
                continue
            self.assertFalse(isinstance(ours, type), f"{what}: {ours}")
            self.assertEqual(np.shape(ours), np.shape(theirs), what)
            self.assertEqual(np.asarray(ours).dtype.kind, np.asarray(theirs).dtype.kind, what)
            np.testing.assert_allclose(np.asarray(ours, "f8"), np.asarray(theirs, "f8"), rtol=3e-6, atol=1e-6, err_msg=what)
            differing += 1
        self.assertGreater(differing, CASES // 2)


if __name__ == "__main__":
    unittest.main()
