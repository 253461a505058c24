"""--axis, --length, --segments, --starts with --stops, --by: against NumPy, in every way, and what is refused."""

import json
import os
import random
import resource
import signal
import subprocess
import time
import unittest

import redhost_cli as cli

try:
    import numpy
except ImportError:
    numpy = None  # Debian: python3-numpy

WRONG = os.environ.get("REDHOST_TEST_WRONG", "")
FAULTS = os.environ.get("REDHOST_TEST_FAULT_LIBRARY", "")
PREAD = os.path.join(cli.DRIVERS, "failing_pread.so")
DTYPES = "i1 u1 i2 u2 i4 u4 i8 u8 f2 f4 f8".split()
REDUCE = "argmax argmin max mean min prod sum".split()


def expected(op, x, axis, keepdims=False):
    """In 64 bits, so that nothing is lost on the way."""
    kind = x.dtype.kind
    if op in ("sum", "prod", "mean"):
        x = x.astype({"f": "f8", "i": "i8", "u": "u8"}[kind])
    if op.startswith("arg"):
        axis = axis[0]
    return getattr(numpy, op)(x, axis=axis, keepdims=keepdims)


@unittest.skipIf(numpy is None, "NumPy is not here")
class Arrays(cli.Case):

    def save(self, name, x):
        numpy.save(os.path.join(self.cwd, name), x)

    def load(self, name):
        return numpy.load(os.path.join(self.cwd, name))

    def run_on(self, *words, strategy="native"):
        return self.good("--run", strategy, "-i", "x.npy", *words, quiet=False)

    def reduced(self, *words, strategy="native"):
        self.run_on("-q", "-o", "y.npy", *words, strategy=strategy)
        return self.load("y.npy")

    def assert_close(self, y, e, what):
        self.assertEqual(y.shape, e.shape, what)
        if y.dtype.kind == "f":
            tolerance = 1e-5 * (1 + numpy.abs(e).max(initial=0))
            self.assertTrue(numpy.allclose(y, e, rtol=1e-4, atol=tolerance), what)
        else:
            self.assertTrue(numpy.array_equal(y, e), what)


