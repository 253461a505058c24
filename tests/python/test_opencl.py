#!/usr/bin/env python3
"""PyOpenCL's arrays, in their own queue and without a copy."""
import os
import sys
import threading
import unittest

try:
    import numpy as np
    import pyopencl as cl
    import pyopencl.array as cl_array
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)

import redhost

DEVICE = cl.get_platforms()[0].get_devices()[0]
CONTEXT = cl.Context([DEVICE])
QUEUE = cl.CommandQueue(CONTEXT)
HOST = np.random.default_rng(1).standard_normal(10_000).astype("f4")
X = cl_array.to_device(QUEUE, HOST)


class OnDevice(unittest.TestCase):
    def test_whole_arrays_and_parts(self):
        for op in ("sum", "min", "argmax", "mean", "any"):
            self.assertEqual(getattr(redhost, op)(X), getattr(redhost, op)(HOST), op)
            self.assertEqual(getattr(redhost, op)(X[37:5000]), getattr(redhost, op)(HOST[37:5000]), op)
        self.assertEqual(redhost.dot(X, X), redhost.dot(HOST, HOST))
        for t in (2.0, 3.0):
            self.assertEqual(redhost.sum(X, map="t*x", let={"t": t}), redhost.sum(HOST, map="t*x", let={"t": t}))
        self.assertEqual(redhost.sum(X, keepdims=True).shape, (1,))
        self.assertNotIn(redhost.sum(X, full=True).strategy, ("native", "serial"))

    def test_rows_columns_and_strides(self):
        x, host = X.reshape(100, 100), HOST.reshape(100, 100)
        for cut in (lambda a: a, lambda a: a[::2], lambda a: a[3:40, 5:60:3], lambda a: a[:, 7], lambda a: a[:0]):
            there, here = cut(x), cut(host)
            for op in ("sum", "max", "mean", "var"):
                if here.size:
                    np.testing.assert_allclose(getattr(redhost, op)(there), getattr(np, op)(here), rtol=1e-4, atol=1e-5)
            for axis in range(here.ndim):
                found = redhost.sum(there, axis=axis)
                np.testing.assert_allclose(found, here.sum(axis=axis), rtol=1e-4, atol=1e-4)
        found = redhost.argmax(x, axis=1, keepdims=True, full=True)
        np.testing.assert_array_equal(found.value, host.argmax(axis=1, keepdims=True))
        self.assertNotIn(found.strategy, ("native", "serial"))
        self.assertAlmostEqual(float(redhost.dot(X[::3], X[::3])), float(np.vdot(HOST[::3], HOST[::3])), 2)
        for t in (1.0, 2.0):
            np.testing.assert_allclose(redhost.sum(x, axis=0, map="t*x", let={"t": t}), t * host.sum(axis=0), rtol=1e-4, atol=1e-4)

    def test_the_queue_is_the_order(self):
        y = cl_array.zeros(QUEUE, 1 << 20, np.float32)
        for k in range(1, 6):
            y.fill(np.float32(k))
            self.assertEqual(redhost.sum(y), k << 20)

    def test_threads(self):
        answers = []

        def work():
            for _ in range(10):
                answers.append(redhost.sum(X))
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(answers, [redhost.sum(HOST)] * 40)

    def test_another_queue(self):
        other = cl.CommandQueue(CONTEXT)
        y = cl_array.to_device(other, HOST)
        self.assertEqual(redhost.sum(y), redhost.sum(HOST))
        for call in (lambda: redhost.dot(X, y), lambda: redhost.dot(X, HOST), lambda: redhost.sum(X, where=HOST > 0)):
            with self.assertRaisesRegex(redhost.UsageError, "of one queue"):
                call()

    def test_what_is_refused(self):
        for pattern, call in ((r"forwards.*x\.get\(\)", lambda: redhost.sum(X[::-1])),
                              (r"order.*x\.get\(\)", lambda: redhost.argmax(X.reshape(100, 100).T)),
                              (r"x\.get\(\)", lambda: redhost.sum(X, by=HOST)),
                              (r"x\.get\(\)", lambda: redhost.dot(X[:100], X[::100])),
                              (r"x\.get\(\)", lambda: redhost.sum(X, check=True)),
                              (r"x\.get\(\)", lambda: redhost.sum(X, accuracy="exact")),
                              ("zero-size|empty", lambda: redhost.min(X[:0]))):
            with self.assertRaisesRegex(redhost.UsageError, pattern):
                call()
        with self.assertRaisesRegex(TypeError, "has no queue"):
            redhost.sum(X.with_queue(None))

    def test_a_forked_child_says_that_the_device_is_its_parent_s(self):
        redhost.sum(X)
        child = os.fork()
        if child == 0:
            try:
                redhost.sum(X)
            except redhost.Error:
                os._exit(0 if redhost.sum(HOST) else 2)
            os._exit(1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)


if __name__ == "__main__":
    unittest.main()
