"""Maps, several operands and several operators from the command line, against NumPy or Python."""

import itertools
import json
import math
import os
import re
import struct
import unittest

import redhost_cli as cli

try:
    import numpy as np
except ImportError as reason:
    np = None
    WHY = "NumPy is not here (Debian: python3-numpy): %s" % reason

STRATEGIES = ("serial", "native", "onepass", "two_stage", "cascade", "auto")


@unittest.skipIf(np is None, "" if np else WHY)
class Operators(cli.Case):

    uses_programs_once = True

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(7)
        self.x = random.standard_normal(5003).astype("f4")
        self.w = random.random(5003)
        self.k = random.integers(-100, 100, 5003, dtype="i4")
        for name in ("x", "w", "k"):
            np.save(self.path(name + ".npy"), getattr(self, name))

    def reduce(self, strategy, *args):
        (result,) = self.json("--run", strategy, *args)["results"]
        self.assertEqual(result["status"], "ok")
        return result

    def check_values(self, strategies, cases):
        for strategy, (args, wanted) in itertools.product(strategies, cases):
            with self.subTest(strategy=strategy, args=args):
                self.assertEqual(float(self.value("--run", strategy, *args)), float(wanted))

    def test_maps(self):
        x, k = self.x, self.k
        cases = [
            (["-i", "x.npy", "--map", "x > t", "--let", "t=0.5"], int((x > 0.5).sum())),
            (["-i", "x.npy", "--map", "x*x", "--op", "max"], float((x * x).max())),
            (["-i", "k.npy", "--map", "k % 7 == 0 ? k : 0"], int(k[np.fmod(k, 7) == 0].sum())),
            (["-i", "x.npy,k.npy", "--map", "fabs(x - k)", "--op", "argmax"], int(np.abs(x - k.astype("f4")).argmax())),
            (["-i", "k.npy", "--map", "k > 50 ? i : 0", "--op", "max"], int(np.flatnonzero(k > 50).max())),
            (["-i", "k.npy", "--reduce", "a > b ? a : b", "--identity", "-2147483648", "--commutes"], int(k.max())),
            (["-i", "k.npy", "--reduce", "b == 0 ? a : b", "--identity", "0", "--map", "k > 90 ? k : 0"], int(k[k > 90][-1])),
        ]
        self.check_values(("serial", "native", "two_stage_ordered", "auto"), cases)

    def test_every_operator_over_a_map(self):
        """The map is applied once, also where an operator's tiles load elements themselves."""
        x, k = self.x, self.k
        y = x.astype("f8") / 100 + 1
        self.assertAlmostEqual(float(self.reduce("native", "-i", "x.npy", "--map", "(f64)x/100 + 1", "--op", "prod")["value"]) / y.prod(), 1, delta=1e-9)
        self.assertAlmostEqual(float(self.reduce("native", "-i", "x.npy,k.npy", "--map", "1 + x/100 + 0*k", "--op", "prod")["value"]) / y.prod(), 1,
                               delta=1e-3)
        for strategy in ("native", "serial"):
            for op in ("sum", "prod", "min", "max", "asum", "amax", "argmin", "argmax", "argamax"):
                for map in ("x + 1", "k*3 - 1", "x + k"):
                    self.reduce(strategy, "-i", "x.npy,k.npy" if "x + k" == map else "%s.npy" % map[0], "--map", map, "--op", op)

    def test_count(self):
        """n in maps and conditions: the number of elements, which is no literal of the program."""
        x, k = self.x, self.k
        self.check_values(("serial", "native", "onepass"), (
            (["-i", "k.npy", "--map", "2*i < n ? k : 0"], int(k[:2502].sum())), (["-i", "k.npy", "--map", "k == 0 ? n : 0", "--op", "max"], 5003),
            (["-i", "k.npy", "--where", "i + 3 >= n"], int(k[-3:].sum())), (["-i", "x.npy", "--map", "n - 1 - i + 0*(u64)x", "--op", "argmin"], 5002)))

    def test_masks(self):
        """An element whose condition is false contributes the identity."""
        x, k, w = self.x, self.k, self.w
        mask = np.random.default_rng(3).random(5003) < 0.3
        np.save(self.path("m.npy"), mask.astype("u1"))
        cases = [
            (["-i", "k.npy", "--where", "k % 7 == 0"], int(k[np.fmod(k, 7) == 0].sum())),
            (["-i", "k.npy,m.npy", "--where", "m", "--op", "min"], int(k[mask].min())),
            (["-i", "k.npy,m.npy", "--where", "m", "--op", "and"], int(np.bitwise_and.reduce(k[mask]))),
            (["-i", "k.npy,m.npy", "--where", "m && k > 98", "--op", "prod"], int(np.multiply.reduce(k[mask & (k > 98)].astype("i8")))),
            (["-i", "x.npy,m.npy", "--where", "m", "--op", "max"], float(x[mask].max())),
            (["-i", "x.npy,m.npy", "--where", "m", "--op", "amax"], float(abs(x[mask]).max())),
            (["-i", "x.npy,m.npy", "--where", "m", "--op", "argmax"], int(np.flatnonzero(mask)[x[mask].argmax()])),
            (["-i", "x.npy", "--where", "x > 1000", "--op", "argmax"], 2.0 ** 64 - 1),
            (["-i", "k.npy", "--where", "k > 1000"], 0),
        ]
        self.check_values(("serial", "native", "onepass"), cases)
        for strategy in ("serial", "native", "onepass"):
            for words in ((), ("--op", "sum,asum"), ("--stream",), ("--ranks", "2")):
                self.assertNotIn("-0", self.redhost("--run", strategy, "-i", "x.npy", "--where", "x > 1000", *words, "-q").out)
            result = self.reduce(strategy, "-i", "x.npy,m.npy", "--where", "m", "--op", "meanvar")
            fields = result["fields"]
            self.assertAlmostEqual(float(fields["mean"]), float(x[mask].mean(dtype="f8")), delta=1e-9)
            self.assertAlmostEqual(float(fields["variance"]), float(x[mask].var(dtype="f8")), delta=1e-9)
            result = self.reduce(strategy, "-i", "w.npy,m.npy", "--map", "w*w", "--where", "m")
            self.assertAlmostEqual(float(result["value"]), math.fsum((w * w)[mask]), delta=1e-9)

    def test_masks_that_count(self):
        """n in finalize is the number of elements that the condition leaves in; in maps it is that of all."""
        x, w = self.x.astype("f8"), self.w
        chosen = x[x > 0.25]
        cases = [(["--op", "mean"], [chosen.mean()]), (["--op", "rms"], [math.sqrt((chosen**2).mean())]),
                 (["--map", "x, x*x", "--finalize", "a.0/n, a.1/n, n"], [chosen.mean(), (chosen**2).mean(), len(chosen)]),
                 (["--finalize", "s = a/n"], [chosen.mean()]), (["--map", "0*x + n", "--op", "max", "--finalize", "a, n"], [5003, len(chosen)]),
                 (["--reduce", "a + b", "--identity", "0", "--commutes", "--finalize", "a/n"], [chosen.mean()]),
                 (["--op", "argmax", "--finalize", "a, n"], [x.argmax(), len(chosen)]),
                 (["--op", "prod", "--map", "(i32)(x > 9)", "--finalize", "n"], [len(chosen)])]
        for strategy, *how in (("native",), ("serial",), ("onepass",), ("native", "--stream=2KiB"), ("native", "--ranks", "3")):
            for args, wanted in cases:
                got = self.good("--run", strategy, "-i", "x.npy", "--where", "x > 0.25", *args, *how, "-q").out.split()
                for text, value in zip(got, wanted, strict=True):
                    self.assertAlmostEqual(float(text) / value, 1, delta=1e-5, msg=(strategy, how, args))
        self.assertEqual(self.value("--run", "native", "-i", "w.npy", "--where", "x > 9", "--op", "mean"), "nan")

    def test_an_initial_value(self):
        """It counts once, however the data are cut, and of nothing it is the answer."""
        k = self.k.astype("i8")
        cli.write(self.path("from.op.json"), '{"redhost": "operator/1", "name": "from", "operands": ["x"], "op": "max", "map": "x", "initial": "1e6"}')
        cases = [(["--initial", "100"], k.sum() + 100), (["--op", "min", "--initial", "-1e6"], -10**6), (["--op", "max", "--initial", "t", "--let", "t=1000000"], 10**6),
                 (["--op", "min", "--where", "x > 1000000", "--initial", "3"], 3), (["--op", "from.op.json"], 10**6), (["--op", "xor", "--initial", "5"], np.bitwise_xor.reduce(k) ^ 5)]
        for how in ((), ("--stream=2KiB",), ("--ranks", "3"), ("--isolate",), ("--device", "all")):
            for words, wanted in cases:
                got = self.reduce("native" if "--device" not in how else "onepass", "-i", "k.npy", *words, *how)["value"]
                self.assertEqual(float(got), wanted, (words, how))
        np.save(self.path("none.npy"), np.zeros(0, "f4"))
        self.assertEqual(self.value("--run", "native", "-i", "none.npy", "--op", "min", "--initial", "2.5"), "2.5")
        for words, message in ((("--op", "argmin", "--initial", "1"), "initial: only sum, prod, min, max, and, or and xor take one"), (("--op", "mean", "--initial", "1"), "initial: operator mean takes none"),
                               (("--initial", "1 + 1"), "'1 + 1' is neither a number nor a constant"), (("--initial", "-1e400"), "-1e400 does not fit in f64.\n"), (("--initial", "a"), "initial: 'a' is neither a number nor a constant"), (("--initial", "1+n"), "'1+n' is neither"),
                               (("--initial", "1", "--finalize", "a/n"), "alone and not finalized"), (("--reduce", "a + b", "--identity", "0", "--initial", "1"), "initial goes with a built-in operator")):
            self.bad(2, message, "--run", "native", "-i", "k.npy", *words)

    def test_an_index_keeps_its_value(self):
        """Masked, mapped, alone, beside others and by ranks; and what is finalized is the value."""
        for op in ("argmin", "argmax"):
            k = int(getattr(self.x, op)())
            for words in ([], ["--where", "x == x"], ["--map", "x*1"]):
                for how in ([], ["--ranks", "2"], ["--stream=2KiB"], ["--isolate"]):
                    result = self.reduce("native", "-i", "x.npy", "--op", op, *words, *how)
                    self.assertEqual((result["index"], float(result["value"]), "fields" in result), (k, float(self.x[k]), False), (op, words, how))
            self.assertIn("%d (value " % k, self.good("--run", "native", "-i", "x.npy", "--op", op, "--where", "x == x").out)
            result = self.reduce("native", "-i", "x.npy", "--op", op + ",max")
            self.assertEqual((result["index"], float(result["value"]), int(result["fields"][op])), (k, float(self.x[k]), k))
        none = self.reduce("native", "-i", "x.npy", "--op", "argmax", "--where", "x > 1e9")
        self.assertEqual((none["value"], none["index"]), ("-inf", None))
        for words in (["--op", "mean"], ["--op", "rms"], ["--op", "all"], ["--finalize", "a/n"], ["--op", "mean", "--where", "x > 0"], ["--op", "argmax", "--finalize", "a + 1"]):
            for how in ([], ["--isolate"], ["--ranks", "2"]):
                result = self.reduce("native", "-i", "x.npy", *words, *how)
                self.reduce("native", "-i", "k.npy", *words, *how)
                self.assertEqual(result["value"], next(iter(result["fields"].values())), (words, how))

    def test_names_elsewhere(self):
        """NumPy's, BLAS's and MPI's names of operators: what is said of each is true, and what it says to type works."""
        table = cli.text(os.path.join(cli.HERE, "..", "..", "host", "operators", "catalog", "synonyms.c")).split("rh_op_instead")[1].split("};")[0]
        names = [name for row in re.findall(r'\{"\|([^"]+)\|"', table) for name in row.split("|")]
        known = self.good("--ops", "-q").out.split()
        self.assertGreater(len(names), 90)
        self.assertEqual(sorted(set(names)), sorted(names))
        self.assertEqual(set(names) & set(known), set())
        tried = set()
        for name in names:
            said = self.bad(2, "unknown operator '%s': " % name, "--run", "native", "--op", name, "-n", "10").err
            words = re.search(r": use (\w+)", said)
            options = re.findall(r"(--(?:map|where)) '([^']*)'", said)
            command = (*(("--op", words[1]) if words else ()), *(word for option in options for word in option))
            self.assertTrue(command or "redhost " in said, said)
            self.assertNotRegex(said.split("Known")[0], "^(?!.*(cumsum|median|histogram|bincount)).*no ")
            if command not in tried:
                tried.add(command)
                self.good("--run", "native", "-n", "10", *(("-t", "u8") if words and words[1] in ("and", "or", "xor") else ()), *command)

    def test_commutes_is_named(self):
        for args in (("--reduce", "a + b", "--identity", "0"), ("--reduce", "fmax(a, b)", "--identity", "-inf")):
            self.bad(4, "does not claim to commute|--commutes", "--run", "cascade", "-i", "x.npy", "--no-cache", *args)
            self.good("--run", "cascade", "-i", "x.npy", *args, "--commutes")

    def test_masks_that_are_refused(self):
        self.bad(2, "where: affine takes all elements", "--run", "native", "-t", "u64", "-n", "10", "--where", "x", "--op", "affine")
        done = self.redhost("--run", "native", "-i", "x.npy", "--where", "x >")
        self.assertEqual(done.code, 2)
        self.assertIn("where: expected an operand, and the text ends, at column 4 of 'x >'", done.err)
        self.good("--new-operator", "far.cl")
        self.bad(6, "where: operator far is in OpenCL C", "--run", "two_stage", "-i", "x.npy", "--op", "./far.op.json", "--where", "x > 0")

    def test_mask_in_a_file(self):
        self.write("p.op.json", json.dumps({"redhost": "operator/1", "name": "p", "operands": ["x"], "op": "sum", "map": "x*x", "where": "x > 0"}))
        x = self.x.astype("f8")
        self.assertAlmostEqual(float(self.reduce("native", "-i", "x.npy", "--op", "./p.op.json")["value"]), math.fsum((x * x)[x > 0]), delta=0.01)
        self.bad(2, "operator p has its own", "--run", "native", "-i", "x.npy", "--op", "./p.op.json", "--where", "x < 1")
        self.assertIn("where       x > 0", self.good("--plugin", "./p.op.json", "--info", "p", quiet=False).out)

    def test_several_in_one_pass(self):
        for strategy in STRATEGIES:
            result = self.reduce(strategy, "-i", "x.npy", "--op", "min,max,argmax,sum")
            fields = result["fields"]
            self.assertEqual(float(fields["min"]), float(self.x.min()))
            self.assertEqual(float(fields["max"]), float(self.x.max()))
            self.assertEqual(int(fields["argmax"]), int(self.x.argmax()))
            self.assertAlmostEqual(float(fields["sum"]), float(self.x.sum(dtype="f8")), delta=1e-3)
            fields = self.reduce(strategy, "-i", "x.npy,w.npy", "--map", "w*x, w", "--finalize", "mean = a.0/a.1, n")["fields"]
            self.assertAlmostEqual(float(fields["mean"]), float((self.x * self.w).sum() / self.w.sum()), delta=1e-9)
            self.assertEqual(fields["result1"], "5003")

    def test_a_map_is_an_array(self):
        """The sum of a map of one type has the bits of the sum of the mapped array."""
        np.save(self.path("squares.npy"), self.x * self.x)
        self.assertEqual(self.value("--run", "native", "-i", "x.npy", "--map", "x*x"), self.value("--run", "native", "-i", "squares.npy"))

    def test_a_map_of_an_operator_that_does_not_commute(self):
        """Factors that are even would leave the last elements only."""
        x = np.random.default_rng(1).integers(0, 2**64, 10007, dtype="u8")
        np.save(self.path("any.npy"), x)
        np.save(self.path("odd.npy"), x | np.uint64(0x100000001))
        for strategy in ("native", "serial", "two_stage_ordered", "auto"):
            self.assertEqual(self.value("--run", strategy, "-i", "any.npy", "--map", "any | 0x100000001", "--op", "affine"),
                             self.value("--run", strategy, "-i", "odd.npy", "--op", "affine"))

    def test_who_serves_it(self):
        """--list and --info ask strategies about an operator that is not built in, too."""
        cli.write(self.path("mine.op.json"), '{"redhost": "operator/1", "name": "mine", "operands": ["x"], "op": "max", "map": "abs(x) & 7"}')
        for args, named, without in (
                (["--op", "meanvar"], "meanvar of f32", "atomic"), (["--op", "dot", "-t", "f64"], "dot of f64", "openblas_sasum"),
                (["--op", "./mine.op.json"], "mine of i8", "openblas_sasum"), (["--op", "min,max"], "min,max of f32", "openblas_sasum"),
                (["--map", "x*y*t", "--let", "t=2"], "sum of x*y*t of f32", "openblas_sasum"),
                (["--reduce", "a > b ? a : b", "--identity", "-inf"], "a > b ? a : b of f32", "tiled_4")):
            said = self.good("--list", *args).out
            self.assertIn(", %s\n" % named, said.splitlines(True)[0])
            serve = {s["name"] for s in self.json("--list", *args)["strategies"] for here in s["available"].values() if here["ok"]}
            self.assertEqual(set(self.good("--list", *args, "-q").out.split()), serve)
            self.assertIn("native", serve)
            self.assertNotIn(without, serve)
            self.assertRegex(said, r"(?m)^  native .* yes   ")
            self.assertRegex(said, r"(?m)^  %s .* no    " % without)
            self.assertRegex(self.good("--info", "native", *args).out, r"(?m)^on .*, %s, n = 2\^24$" % re.escape(named))
        self.assertIn("cannot run: meanvar has values of 24 B", self.good("--info", "atomic", "--op", "meanvar").out)
        for mode in (["--list"], ["--info", "native"]):
            self.bad(2, "unknown operator 'nonsense'", *mode, "--op", "nonsense")
            self.bad(2, "operand y is not used", *mode, "--op", "sum", "--map", "x", "--where", "z > 0")
            self.bad(2, "constant t is not used", *mode, "--map", "x", "--let", "t=1")

    def test_files_without_a_map(self):
        for name in ("x.f32", "y.f32"):
            cli.write(self.path(name), b"\0\0\x80\x3f" * 10)
        for mode in (["x.f32", "y.f32"], ["--run", "native", "-i", "x.f32,y.f32", "--op", "max"]):
            self.bad(2, "operand y is not used: files are the operands of a map, as in --map 'x*y', or of an operator such as --op dot",
                     *mode, "-t", "f32")
        self.assertEqual(self.value("x.f32", "y.f32", "-t", "f32", "--op", "dot"), "10")

    def test_files_with_one_name(self):
        os.mkdir(self.path("late"))
        for name, x in (("x.f32", 2), ("late/x.f32", 3), ("w.f32", 5)):
            cli.write(self.path(name), struct.pack("<f", x))
        for files, words, value in (("x.f32,late/x.f32", ["--map", "x - y"], "-1"), ("late/x.f32,x.f32", ["--map", "x", "--where", "y < x"], "3"),
                                    ("w.f32,x.f32", ["--map", "w - x"], "3"), ("x.f32,w.f32", ["--map", "y - x"], "3")):
            self.assertEqual(self.value("-i", files, "-t", "f32", *words), value)
        self.bad(2, "operands 1 and 2 are both called x|both files' names", "--run", "native", "-i", "w.f32,x.f32", "-t", "f32", "--map", "x + 1")

    def test_where_constants_are_used(self):
        """In any of the texts, and so is every constant of an operator's file."""
        cli.write(self.path("unread.op.json"), '{"redhost": "operator/1", "name": "unread", "operands": ["x"], "op": "sum", "map": "x", "constants": {"t": 1}}')
        for args in (["--map", "x*t"], ["--where", "x > t"], ["--finalize", "a/t"], ["--reduce", "a + b", "--identity", "0", "--map", "x + t"],
                     ["--op", "min,max", "--map", "x, x*t"], ["--op", "./unread.op.json"]):
            self.good("--run", "native", "-i", "x.npy", *args, "--let", "t=2")

    def test_bad_input(self):
        np.save(self.path("short.npy"), self.x[:7])
        for args, words in (
                (["--map", "x", "--let", "t"], "--let 't': expected NAME=NUMBER"),
                (["--map", "x", "--let", "t=1z"], "--let 't=1z': '1z' is not a number"),
                (["--reduce", "a + b"], "reduce needs an identity"),
                (["--reduce", "a + b", "--identity", "0", "--op", "sum"], "reduce and op are mutually exclusive"),
                (["--identity", "0"], "identity goes with reduce"),
                (["--op", "sum", "--commutes"], "commutes goes with reduce"),
                (["--map", "x*i", "--let", "i=3"], "constant i: the name is taken"),
                (["--map", "x*n", "--let", "n=3"], "constant n: the name is taken"),
                (["--let", "a=3", "--finalize", "a*2"], "constant a: the name is taken"),
                (["--map", "x > t", "--let", "t=1", "--let", "s=2"], "constant s is not used"),
                (["--let", "t=1"], "constant t is not used"),
                (["--op", "meanvar", "--let", "t=1"], "constant t is not used"),
                (["--finalize", "m = a/n, m = a"], "finalize: two results are called m"),
                (["--op", "sum,mean"], "'mean' in 'sum,mean' is not built in"),
                (["--op", "prod,sum"], "prod of f32 cannot be one of several"),
                (["--map", "x, x, x", "--op", "sum,min"], "2 operators for 3 expressions"),
                (["--map", "x > 0", "--op", "affine"], "operator affine is not defined for i32")):
            self.bad(2, words, "--run", "native", "-i", "x.npy", *args)
        self.bad(2, "x.npy has 5003 elements, and short.npy has 7", "--run", "native", "-i", "x.npy,short.npy", "--map", "x*y")
        self.bad(2, "operand y is not used", "--run", "native", "-i", "x.npy,w.npy", "--map", "x")
        self.bad(6, "nothing.npy", "--run", "native", "-i", "x.npy,nothing.npy", "--map", "x*y")
        self.bad(4, "strategy 'atomic' cannot run", "--run", "atomic", "-i", "x.npy,w.npy", "--map", "w*x")
        self.bad(4, "does not claim to commute|--commutes", "--run", "two_stage", "--unchecked-op", "-i", "k.npy", "--reduce", "b == 0 ? a : b", "--identity", "0")

    def test_numbers_of_any_size(self):
        """Constants are compared as the numbers they are, and take part in arithmetic without wrapping; unit.test_expr has the types."""
        np.save(self.path("e.npy"), np.array([0, 1, 2**32 - 1], dtype="u4"))
        for strategy in ("serial", "cascade", "onepass"):
            for way in ([], ["--stream"], ["--ranks", "2"]):
                args = ["--run", strategy, "-i", "e.npy", *way]
                self.assertEqual(self.value(*args, "--map", "x < t", "--let", "t=4294967296"), "3")
                self.assertEqual(self.value(*args, "--where", "x > t", "--op", "count", "--let", "t=-1"), "2")
                self.assertEqual(self.value(*args, "--map", "max(x + t, -1)", "--op", "min", "--let", "t=-2"), "-1")

    def test_numbers_of_the_command_line(self):
        """Decimal, with zeros before them, too; hexadecimal after 0x."""
        for text, wanted in (("010", 10), ("08", 8), ("-010", -10), ("010.5", 10.5), ("0x10", 16), ("-0x10", -16), ("000", 0), ("1e3", 1000),
                             ("18446744073709551615", 2**64 - 1), ("-9223372036854775808", -2**63), ("-inf", -math.inf)):
            done = self.value("--run", "native", "-i", "k.npy", "--map", "k == 0 || 1 ? t : t", "--op", "max", "--let=t=" + text)
            self.assertEqual(float(done), float(wanted), text)
        for text, words in (("18446744073709551616", "does not fit in 64 bits"), ("-9223372036854775809", "does not fit in 64 bits"),
                            ("1e400", "does not fit in f64"), ("0xg", "is not a number"), (" 5", "is not a number"), ("", "is not a number")):
            self.bad(2, words, "--run", "native", "-i", "k.npy", "--map", "k*t", "--let=t=" + text)

    def test_differences_of_unsigned_numbers(self):
        """A note where one may be below 0, and what it says to write gives the number; none where no element can make it so."""
        integers = [type for type in cli.TYPES if type[0] != "f"]
        unsigned = {"u32": ("u32", "x - y", "(i64)x - y"), "u64": ("u64", "x - y", "(i64)(x - y)")}
        minus = {"u32": ("u32", "-x + 0*y", "-(i64)x + 0*y"), "u64": ("u64", "-x + 0*y", "(i64)(-x + 0*y)")}
        wide = {map: dict.fromkeys(integers, ("u64", map, "(i64)(%s)" % map)) for map in ("x - i - y", "(x - i)*(y > 0)", "y*(i - 1) + 0*x")}
        wide["y*(i - 1) + 0*x"].update(dict.fromkeys(("f16", "f32", "f64"), ("u64", "i - 1", "(i64)(i - 1)")))
        cases = (("x - y", unsigned, -1), ("abs(x - y)", unsigned, 1), ("fabs(x - y)", unsigned, 1), ("-x + 0*y", minus, -1),
                 *((map, wide[map], wanted) for map, wanted in zip(wide, (-1, 1, 2))), ("n - i + 0*x*y", {}, 3), ("n - 1 - i + 0*x*y", {}, 2),
                 ("x < y ? y - x : x - y", {}, 1), ("max(x, y) - min(x, y)", {}, 1), ("x - y == 0", {}, 0), ("(i64)x - (i64)y", {}, -1), ("x + y", {}, 3))
        args = ["--run", "native", "-i", "p.npy,q.npy", "--op", "max", "--map"]
        for type in ("u8", "i32", "u32", "i64", "u64", "f32"):
            kind = type[0] + str(int(type[1:]) // 8)
            np.save(self.path("p.npy"), np.array([1, 1, 1], dtype=kind))
            np.save(self.path("q.npy"), np.array([2, 2, 2], dtype=kind))
            for map, notes, wanted in cases:
                note, instead = "", map
                if type in notes:
                    computed, part, other = notes[type]
                    instead = map.replace(part, other)
                    note = ("redhost: map: '%s' is computed in %s, where what is below 0 becomes a large number; for a signed result write '%s'.\n"
                            % (part, computed, other))
                self.assertEqual(self.good(*args, map, quiet=False).err, note, (type, map))
                self.assertEqual(float(self.value(*args, instead)), wanted, (type, map))
                if note:
                    self.good(*args, instead)
                for how in (["--ranks", "2"], ["--stream"], ["-d", "0:0,0:0"], ["--isolate"], ["--json"]) if map == "abs(x - y)" else ():
                    self.assertEqual(self.good(*args, map, *how, quiet=False).err, note, (type, how))
                    self.good(*args, map, "-q")
            self.assertEqual("where: 'x - y' is computed in" in self.good(*args, "x", "--where", "x - y > 1", quiet=False).err, type in unsigned)
            self.good(*args, "x - y", "--where", "x >= y")
        for greatest in ("18446744073709551615 - x", "9223372036854775808 - (x >> 1)"):
            self.good("--run", "native", "-t", "u64", "-n", "3", "--map", greatest)
        for op in self.good("--ops", "-q").out.split():
            for type in ("i8", "u32", "u64"):
                self.assertNotIn("is computed in", self.redhost("--run", "native", "--unchecked-op", "--op", op, "-t", type, "-n", "3").err)

    def test_results_of_32_bits(self):
        """A note where an operator of one's own wraps, and what it says to write gives the number; none for few small numbers."""
        note = "redhost: reduce: '%s' is computed in %s, and wraps beyond 32 bits; for 64 bits write --map '%s'.\n"
        for type in cli.TYPES:
            computed, wide = ("u32", "(u64)x") if type == "u32" else ("i32", "(i64)x")
            is_narrow = type[0] != "f" and int(type[1:]) <= 32
            for reduce, identity, n, wraps in (("a + b", "0", "3", is_narrow and type[1:] == "32"), ("a + b", "0", "1", False),
                                               ("a + b", "0", "70000", is_narrow and type[1:] != "8"), ("a*b", "1", "3", is_narrow),
                                               ("max(a, b)", "-inf" if type[0] == "f" else "0", "3", False), ("b == 0 ? a : b", "0", "3", False)):
                args = ["--run", "native", "-t", type, "-n", n, "--data", "equal", "--reduce", reduce, "--identity", identity, "--unchecked-op"]
                self.assertEqual(self.good(*args, quiet=False).err, note % (reduce, computed, wide) if wraps else "", (type, args))
                if wraps:
                    self.good(*args, "--map", wide)
                if wraps and type == "i32":
                    self.good(*args, "-q")
                    self.assertEqual(self.good(*args, "--ranks", "2", quiet=False).err, note % (reduce, computed, wide))
        for reduce in ("a | b", "a ^ b", "a & b"):
            self.good("--run", "native", "-i", "k.npy", "--reduce", reduce, "--identity", "-1" if "&" in reduce else "0")
        np.save(self.path("e.npy"), np.full(3, 2**31 - 1, dtype="i4"))
        args = ["--run", "native", "-i", "e.npy", "--reduce", "a + b", "--identity", "0"]
        self.assertEqual(self.good(*args, "--map", "x | 1", quiet=False).err, note % ("a + b", "i32", "(i64)(x | 1)"))
        self.assertEqual(self.value(*args, "--map", "(i64)(x | 1)"), str(3 * (2**31 - 1)))
        self.good(*args, "--map", "x > 0")
        self.write("s.op.json", json.dumps({"redhost": "operator/1", "name": "s", "operands": ["x"], "value": {"t": "i32", "n": "i32"}, "load": ["x", "1"],
                                            "identity": ["0", "0"], "combine": ["a.t + b.t", "a.n + b.n"], "claims": ["associative", "commutative"]}))
        said = self.good("--run", "native", "-i", "e.npy", "--op", "./s.op.json", quiet=False).err
        self.assertRegex(said, r"\Aredhost: \./s\.op\.json:1:\d+: \"combine\": 'a\.t \+ b\.t' is computed in i32, and wraps beyond 32 bits; "
                               r"give the field t the type i64\.\n\Z")

    def test_shapes(self):
        """Elements are paired as they are stored, so the shapes of operands have to be the same; and the orders, as test_ways.py has it."""
        a = np.arange(24.0).reshape(2, 3, 4)
        arrays = {"c": a, "f": np.asfortranarray(a), "mixed": np.asfortranarray(a).astype("i2", order="F"), "mask": np.asfortranarray(a > 5),
                  "turned": a.reshape(4, 3, 2), "flat": a.ravel(), "swapped": a.astype(">f8"),
                  "row": a.reshape(1, 24, 1), "column": np.asfortranarray(a.reshape(1, 24, 1)), "none": a[:0], "fnone": np.asfortranarray(a[:0])}
        for name, array in arrays.items():
            np.save(self.path(name + ".npy"), array)
        a.tofile(self.path("raw.bin"))
        for one, other, *words in (("c", "turned", "(2, 3, 4)", "(4, 3, 2)"), ("flat", "c", "(24,)", "(2, 3, 4)"), ("row", "flat", "(1, 24, 1)", "(24,)")):
            self.bad(2, "%s.npy has the shape %s, and %s.npy %s: operands need the same shape" % (one, words[0], other, words[1]),
                     "-i", "%s.npy,%s.npy" % (one, other), "--op", "dot")
        self.bad(2, "c.npy is stored in C order, and mask.npy in Fortran order, both of the shape (2, 3, 4)", "-i", "c.npy,mask.npy", "--where", "y")
        for files in ("f.npy,mixed.npy", "c.npy,swapped.npy", "row.npy,column.npy"):
            self.assertEqual(float(self.good("-i", files, "--op", "dot", "-q").out), (a * a).sum(), files)
        self.assertEqual(float(self.good("-i", "c.npy,raw.bin", "-t", "f64", "--op", "dot", "-q").out), (a * a).sum())
        self.good("-i", "none.npy,fnone.npy", "--op", "dot", "-q")
        with open(self.path("f.npy"), "rb") as pipe:
            self.bad(2, "both of the shape (2, 3, 4)", "-i", "-,c.npy", "--op", "dot", stdin=pipe)
        for args in (["--map", "x*y", "--op", "argmax"], ["--map", "x*y*i"], ["--map", "x*y", "--op", "min,argmax"]):
            done = self.redhost("-i", "f.npy,mixed.npy", *args)
            self.assertEqual(done.err.count("f.npy: shape (2, 3, 4), Fortran order: the index counts in storage order"), 1, done)

    def test_nothing(self):
        """No elements, or none that --where chooses; with a map as without one."""
        np.save(self.path("none.npy"), self.x[:0])
        for how in ([], ["--stream"], ["--ranks", "2"]):
            for op in ("min,max", "minmax", "ptp"):
                self.bad(2, "none.npy: %s of an empty array is undefined" % op, "--run", "native", "-i", "none.npy", "--op", op, *how)
            self.bad(2, "none.npy: max of x*2 of an empty array is undefined", "--run", "native", "-i", "none.npy", "--op", "max", "--map", "x*2", *how)
            for op, value in (("mean", "nan"), ("rms", "nan"), ("norm2", "0"), ("count", "0"), ("any", "0"), ("all", "1")):
                self.assertEqual(self.value("--run", "native", "-i", "none.npy", "--op", op, *how), value, (op, how))
            ends = [("min", "inf"), ("max", "-inf"), ("min,max,amax", "inf\n-inf\n0"), ("minmax", "inf\n-inf"), ("argmin,max", "18446744073709551615\n-inf")]
            for op, value in ends + [("any", "0"), ("all", "1"), ("mean", "nan"), ("meanvar", "nan\nnan"), ("ptp", "0"), ("logsumexp", "-inf")]:
                got = self.good("--run", "native", "-i", "x.npy", "--where", "x > 1e9", "--op", op, *how, "-q").out
                self.assertEqual(got, value + "\n", (op, how))

    def test_named_beyond_sums(self):
        """No overflow on the way, empty sides of a tree, and an order that is kept."""
        np.save(self.path("big.npy"), np.array([3e300, -4e300]))
        np.save(self.path("one.npy"), np.array([2.5]))
        unit = np.array([0.5, -0.5, 0.5, 0.5])
        names = []
        for k, name in enumerate("wxyz"):
            names.append(name + ".npy")
            np.save(self.path(name + ".npy"), np.repeat(unit[k], 3000))
        for strategy in ("serial", "native", "onepass"):
            self.assertEqual(float(self.value("--run", strategy, "--op", "norm2", "-i", "big.npy")), 5e300)
            self.assertEqual(self.good("--run", strategy, "--op", "meanvar", "-i", "one.npy", "-q").out, "2.5\n0\n")
        for strategy in ("serial", "native", "two_stage_ordered"):
            done = self.good("--run", strategy, "--op", "quat", "-i", ",".join(names), "-q")
            self.assertEqual([float(v) for v in done.out.split()], [1, 0, 0, 0])  # the sixth power is 1
        self.bad(4, "quat does not claim to commute", "--run", "two_stage", "--op", "quat", "-i", ",".join(names))

    def test_files(self):
        def write(text):
            cli.write(self.path("op.json"), text)
        head = '{"redhost": "operator/1", "name": "far", "operands": ["u", "v"], '
        write(head + '"op": "max", "map": "fabs(u - v)"}')
        self.assertEqual(float(self.value("--run", "native", "--op", "op.json", "-i", "x.npy,w.npy")), float(np.abs(self.x - self.w).max()))
        write("{")
        self.assertRegex(self.redhost("--run", "native", "--op", "op.json", "-i", "x.npy,w.npy").err, r"\Aredhost: op\.json:1:1: is not JSON: [^\n]+\.\n  \{\n  \^\n\Z")
        self.bad(2, "operator dot reads 2 operands, not 1", "--run", "native", "--op", "dot", "-i", "x.npy")
        self.bad(2, "map: operator dot has its own", "--run", "native", "--op", "dot", "--map", "x", "-n", "8")

    def test_carets(self):
        for text, words, column in (("x *", "map: expected an operand, and the text ends", 4), ("x + q", "map: unknown name 'q'; known: x, i, n", 5),
                                    ("1/0", "map: a division of integers by 0", 2), ("(x\t", "map: expected ')', and the text ends", 4)):
            done = self.redhost("--run", "native", "-i", "x.npy", "--map", text)
            self.assertEqual((done.code, done.out), (2, ""))
            self.assertEqual(done.err.splitlines(), ["redhost: %s, at column %d of '%s'." % (words, column, text.replace("\t", " ")),
                                                     "  " + text.replace("\t", " "), " " * (column + 1) + "^"])

    def test_sizes(self):
        for n in (0, 1, 7, 255, 4097):
            self.assertEqual(float(self.value("--run", "native", "-n", str(n), "--data", "equal", "--map", "x + x")), 2.0 * n)


class Bench(cli.Case):
    """All strategies in one table, and the results as files."""

    uses_programs_once = True

    ARGS = ("--bench", "-s", "native,onepass,two_stage_ordered,atomic", "--quick", "--max-time=0.05", "-q")

    def rows(self, *args):
        document = self.json(*self.ARGS, *args)
        return document, {(row["strategy"], row["type"], row["n"]): row for row in document["results"]}

    def test_all_strategies(self):
        _, rows = self.rows("--op", "meanvar", "-n", "1000,2^12", "-t", "f32,f64")
        self.assertEqual(len(rows), 16)
        for (strategy, type_, n), row in rows.items():
            self.assertEqual((row["op"], row["own_op"]), ("meanvar", True))
            self.assertEqual(row["status"], "unsupported" if strategy == "atomic" else "ok", row)
            self.assertEqual(row["bytes"], n * (4 if type_ == "f32" else 8))
            if strategy == "atomic":
                self.assertIn("24 B" if type_ == "f32" else "32 B", row["reason"])

    def test_several_operands(self):
        _, rows = self.rows("--map", "x > t ? x*y : 0", "--let", "t=0.25", "-n", "1000,2^16", "-t", "f32,i32")
        for (strategy, type_, n), row in rows.items():
            if row["status"] == "ok":
                self.assertEqual((row["bytes"], row["check"]["ok"]), (8 * n, True))
        values = {row["check"]["value"] for row in rows.values() if row["n"] == 1000 and row["type"] == "i32" and row["status"] == "ok"}
        self.assertEqual(len(values), 1)
        self.assertNotEqual(values, {"0"})

    def test_an_operator_that_does_not_commute(self):
        _, rows = self.rows("--reduce", "b == 0 ? a : b", "--identity", "0", "-n", "1000", "-t", "i32")
        self.assertEqual(rows["two_stage_ordered", "i32", 1000]["status"], "ok")
        values = [rows[name, "i32", 1000]["check"]["value"] for name in ("two_stage_ordered", "native")]
        self.assertEqual(values[0], values[1])

    def test_one_after_the_other_is_right(self):
        """Its error is larger than what 16 trees have, and no mistake."""
        for strategy in ("serial", "native"):
            self.assertEqual(self.redhost("--run", strategy, "--op", "meanvar", "-n", "2^20", "-q").code, 0)

    def test_a_list_is_one_after_the_other(self):
        """As without a map; with one, in one pass."""
        _, rows = self.rows("--op", "min,max", "-n", "1000")
        self.assertTrue(not any(row["own_op"] for row in rows.values()))
        _, rows = self.rows("--op", "min,max", "--map", "x", "-n", "1000")
        self.assertEqual({row["op"] for row in rows.values()}, {"min,max of x"})
