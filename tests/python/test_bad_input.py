#!/usr/bin/env python3
"""What cannot be reduced, or not so, gets an exception that says what to do."""
import array
import os
import pickle
import subprocess
import sys
import tempfile
import unittest

import redhost
from with_numpy import np

X = np.arange(6, dtype="f4").reshape(2, 3)


class OnCuda:
    __cuda_array_interface__ = {"shape": (1,), "typestr": "<f4", "data": (16, False), "version": 3}


class OnAnotherDevice:
    def __init__(self, number):
        self.number = number

    def __dlpack_device__(self):
        return self.number, 0

    def __dlpack__(self):
        raise AssertionError("the data must not be asked for")


class Refused(unittest.TestCase):
    def refuses(self, exception, pattern, call, *arguments, **words):
        with self.assertRaisesRegex(exception, pattern):
            call(*arguments, **words)

    def test_what_is_no_number(self):
        for x, pattern in ((np.array([1, None], object), r"Python objects; convert"), (np.array(["a"]), "strings; convert"),
                           (np.array([b"a"]), "byte strings; convert"), (np.array(["2020-01-01"], "M8[D]"), r"x\.view\('i8'\)"),
                           (np.array([1], "m8[s]"), r"x\.view\('i8'\)"), (np.array([1j]), r"x\.real and x\.imag"),
                           (np.zeros(2, "i4,f4"), "one of its fields"), (np.zeros(2, "g"), r"astype\('f8'\)"),
                           ([[1, 2], [3]], "rows of one length"), ("abc", "strings"), (object(), "objects"),
                           (None, "objects"), (memoryview(b"abc").cast("c"), "byte strings"),
                           (OnCuda(), r"CUDA.*copy it to the host"), (OnAnotherDevice(2), r"CUDA.*copy it to the host"),
                           (OnAnotherDevice(8), "copy it to the host")):
            self.refuses(TypeError, pattern, redhost.sum, x)

    def test_axes_and_shapes_as_numpy_says_it(self):
        for words in ({"axis": 2}, {"axis": -3}, {"axis": (0, 0)}, {"axis": 1.5}, {"out": np.zeros(4), "axis": 0},
                      {"out": []}, {"where": np.ones(4, bool)}):
            def message(module):
                with self.assertRaises(Exception) as caught:
                    module.sum(X, **words)
                return caught.exception
            ours, theirs = message(redhost), message(np)
            self.assertTrue(isinstance(ours, (ValueError, TypeError)) and isinstance(theirs, (ValueError, TypeError)), words)
            if "out" not in words and "where" not in words:
                self.assertEqual(str(ours), str(theirs))
        theirs = getattr(np, "exceptions", np).AxisError
        for kind in (IndexError, ValueError, theirs, redhost.AxisError):
            self.refuses(kind, "axis 2 is out of bounds for array of dimension 2", redhost.sum, X, axis=2)
        self.refuses(theirs, "of dimension 0", redhost.sum, 1, axis=1)
        self.assertEqual((redhost.amax(1, axis=0), redhost.sum(3, axis=-1)), (1, 3))
        with self.assertRaises(redhost.AxisError) as caught:
            redhost.sum(X, axis=2)
        self.assertEqual(str(pickle.loads(pickle.dumps(caught.exception))), str(caught.exception))
        self.refuses(ValueError, "could not be broadcast together", redhost.dot, X, X[:, :2])

    def test_words_that_do_not_go_together(self):
        self.refuses(ValueError, "without axis=", redhost.sum, X, axis=0, by=X)
        self.refuses(ValueError, "a label for each element", redhost.sum, X, by=[1, 2])
        self.refuses(ValueError, "do not run backwards; offset 2 is 1, after 3", redhost.sum, X, offsets=[0, 3, 1])
        self.refuses(ValueError, "from 0 to 6", redhost.sum, X, offsets=[0, 7])
        self.refuses(ValueError, "specify 'initial'", redhost.max, X.astype("i4"), where=X > 3)
        self.refuses(ValueError, "accuracy", redhost.sum, X, accuracy="good")
        self.refuses(TypeError, "unexpected keyword argument 'axes'", redhost.sum, X, axes=1)
        self.refuses(TypeError, "array of booleans", redhost.sum, X, where=X)
        self.refuses(TypeError, "'int8', 'int64'", redhost.sum, X, dtype="i8")
        self.refuses(ValueError, "ord None, 1, 2 and inf", redhost.norm, X, 3)
        self.refuses(TypeError, "a Partial is merged", redhost.partial(X).merge, b"")

    def test_each_kind_of_failure_has_its_exception(self):
        for kind, status, pattern, call in (
                (redhost.UsageError, -20, "zero-size|empty", lambda: redhost.min(X[:0])),
                (redhost.UsageError, -20, "operator", lambda: redhost.reduce(X, op="no_such")),
                (redhost.UsageError, -20, "strategy", lambda: redhost.sum(X, strategy="no_such")),
                (redhost.UsageError, -20, "map", lambda: redhost.sum(X, map="x +")),
                (redhost.Declined, 1, "", lambda: redhost.meanvar(X, accuracy="exact")),
                (redhost.DeviceError, -21, "no_such", lambda: redhost.sum(X, device="no_such")),
                (redhost.FileError, -23, "missing", lambda: redhost.partial(X, first=1).value),
                (redhost.FileError, -23, "", lambda: redhost.Partial(b"damaged").value),
                (redhost.NotAssociative, -22, "not associative|not neutral",
                 lambda: redhost.reduce(X, reduce="a - b", identity=0))):
            with self.assertRaisesRegex(kind, pattern) as caught:
                call()
            self.assertEqual(caught.exception.status, status)
            self.assertIsInstance(caught.exception, redhost.Error)
            self.assertNotIn("\n", str(caught.exception))

    def test_a_broken_install_is_one_sentence_with_the_path(self):
        code = "import redhost\ntry: redhost.sum(b'a')\nexcept ImportError as error: print(error)"
        said = subprocess.check_output([sys.executable, "-c", code], env={**os.environ, "REDHOST_PREFIX": "/nowhere"}, text=True)
        self.assertRegex(said, r"^/nowhere/lib/libredhost\.so\.0: .* redhost again, .*\n$")
        done = subprocess.run([sys.executable, "-m", "redhost"], env={**os.environ, "REDHOST_PREFIX": "/nowhere"},
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr.split(":")[1]), (1, " /nowhere/bin/redhost"))

    def test_a_prefix_without_the_package_s_own_library_does_the_same(self):
        with tempfile.TemporaryDirectory() as prefix:
            os.mkdir(os.path.join(prefix, "lib"))
            for name in ("bin", "share", "lib/libredhost.so.0", "lib/redhost-1"):
                os.symlink(os.path.join(os.path.abspath(os.environ["REDHOST_PREFIX"]), name), os.path.join(prefix, name))
            code = ("import numpy, redhost; x = numpy.arange(6.); p = redhost.prepare('sum', 'f8', 9)\n"
                    "print(redhost.sum(x), redhost.argmax(x), redhost.sum(x, by=[2, 1, 1, 0, 2, 2]).values, p(x), p(x))")
            said = subprocess.check_output([sys.executable, "-c", code], env={**os.environ, "REDHOST_PREFIX": prefix}, text=True)
        self.assertEqual(said, "15.0 5 [3. 3. 9.] 15.0 15.0\n")

    def test_what_is_right_after_it(self):
        self.assertEqual(redhost.sum(X), 15)
        self.assertEqual(redhost.sum(array.array("b", [-1, 2])), 1)


if __name__ == "__main__":
    unittest.main()