class Segments(Arrays):
    def test_axes_of_random_shapes(self):
        rng = random.Random(5)
        for trial in range(120 if cli.WHOLE else 44):
            dtype, ndim = DTYPES[trial % len(DTYPES)], rng.randint(1, 4)
            shape = tuple(rng.choice((1, 2, 3, 7, 16, 61 if ndim < 4 else 4, 600 if ndim < 3 else 5)) for _ in range(ndim))
            ints = numpy.random.default_rng(trial).integers(0 if dtype[0] == "u" else -3, 4, shape)
            x = ints.astype(dtype) if dtype[0] != "f" else (ints / 4 + 0.125).astype(dtype)
            order = rng.choice("CF")
            self.save("x.npy", numpy.asarray(x, order=order))
            op = rng.choice(REDUCE)
            axes = tuple(sorted(rng.sample(range(ndim), 1 if op.startswith("arg") else rng.randint(1, ndim))))
            typed = ",".join(str(a - ndim if rng.random() < 0.5 else a) for a in axes)
            keep = rng.random() < 0.3
            y = self.reduced(f"--axis={typed}", "--op", op, *["--keepdims"] * keep)
            self.assert_close(y, expected(op, x, axes, keep), (dtype, shape, axes, op, order, keep))

    def test_results_keep_the_order_of_the_file(self):
        x = numpy.arange(60, dtype="f4").reshape(3, 4, 5)
        for order in "CF":
            self.save("x.npy", numpy.asarray(x, order=order))
            y = self.reduced("--axis", "1")
            self.assertTrue(y.flags[f"{order}_CONTIGUOUS"], order)
            self.assertTrue(numpy.array_equal(y, x.sum(axis=1)))

    def test_nothing(self):
        self.save("x.npy", numpy.zeros((3, 0), "f4"))
        self.assertEqual(self.reduced("--axis", "1").tolist(), [0, 0, 0])
        self.assertEqual(self.reduced("--axis", "0", "--op", "min").shape, (0,))
        self.bad(2, "segment 0 is empty, and min of no elements is undefined", "-i", "x.npy", "--axis", "1", "--op", "min")
        self.save("x.npy", numpy.zeros((0, 1000), "f4"))
        for strategy in ("native", "segments"):
            self.assertEqual(self.run_on("--axis", "1", "-q", strategy=strategy).out, "")

    def test_an_initial_value(self):
        """Other types and operators: python.random."""
        x = numpy.arange(24, dtype="i4").reshape(4, 6)
        self.save("x.npy", x)
        for op, ufunc, initial in (("sum", numpy.add, 3), ("max", numpy.maximum, 7), ("xor", numpy.bitwise_xor, 9)):
            self.assertEqual(self.reduced("--axis", "0", "--op", op, "--initial", str(initial)).tolist(), ufunc.reduce(x, initial=initial).tolist(), op)
        self.save("x.npy", numpy.zeros((0, 3), "i4"))
        self.assertEqual(self.reduced("--axis", "0", "--op", "min", "--initial", "5").tolist(), [5] * 3)
        self.save("x.npy", numpy.array([[-0.0, 0.0, -0.0], [-0.0, -0.0, numpy.nan]], "f4"))
        for op, initial, expected in (("min", "nan", ["nan"] * 3), ("max", "nan", ["nan"] * 3), ("max", "0", ["0", "0", "nan"]), ("max", "-0.0", ["-0", "0", "nan"])):
            self.assertEqual(self.run_on("--axis", "0", "--op", op, "--initial", initial, "-q").out.split(), expected, (op, initial))

    def test_a_pipe(self):
        """It is read to its end, also where a stream would begin."""
        for n in (1 << 20, 300 << 20):
            words = ["--run", "native", "-i", "-", "-t", "u8", "--length", str(n // 4), "-q", "-o", "pipe.npy"]
            child = self.start(*words, stdin=subprocess.PIPE, stdout=None, stderr=None)
            for k in range(4):
                child.stdin.write(bytes([k]) * (n // 4))
            child.stdin.close()
            self.assertEqual(child.wait(), 0)
            self.assertEqual(self.load("pipe.npy").tolist(), [k * (n // 4) for k in range(4)])

    def test_lengths(self):
        self.save("x.npy", numpy.arange(12, dtype="i4"))
        self.assertEqual(self.reduced("--length", "4").tolist(), [6, 22, 38])
        self.bad(2, "elements, not a multiple of that", "-i", "x.npy", "--length", "5")
        self.bad(2, "a segment has one element at least", "-i", "x.npy", "--length", "0")
        self.good("-i", "x.npy", "--length", "6", "-q", "-o", "./a=b.npy")
        self.assertEqual(self.load("a=b.npy").tolist(), [15, 51])
        x = numpy.arange(12, dtype="f8")
        x.tofile(self.path("raw"))
        out = self.good("-i", "raw", "-t", "f64", "--length", "6", "-q", quiet=False).out
        self.assertEqual(out.split(), ["15", "51"])
        self.good("-n", "2^20", "--length", "2^10", "--run", "native", quiet=False)

    def test_offsets(self):
        x = numpy.random.default_rng(2).integers(-9, 9, 1000)
        self.save("x.npy", x)
        o = numpy.array([0, 0, 1, 10, 10, 700, 1000])
        for dtype in ("i4", "u4", "i8", "u8"):
            self.save("o.npy", o.astype(dtype))
            y = self.reduced("--segments", "o.npy")
            self.assertEqual(y.tolist(), [int(x[a:b].sum()) for a, b in zip(o, o[1:])])
        starts, stops = numpy.array([500, 3, 0, 7]), numpy.array([1000, 600, 1000, 7])
        self.save("a.npy", starts)
        self.save("b.npy", stops)
        y = self.reduced("--starts", "a.npy", "--stops", "b.npy", "--op", "sum")
        self.assertEqual(y.tolist(), [int(x[a:b].sum()) for a, b in zip(starts, stops)])
        y = self.reduced("--segments", "o.npy", "--op", "xor")
        self.assertEqual(y.tolist(), [int(numpy.bitwise_xor.reduce(x[a:b])) for a, b in zip(o, o[1:])])

    def test_no_index_is_minus_one(self):
        """Alone, and as one of several results."""
        self.save("x.npy", numpy.arange(6, dtype="i4").reshape(2, 3))
        for op, read in (("argmax", lambda y: y), ("argmax,sum", lambda y: y["argmax"])):
            for where, index in (("x > 9", -1), ("x > 0", 1)):
                y = read(self.reduced("--axis", "0", "--op", op, "--where", where))
                self.assertEqual((y.dtype, y.tolist()), (numpy.dtype("i8"), [index] * 3), (op, where))

    def test_more_results_than_memory(self):
        """No other strategy is tried."""
        with open(self.path("x.npy"), "wb") as file:
            numpy.lib.format.write_array_header_1_0(file, {"descr": "<f4", "fortran_order": False, "shape": (0, 1 << 50)})
        self.bad(5, "no memory for", "-i", "x.npy", "--axis", "0")

    def test_users_operators(self):
        x = numpy.random.default_rng(4).standard_normal((50, 40))
        self.save("x.npy", x)
        self.save("w.npy", x[::-1].copy())
        for strategy in ("native", "onepass"):
            y = self.reduced("--axis", "0", "--map", "x*x+n", "--where", "x > 0", strategy=strategy)
            self.assert_close(y, numpy.where(x > 0, x * x + 50, 0).sum(axis=0), strategy)
            z = self.reduced("--axis", "1", "--op", "meanvar", strategy=strategy)
            self.assert_close(z["mean"], x.mean(axis=1), strategy)
            self.assert_close(z["variance"], x.var(axis=1), strategy)
            self.good("--run", strategy, "-i", "x.npy,w.npy", "--axis", "0", "--op", "dot", "-q", "-o", "d.npy", quiet=False)
            self.assert_close(self.load("d.npy"), (x * x[::-1]).sum(axis=0), strategy)
            self.run_on("-q", "--axis=-1", "--op", "min,max,argmin", "-o", "min=least.npy", "-o", "all.npy", strategy=strategy)
            self.assert_close(self.load("least.npy"), x.min(axis=1), strategy)
            self.assertEqual(self.load("all.npy")["argmin"].tolist(), x.argmin(axis=1).tolist())
        self.bad(2, "the results are mean, variance", "-i", "x.npy", "--axis", "0", "--op", "meanvar", "-o", "median=a.npy")

    def test_labels(self):
        self.save("x.npy", numpy.arange(8, dtype="f4"))
        self.save("l.npy", numpy.array([7, 7, 7, -2, 5, 5, 9, 9], "i2"))
        y = self.reduced("--by", "l.npy")
        self.assertEqual(y["label"].tolist(), [7, -2, 5, 9])
        self.assertEqual(y["sum"].tolist(), [3, 3, 9, 13])
        result = self.json("-i", "x.npy", "--by", "l.npy")["results"][0]
        self.assertEqual((result["labels"], result["values"]), (["7", "-2", "5", "9"], ["3", "3", "9", "13"]))
        self.save("l.npy", numpy.array([7, 7, 7, -2, 5, 5, 7, 7], "i2"))
        self.bad(2, "the label of element 0 comes back at element 6, after others; sort", "-i", "x.npy", "--by", "l.npy")
        self.save("l.npy", numpy.arange(7))
        self.bad(2, "l.npy has 7 labels, and x.npy 8 elements", "-i", "x.npy", "--by", "l.npy")
        self.save("x.npy", numpy.zeros(0, "f4"))
        self.save("l.npy", numpy.zeros(0, "i2"))
        y = self.reduced("--by", "l.npy")
        self.assertEqual((y.dtype.names, y.shape), (("label", "sum"), (0,)))
        self.assertEqual(self.json("-i", "x.npy", "--by", "l.npy")["results"][0]["labels"], [])

    def test_labels_are_equal_by_value(self):
        """Both zeros are one label, and all that are not a number; of a table, labels stand as its elements do."""
        for dtype, bits in (("f2", "u2"), ("f4", "u4"), ("f8", "u8")):
            labels = numpy.array([0.0, -0.0, 1, numpy.nan, numpy.nan, 7], dtype)
            labels.view(bits)[4] += 1  # another NaN
            self.save("x.npy", numpy.arange(6, dtype="f4"))
            self.save("l.npy", labels)
            self.assertEqual(self.reduced("--by", "l.npy")["sum"].tolist(), [1, 2, 7, 5], dtype)
            self.save("l.npy", numpy.array([0.0, 1, 1, -0.0, 2, 2], dtype))
            self.bad(2, "the label of element 0 comes back at element 3", "-i", "x.npy", "--by", "l.npy")
        x, rows = numpy.arange(12, dtype="f4").reshape(3, 4), numpy.repeat([[5], [6], [7]], 4, axis=1)
        self.save("x.npy", x)
        self.save("l.npy", rows)
        self.assertEqual(self.reduced("--by", "l.npy")["sum"].tolist(), x.sum(axis=1).tolist())
        self.save("l.npy", numpy.asfortranarray(rows))
        self.bad(2, "x.npy is stored in C order, and l.npy in Fortran order|labels need the same order", "-i", "x.npy", "--by", "l.npy")
        self.save("l.npy", numpy.zeros((4, 3), "i4"))
        self.bad(2, "labels need the same shape, or one dimension", "-i", "x.npy", "--by", "l.npy")
        for labels in (numpy.array(list("aabbccddeeff")), numpy.zeros(12, "c8"), numpy.zeros(12, "M8[D]"), numpy.zeros(12, [("a", "i4")])):
            self.save("l.npy", labels)
            self.bad(6, "not supported", "-i", "x.npy", "--by", "l.npy")

    # ---- Files of results ----

    def results_stay(self, status, message, *words, old=b"old", name="y.npy", **how):
        """Refused before anything runs; what was there is as it was, and nothing else came."""
        self.write(name, old)
        before = sorted(os.listdir(self.cwd))
        self.bad(status, message, "-i", "x.npy", *words, "-o", name, **how)
        self.assertEqual(cli.read(self.path(name)), old)
        self.assertEqual(sorted(os.listdir(self.cwd)), before)

    def test_a_file_that_is_read_is_no_result(self):
        x, offsets = numpy.ones(12, "f4"), numpy.array([0, 5, 12])
        for name in ("x.npy", "w.npy"):
            self.save(name, x)
        for name in ("o.npy", "p.npy", "l.npy"):
            self.save(name, offsets if name != "l.npy" else numpy.zeros(12, "i4"))
        os.symlink("x.npy", self.path("link.npy"))
        os.link(self.path("o.npy"), self.path("hard.npy"))
        for name, *words in (("x.npy", "--length", "4"), ("link.npy", "--length", "4"), ("./x.npy", "--length", "4"), ("o.npy", "--segments", "o.npy"),
                             ("hard.npy", "--segments", "o.npy"), ("p.npy", "--starts", "o.npy", "--stops", "p.npy"), ("l.npy", "--by", "l.npy"),
                             ("w.npy", "-i", "x.npy,w.npy", "--op", "dot", "--length", "3")):
            before = cli.read(self.path(name))
            self.bad(2, "is a file that is read", *(() if "-i" in words else ("-i", "x.npy")), *words, "-o", name)
            self.assertEqual(cli.read(self.path(name)), before, name)

    def test_two_results_of_one_file(self):
        self.save("x.npy", numpy.ones((3, 4)))
        self.write("there.npy", b"old")
        os.link(self.path("there.npy"), self.path("there2.npy"))
        for one, other in (("mean=two.npy", "variance=two.npy"), ("two.npy", "./two.npy"), ("mean=two.npy", "../work/two.npy"), ("there.npy", "there2.npy")):
            self.bad(2, "the file of --output", "-i", "x.npy", "--axis", "0", "--op", "meanvar", "-o", one, "-o", other)
            self.assertFalse(os.path.exists(self.path("two.npy")))
        for name in ("", "mean=", "-"):
            self.bad(2, "--output", "-i", "x.npy", "--axis", "0", "--op", "meanvar", "-o", name)
        self.good("--run", "native", "-i", "x.npy", "--axis", "0", "-o", "n" * 255, quiet=False)

    def test_no_room_for_results(self):
        self.save("x.npy", numpy.ones((40000, 2), "f4"))
        self.results_stay(6, "y.npy: the results take 160128 bytes: File too large", "--axis", "1",
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100000, 100000)))

    def test_a_full_disk(self):
        """In a file system of 100 KiB; also for a file of two names, which is overwritten where it is."""
        self.save("x.npy", numpy.ones((40000, 2), "f4"))
        script = ("mkdir -p disk && mount -t tmpfs -o size=100k none disk || exit 77\ncd disk\nprintf old >y.npy; printf old >a; ln a b\n"
                  "for name in new.npy y.npy a; do \"$0\" --run native -i ../x.npy --axis 1 -o $name; echo $?; done\n"
                  "printf '%s ' * $(cat y.npy a b)")
        done = subprocess.run(["unshare", "-Urm", "sh", "-c", script, cli.REDHOST], cwd=self.cwd, env=self.env, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=False)
        if done.returncode in (1, 77) and "No space" not in done.stderr:
            self.skipTest("file systems cannot be mounted here")
        self.assertEqual(done.stdout.split(), ["6", "6", "6", "a", "b", "y.npy", "oldoldold"], done.stderr)
        self.assertEqual(done.stderr.count("the results take 160128 bytes: No space left on device"), 3, done.stderr)

    def test_killed_while_it_writes(self):
        """The old file or the new one, and nothing beside it."""
        self.save("x.npy", numpy.ones((1 << 19, 2), "f4"))
        for trial in range(12):
            self.write("k.npy", b"old")
            before = sorted(os.listdir(self.cwd))
            child = self.start("--run", "native", "-i", "x.npy", "--axis", "1", "-o", "k.npy", "-q", stderr=None)
            if trial % 2:
                child.stdout.read(1)  # what is printed comes at the end
            time.sleep(0.002 * trial)
            child.send_signal((signal.SIGKILL, signal.SIGINT, signal.SIGTERM)[trial % 3])
            child.stdout.close()
            child.wait()
            self.assertIn(os.path.getsize(self.path("k.npy")), (3, 128 + (4 << 19)))
            self.assertEqual(sorted(os.listdir(self.cwd)), before)

    def test_what_is_printed(self):
        self.save("x.npy", numpy.arange(3000, dtype="f4").reshape(30, 100))
        out = self.run_on("--axis", "1").out
        for words in ("segments   30 along axis 1 of (30, 100)   one run for all", "29   294950", "...", "check      30 segments"):
            self.assertIn(words, out)
        self.assertIn("one run for each, on a copy that has them in rows", self.run_on("--axis", "0", strategy="onepass").out)
        result = self.json("--run", "native", "-i", "x.npy", "--axis", "0")["results"][0]
        self.assertEqual((result["shape"], len(result["values"]), result["check"]["outcome"]), ([100], 100, "ok"))
        self.assertIn("skipped", self.run_on("--axis", "0", "--no-check").out)

    def test_results_of_one_name(self):
        self.save("x.npy", numpy.arange(10, dtype="i4"))
        result = self.json("--run", "native", "-i", "x.npy", "--length", "5", "--map", "x, x*x, x+1")["results"][0]
        self.assertEqual(result["values"], [{"sum": "10", "sum_1": "30", "sum_2": "15"}, {"sum": "35", "sum_1": "255", "sum_2": "40"}])
        self.assertEqual(self.reduced("--length", "5", "--op", "min,max,min", "-o", "min_1=z.npy").dtype.names, ("min", "max", "min_1"))
        self.save("label.npy", numpy.repeat([1.5, 2], 5))
        self.assertEqual(self.reduced("--by", "label.npy", "--map", "x", "--finalize", "label=a").dtype.names, ("labels", "label"))

    def test_no_axis_is_all_of_them(self):
        self.save("x.npy", numpy.ones((3, 4, 5)))
        self.assertIn("of x.npy, over all 3 axes of (3, 4, 5)", self.run_on().out)
        self.save("x.npy", numpy.ones(60))
        self.assertNotIn("axes", self.run_on().out)

    def test_a_wrong_segment(self):
        self.save("x.npy", numpy.arange(4012, dtype="i4").reshape(4, 1003))
        plugin = os.path.join(WRONG, "drops_last.so")
        run = self.bad(1, "wrong result: segment 0: 'drops_last' returned", "--run", "drops_last", "--plugin", plugin, "-i", "x.npy",
                       "--axis", "1", "-o", "y.npy", "--isolate=never")
        self.assertFalse(os.path.exists(self.path("y.npy")), run)
        self.bad(2, "would run in another one; --isolate=never", "--run", "drops_last", "--plugin", plugin, "-i", "x.npy", "--axis", "1")

    def test_what_is_refused(self):
        self.save("x.npy", numpy.zeros((3, 4), "f4"))
        self.save("float.npy", numpy.zeros(3))
        self.save("back.npy", numpy.array([0, 5, 3]))
        self.save("beyond.npy", numpy.array([0, 13]))
        self.save("below.npy", numpy.array([-1, 3]))
        self.save("none.npy", numpy.array([], "i8"))
        self.save("two.npy", numpy.array([0, 1]))
        numpy.zeros(4, "f4").tofile(self.path("raw"))
        for status, message, *words in (
                (2, "expected numbers from -2 to 1", "--axis", "2"), (2, "expected numbers", "--axis", "one"),
                (2, "axis 1 is named twice", "--axis", "1,-1"), (2, "each says alone", "--axis", "0", "--length", "2"),
                (2, "--starts goes with --stops", "--starts", "two.npy"), (2, "--keepdims goes with --axis", "--keepdims"),
                (2, "--output goes with --axis, --length, --segments, --starts or --by: it writes the results of segments", "-o", "y.npy"), (2, "not one for each segment", "--length", "3", "--partial", "p"),
                (6, "offsets are one-dimensional, of type", "--segments", "float.npy"),
                (2, "back.npy: segment 1 ends before it begins: elements 5 to 3", "--segments", "back.npy"),
                (2, "beyond.npy: segment 0 ends at element 13, beyond", "--segments", "beyond.npy"),
                (2, "offset 0 is -1", "--segments", "below.npy"), (6, "n segments have n + 1 offsets", "--segments", "none.npy"),
                (6, "two.npy has 2 segments, and back.npy 3", "--starts", "two.npy", "--stops", "back.npy"),
                (6, "No such file", "--segments", "missing.npy"), (6, "No such file", "--axis", "0", "-o", "missing/y.npy"), (2, "the file has no name", "--axis", "0", "-o", ""),
                (2, "results are written as .npy; --json", "--axis", "0", "-o", "y.csv")):
            with self.subTest(words=words):
                self.bad(status, message, "-i", "x.npy", *words)
        self.save("x.npy", numpy.float32(5))
        self.bad(2, "the array is one number", "-i", "x.npy", "--axis", "0")
        self.bad(2, "raw data have none; --length", "-i", "raw", "-t", "f32", "--axis", "0")
        self.bad(2, "generated data have one dimension", "--run", "native", "--axis", "0")
        self.bad(2, "labels are those of a file's elements", "--run", "native", "--by", "two.npy")


MATRIX = {"redhost": "operator/1", "name": "matrix", "summary": "products of matrices", "operands": ["x"],
          "value": {"p": "f64", "q": "f64", "r": "f64"}, "load": ["1", "x", "x < 50 ? -1.0 : 1.0"], "identity": ["1", "0", "1"],
          "combine": ["a.p*b.p", "a.p*b.q + a.q*b.r", "a.r*b.r"], "claims": ["associative"]}
OPERATORS = [("--op", op) for op in "sum prod min max argmin argmax mean meanvar asum xor".split()] + [
    ("--op", "matrix.op.json"), ("--map", "x*i+n"), ("--map", "x-i", "--op", "argmin"), ("--where", "x > 1", "--initial", "3")]
TWO = {"POCL_DEVICES": "pthread pthread"}


class Ways(Arrays):
    """Streams, ranks and devices give the bits that the memory gives."""

    def layout(self, rng, shape, may_be_empty):
        n, kind = int(numpy.prod(shape)), rng.choice(("axis", "axis", "length", "segments", "starts"))
        if kind == "axis":
            return kind, ["--axis", ",".join(map(str, rng.sample(range(len(shape)), rng.randint(1, len(shape)))))]
        if kind == "length":
            return kind, ["--length", str(rng.choice([d for d in range(1, n + 1) if n % d == 0]))]
        if kind == "segments":
            cuts = sorted(rng.randint(0, n) for _ in range(rng.randint(2, 40)))
            self.save("o.npy", numpy.array(cuts if may_be_empty else sorted({0, n, *cuts})))
            return kind, ["--segments", "o.npy"]
        starts = [rng.randrange(n) for _ in range(rng.randint(1, 40))]
        self.save("a.npy", numpy.array(starts))
        self.save("b.npy", numpy.array([rng.randint(a + (not may_be_empty), n) for a in starts]))
        return kind, ["--starts", "a.npy", "--stops", "b.npy"]

    def bits(self, *words, **how):
        done = self.redhost("--run", "native", "-q", "-o", "y.npy", *words, **how)
        if done.code:
            self.assertEqual(done.code, 2, done)
            return done.err
        return cli.read(self.path("y.npy"))

    def test_random_segments_of_random_shapes(self):
        self.write("matrix.op.json", json.dumps(MATRIX))
        rng = random.Random(8)
        for trial in range(200 if cli.WHOLE else 34):
            dtype, ndim, how = DTYPES[trial % len(DTYPES)], rng.randint(1, 4), OPERATORS[trial % len(OPERATORS)]
            if "xor" in how and dtype[0] == "f":
                how = ("--op", "sum")
            shape = tuple(rng.choice((1, 2, 3, 16, 5000 if ndim == 1 else 700 if ndim == 2 else 40)) for _ in range(ndim))
            made = numpy.random.default_rng(trial)
            x = made.standard_normal(shape) if dtype[0] == "f" else made.integers(0, 100, shape)
            self.save("x.npy", numpy.asarray(x.astype(dtype), order=rng.choice("CF")))
            kind, words = self.layout(rng, shape, how[-1] not in "min max argmin argmax".split())
            expected = self.bits("-i", "x.npy", *how, *words)
            chunk = f"--stream={rng.choice((64, 1000, 4096, 20000))}"
            for way in ((chunk,), ("--ranks=2",), ("--ranks=3", chunk)):
                self.assertEqual(self.bits("-i", "x.npy", *how, *words, *way), expected, (shape, dtype, how, words, way))
            streamed = self.bits("-i", "-", *how, *words, chunk, input=cli.read(self.path("x.npy")))
            if isinstance(streamed, str) and kind in ("axis", "starts") and streamed != expected:
                self.assertIn("a pipe is read once; write it to a file", streamed)
            else:
                self.assertEqual(streamed, expected, (shape, dtype, how, words, "a pipe", chunk))

    def test_several_devices(self):
        self.save("x.npy", numpy.random.default_rng(1).standard_normal((1000, 70)).astype("f4"))
        self.save("o.npy", numpy.array([0, 3, 3, 9, 60000, 70000]))
        for words in (("--axis", "0"), ("--axis", "1"), ("--segments", "o.npy"), ("--axis", "0", "--stream=4KiB"), ("--length", "70000")):
            alone = self.good("-i", "x.npy", "--run", "native", "-q", *words, quiet=False).out
            for strategy in ("segments", "onepass"):
                shared = self.good("-i", "x.npy", "--run", strategy, "-q", *words, "-d", "all", env=TWO, quiet=False).out
                self.assertEqual(shared, alone, (words, strategy))
        result = self.json("-i", "x.npy", "--run", "segments", "--axis", "1", "-d", "all", env=TWO)["results"][0]
        self.assertEqual((result["devices"], result["check"]["segments"]), (2, 1000))

    def test_an_operator_of_devices_alone(self):
        """It is evaluated on one device, whatever the others do."""
        self.good("--new-operator", "mine.cl", quiet=False)
        self.save("x.npy", numpy.arange(12, dtype="f4").reshape(3, 4))
        self.good("-i", "x.npy", "--axis", "1", "--op", "./mine.op.json", "-q", "-o", "y.npy", quiet=False)
        self.assertEqual(self.load("y.npy")["far"].tolist(), [3, 7, 11])
        self.save("x.npy", numpy.random.default_rng(1).standard_normal((3000, 5)).astype("f4"))
        words = ("-i", "x.npy", "--axis", "0", "--op", "./mine.op.json", "-q")
        alone = self.good(*words, quiet=False).out
        for way, devices in (("--stream=4KiB", "pthread"), ("--ranks=2", "pthread"), ("-dall", "pthread pthread"), ("-dall", "pthread pthread")):
            done = self.good(*words, way, env={"POCL_DEVICES": devices}, quiet=False, timeout=cli.PROMPT)
            self.assertEqual(done.out, alone, (way, devices))

    def test_generated_data(self):
        words = ("--run", "native", "-n", "300000", "--length", "100000", "-q")
        alone = self.good(*words, quiet=False).out
        for way in (("--stream",), ("--stream=64KiB",), ("--ranks=3",)):
            self.assertEqual(self.good(*words, *way, quiet=False).out, alone, way)

    def test_labels(self):
        self.save("x.npy", numpy.arange(8000, dtype="f4"))
        self.save("l.npy", numpy.repeat(numpy.array([7, -2, 5, 9], "i2"), (3, 1, 7000, 996)))
        expected = self.json("-i", "x.npy", "--run", "native", "--by", "l.npy")["results"][0]
        for way in ("--stream=2KiB", "--ranks=2"):
            result = self.json("-i", "x.npy", "--run", "native", "--by", "l.npy", way)["results"][0]
            self.assertEqual([result[k] for k in ("labels", "values")], [expected[k] for k in ("labels", "values")], way)

    def test_a_wrong_segment(self):
        self.save("x.npy", numpy.arange(4012, dtype="i4").reshape(4, 1003))
        words = ("--run", "drops_last", "--plugin", os.path.join(WRONG, "drops_last.so"), "-i", "x.npy", "--axis", "1", "-o", "y.npy")
        for way in (("--stream=4KiB",), ("--ranks=2", "--stream=4KiB"), ("--ranks=3",)):
            self.bad(1, "wrong result: segment|'drops_last' returned", *words, *way, "--isolate=never")
            self.bad(4 if len(way) == 1 and "--stream" in way[0] else 2, "--isolate=never", *words, *way)

    def test_some_are_checked(self):
        self.save("x.npy", numpy.ones((5000, 100), "f4"))
        self.assertRegex(self.run_on("--axis", "1", "--stream=4KiB", "--check=sampled").out, r"check      \d{3} of 5000 segments.* ok\n")

    @cli.needs(PREAD)
    def test_a_file_that_is_cut(self):
        env = {**cli.preloaded("failing_pread.so"), "REDHOST_TEST_PREAD_OF": ".npy", "REDHOST_TEST_PREAD_CUTS": "1"}
        for words in (("--axis", "0", "--stream=8KiB"), ("--axis", "0,2", "--stream=8KiB"), ("--axis", "2", "--ranks=2"),
                      ("--axis", "1", "--stream", "--check=none")):
            self.save("x.npy", numpy.ones((100, 30, 40), "f4"))
            self.bad(6, "x.npy|was cut short", "--run", "native", "-i", "x.npy", "-q", *words, env={**env, "REDHOST_TEST_MAP_AT": "99000"})

    @cli.needs(FAULTS)
    def test_a_device_that_fails(self):
        self.save("x.npy", numpy.random.default_rng(1).standard_normal((5000, 40)).astype("f4"))
        words = ("--run", "segments", "-i", "x.npy", "--axis", "1", "-d", "all", "-o", "y.npy")
        fault = {**TWO, "LD_PRELOAD": FAULTS, "REDHOST_FAULT_IN": "-"}
        self.good(*words, quiet=False, env=TWO)
        alone = self.load("y.npy").tobytes()
        for k in (1, 2):
            done = self.good(*words, quiet=False, env={**fault, "REDHOST_FAULT": f"clEnqueueNDRangeKernel:{k}:1"})
            self.assertRegex(done.err, r"\Aredhost: device 0:\d (failed, and the others took its parts|is left out): .*\n\Z")
            self.assertEqual(self.load("y.npy").tobytes(), alone)
        self.bad(5, "CL_OUT_OF_RESOURCES", *words, env={**fault, "REDHOST_FAULT": "clEnqueueNDRangeKernel:2:0"})

    def test_a_pipe_that_stalls_is_interrupted(self):
        words = ("--run", "native", "-i", "-", "--axis", "0", "--stream=4KiB", "-q")
        self.save("x.npy", numpy.ones((5000, 40), "f4"))
        with open(self.path("x.npy"), "rb") as file:
            begin = file.read(100000)
        child = self.start(*words, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        child.stdin.write(begin)
        child.stdin.flush()
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        child.wait(timeout=cli.PROMPT)
        self.assertEqual((child.returncode, child.stdout.read()), (130, b""))

    def test_what_is_printed(self):
        self.save("x.npy", numpy.arange(3000, dtype="f4").reshape(30, 100))
        out = self.run_on("--axis", "1", "--ranks", "3", "--stream=4000").out
        for words in ("on the host  by 3 ranks", "parts      3", "check      30 segments"):
            self.assertIn(words, out)
        result = self.json("--run", "native", "-i", "x.npy", "--axis", "0", "--stream=4000")["results"][0]
        self.assertEqual((result["parts"], result["check"]["segments"]), (2, 100))

    def test_what_is_refused(self):
        self.save("x.npy", numpy.zeros((3, 4, 5), "f4"))
        pipe = cli.read(self.path("x.npy"))
        self.bad(2, "axes that are not neighbours need more than one pass", "-i", "-", "--axis", "0,2", "--stream", input=pipe)
        self.bad(2, "standard input", "-i", "-", "--axis", "0", "--ranks", "2", input=pipe)
        self.bad(2, "pipe them in as .npy", "-i", "-", "-t", "f32", "--length", "4", "--stream", input=bytes(32))
        self.bad(2, "the array has the shape (3, 4, 5)", "-i", "x.npy", "--axis", "3", "--ranks", "2")
        self.bad(6, "No such file", "-i", "x.npy", "--axis", "0", "--ranks", "2", "-o", "missing/y.npy")
        self.bad(6, "is the copy complete", "-i", "-", "--axis", "0", "--stream", input=pipe[:-7])
