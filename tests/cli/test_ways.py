"""The table: every way to reduce, times the rules that hold in each, times problems.

A cell holds, or the way refuses what is asked in one sentence, which stands here.  The ways of the program are options of --run; those
of the library are tests/library/ways.c, which takes the same options."""

import itertools
import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
import time
import unittest

import redhost_cli as cli
import test_tuned

LIBRARY = os.environ.get("REDHOST_TEST_WAYS", "")
WRONG = os.environ.get("REDHOST_TEST_WRONG", "")
FAULTS = os.environ.get("REDHOST_TEST_FAULT_LIBRARY", "")
VISIBLE = os.environ.get("REDHOST_TEST_VISIBLE_LIBRARY", "")
PREAD = os.path.join(cli.DRIVERS, "failing_pread.so")
N = 100003


class Way:
    """data: "made" by redhost, or the problem's "file", or a "pipe".  parts: so many, merged.  function: of ways.c."""

    def __init__(self, name, strategy, data="made", words=(), function=None, parts=0, devices="", preload=""):
        self.name, self.strategy, self.data, self.words, self.function, self.parts = name, strategy, data, words, function, parts
        self.env = {"POCL_DEVICES": devices} if devices else {"LD_PRELOAD": preload, "REDHOST_TEST_VISIBLE": "early"} if preload else {}
        self.of_device = strategy == "onepass"

    def __str__(self):
        return self.name


THREE = "pthread pthread pthread"  # of one kind, so that a program is compiled once; test_devices has several
WAYS = [
    Way("memory", "native"),
    Way("memory in a child", "native", words=("--isolate=always",)),
    Way("memory of a file", "native", "file"),
    Way("stream", "native", words=("--stream=8KiB",)),
    Way("stream of a file", "native", "file", ("--stream=2KiB",)),
    Way("stream of a pipe", "native", "pipe", ("--stream=64KiB",)),
    Way("ranks", "native", words=("--ranks=3",)),
    Way("ranks of a file", "native", "file", ("--ranks=7", "--stream=8KiB")),
    Way("ranks in children", "native", words=("--ranks=2", "--isolate=always")),
    Way("parts", "native", parts=3),
    Way("rh_reduce", "native", function="reduce"),
    Way("rh_prepared_call", "native", function="prepared"),
    Way("rh_reduce_distributed", "native", function="distributed"),
    Way("rh_merge_parts", "native", function="parts"),
    Way("rh_reduce through a ring", "onepass", words=("--ring",), function="reduce"),
    Way("rh_prepared_call through a ring", "onepass", words=("--ring",), function="prepared"),
    Way("rh_reduce_distributed through a ring", "onepass", words=("--ring", "--ranks=3"), function="distributed"),
    Way("rh_merge_parts with a device", "onepass", words=("--ring", "--ranks=7"), function="parts"),
    Way("memory of a device", "onepass"),
    Way("stream of a file to a device", "onepass", "file", ("--stream=16KiB",)),
    Way("stream of a pipe to a device", "onepass", "pipe", ("--stream=4KiB",)),
    Way("devices", "onepass", words=("-d", "all"), devices=THREE),
    Way("stream of a file to devices", "onepass", "file", ("-d", "0:2,0:0", "--stream=4KiB"), devices=THREE),
    Way("stream of a pipe to devices", "onepass", "pipe", ("-d", "all", "--stream=4KiB"), devices=THREE),
    Way("ranks with devices", "onepass", words=("--ranks=2",)),
]
# The same calls, wherever the elements of each partaker begin, and of ranks whose devices have a memory that the host sees.
CUTS = [*(Way("%s, %d of %s" % (function, n, cut), "native", words=("--ranks=%d" % n, "--cut=" + cut), function=function)
          for function, ns in (("distributed", {"anywhere": 11, "tiles": 5, "gaps": 8, "last": 3, "first": 1, "small": 16, "end": 9}),
                               ("parts", {"anywhere": 7, "gaps": 1000, "tiles": 6})) for cut, n in ns.items())]
CUTS_OF_DEVICES = [Way("distributed, on devices", "onepass", words=("--ranks=8", "--cut=gaps"), function="distributed"),
                   Way("distributed, of copies", "onepass", words=("--ranks=3", "--cut=anywhere"), function="distributed", preload=VISIBLE)]
OF_PROGRAM = [way for way in WAYS if not way.function]
OF_PIPES = [way for way in OF_PROGRAM if way.data == "pipe"]
OF_FILES = [way for way in OF_PROGRAM if way.data == "file"]
OF_DEVICES = [way for way in OF_PROGRAM if way.of_device]
OF_PARTS = [way for way in WAYS + CUTS if way.parts or way.function == "parts"]
OF_RANKS = [way for way in OF_PROGRAM if any(word.startswith("--ranks") for word in way.words)]

# Ways of one process, where a strategy of the zoo is not in a child.
IN_PROCESS = [way for way in WAYS if way.of_device or way.parts or way.name == "rh_reduce"]
SAMPLED = {"stream": r"^\d+ of \d+ chunks", "parts": "^sampled: "}

OWN = {
    "matrix": {"redhost": "operator/1", "name": "matrix", "summary": "products of matrices", "operands": ["x"],
               "value": {"p": "f64", "q": "f64", "r": "f64"}, "load": ["1", "x", "x < 0.5 ? -1.0 : 1.0"], "identity": ["1", "0", "1"],
               "combine": ["a.p*b.p", "a.p*b.q + a.q*b.r", "a.r*b.r"], "claims": ["associative"]},
    "late": {"redhost": "operator/1", "name": "late", "summary": "how many come late", "operands": ["x"], "value": {"s": "u64", "at": "u64"},
             "claims": ["associative", "commutative"], "source": [
                 "rh_value rh_load(rh_x x, ulong i) { rh_value v; v.s = i >= 70000 ? 1 : 0; v.at = i; return v; }",
                 "rh_value rh_identity(void) { rh_value v; v.s = 0; v.at = 0; return v; }",
                 "rh_value rh_combine(rh_value a, rh_value b) { rh_value v; v.s = a.s + b.s; v.at = max(a.at, b.at); return v; }"]}}


def by(folder, plugin):
    return ("--plugin=" + os.path.join(folder, plugin + ".so"),)


class Problem:
    def __init__(self, *words, operands=1, only=None, value=None):
        self.words, self.operands, self.only, self.value = words, operands, only, value
        self.type = next((word[2:] for word in words if word.startswith("-t")), "f32")

    def __str__(self):
        return " ".join(self.words)


HOST, DEVICE = "native", "onepass"
PROBLEMS = [
    *(Problem("--op=sum", "-t" + kind) for kind in cli.TYPES),
    Problem("--op=prod", "-tf64", "--data=swing"), Problem("--op=prod", "-tf32", "--data=swing"), Problem("--op=asum", "-tf16"),
    Problem("--op=min", "-tf32"), Problem("--op=max", "-tf32", "--data=nan"), Problem("--op=argmin", "-tf32"), Problem("--op=argmax", "-ti32"), Problem("--op=argamax", "-tf64"),
    Problem("--op=xor", "-tu8", "--data=hash"), Problem("--op=or", "-tu16"), Problem("--op=affine", "-tu64", "--data=hash", only=HOST),
    Problem("--op=affine", "-tu64", "--data=hash", "--map=x | 0x100000001", only=HOST),
    Problem("--op=sum", "-tf32", "--data=cancel", "--accuracy=exact"), Problem("--op=mean", "-tf64", "--data=cancel", "--accuracy=exact"),
    # Of one's own: maps, the index and the number of elements, conditions, several results, operands, structs, what does not commute.
    Problem("--map=x*y", operands=2), Problem("--op=argmax", "--map=x*y - x", "-tf64", operands=2), Problem("--op=sum", "--map=x*(i % 1000)", "-tf64"),
    Problem("--op=argmin", "--map=i < 77777 ? x : x - 100000.0"), Problem("--map=i*2 < n ? x : -x"), Problem("--op=max", "--map=x", "--where=i*3 > n"),
    Problem("--map=x*t", "--let=t=0.75", "--where=x > t"), Problem("--op=meanvar", "-tf64"), Problem("--op=min,max,sum"), Problem("--op=min,argmax"),
    Problem("--reduce=a*(1-b)+b", "--identity=0", "--unchecked-op", only=HOST), Problem("--op=./matrix.op.json", "--unchecked-op", "-tf64", only=HOST),
    Problem("--op=./late.op.json", only=DEVICE, value="%d\n%d\n" % (N - 70000, N - 1)),
]
SUM = Problem("--op=sum", "-tf32")


class Table(cli.Case):

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.env = {**cls.env, "REDHOST_TEST_PLUGINS": cli.PLUGINS, "REDHOST": cli.REDHOST}
        cls.files, cls.libraries = {}, {}
        for name, operator in OWN.items():
            cli.write(os.path.join(cls.cwd, name + ".op.json"), json.dumps(operator))

    @classmethod
    def tearDownClass(cls):
        for library in cls.libraries.values():
            library.communicate()

    def files_of(self, problem, n):
        """Of the elements that redhost makes itself for this problem."""
        kind = next((word for word in problem.words if word.startswith("--data=")), "--data=uniform")
        key = (problem.type, kind, problem.operands, n)
        if key not in self.files:
            _, made, _ = self.ask({}, "data", "-n%d" % n, "-t" + problem.type, kind, "--operands=%d" % problem.operands)
            names, size = [], len(made) // problem.operands
            for k in range(problem.operands):
                name = "%s-%d.npy" % ("-".join((problem.type, kind[7:], str(n))), k)
                names.append(self.write(name, cli.npy(problem.type, made[k * size:(k + 1) * size], "(%d,)" % n)))
            self.files[key] = names
        return self.files[key]

    def ask(self, env, *words):
        """One process of ways.c answers all that is asked of it in this environment, until one ends it."""
        key = self.env["XDG_CACHE_HOME"], str(env)
        if key not in self.libraries or self.libraries[key].poll() is not None:
            self.libraries[key] = subprocess.Popen([LIBRARY], env={**self.env, **env}, cwd=self.cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        library = self.libraries[key]
        ender = threading.Timer(cli.PATIENCE, library.kill)
        ender.start()
        library.stdin.write("\0".join(words).encode() + b"\n")
        library.stdin.flush()
        code, *sizes = map(int, library.stdout.readline().split() or (library.wait(),))
        texts = [library.stdout.read(size) for size in sizes] or (b"", b"ended")
        ender.cancel()
        return (code, *texts)

    def run_library(self, way, words, n):
        words = way.function, "-n%d" % n, *cli.last_of_each(words)
        code, out, err = self.ask(way.env, *words)
        return cli.Done(words, code, out.decode(), err.decode(), 0, 0)

    def run_parts(self, way, words, n):
        cuts = [min(n, n * k // way.parts + 17 * (0 < k < way.parts)) for k in range(way.parts + 1)]
        names = ["%d.part" % k for k in range(way.parts)]
        for name, cut in zip(names, zip(cuts, cuts[1:])):
            done = self.redhost(*words, "-n%d" % n, "--slice=%d:%d" % cut, "--partial", name)
            if done.code:
                return done
        return self.redhost("--merge", *reversed(names), *(word for word in words if word == "-q"))

    def run_way(self, way, problem, *more, n=N, run=None, names=None, **how):
        """What came of the problem in this way, by its strategy or another.  An option more replaces the way's own."""
        keys = {word.partition("=")[0] for word in more}
        own = [word for word in way.words if word.partition("=")[0] not in keys]
        words = [*problem.words, "--run=" + (run or way.strategy), *own, *more]
        if way.function:
            return self.run_library(way, ["--operands=%d" % problem.operands, *(word for word in words if word != "-q")], n)
        if way.parts:
            return self.run_parts(way, words, n)
        if way.data == "made":
            words.append("-n%d" % n)
        else:
            words = [word for word in words if not word.startswith("--data=")]
            names = names or self.files_of(problem, n)
            words.append("--input=" + ("-" if way.data == "pipe" else ",".join(names)))
        if way.data == "pipe" and "stdin" not in how:
            how.setdefault("input", cli.read(self.path(names[0])))
        return self.redhost(*words, env={**way.env, **how.pop("env", {})}, **how)

    def each(self, check, ways=tuple(WAYS), problems=(SUM,)):
        """check(way, problem) in every cell."""
        for problem in problems:
            for way in ways:
                if way.data != "pipe" or problem.operands == 1:
                    with self.subTest(way=str(way), problem=str(problem)):
                        check(way, problem)

    def refused(self, done, code, words):
        """In one sentence."""
        self.assertEqual((done.code, done.out), (code, ""), done)
        self.assertRegex(done.err, r"\Aredhost: [^\n]+\n\Z", done)
        for word in words.split("|"):
            self.assertIn(word, done.err, done)


def in_turn(k):
    """All ways for the k-th problem, but of the program's with devices two: the library's have each, and these every third or fourth; maps have all."""
    return [way for way in WAYS + CUTS if way not in OF_DEVICES or (OF_DEVICES.index(way) - 2 * k) % len(OF_DEVICES) < 2]


class Bits(Table):
    """Those of one process, whatever the way."""

    def want(self, problem, n):
        if problem.value:
            return problem.value
        done = self.run_way(next(way for way in WAYS if way.function == "reduce"), problem, n=n)
        self.assertEqual(done.code, 0, done)
        return done.out

    def same(self, problem, n=N, ways=WAYS + CUTS):
        want = self.want(problem, n)

        def check(way, _):
            done = self.run_way(way, problem, "-q", n=n)
            if way.function == "prepared" and "--accuracy=exact" in problem.words:  # there is no check, whose answer the others have
                self.refused(done, 4, "strategy '%s' does not round '%s' once, and a prepared call has no check" % (way.strategy, problem.words[0][5:]))
                if "--op=mean" in problem.words:
                    return None
                done = self.run_way(way, problem, "-q", n=n, run="extraction" if way.of_device else "superaccumulator")
            if way.function == "parts" and n == 0 and "n" in problem.words[0]:  # 0 says that n is not known
                return self.refused(done, 2, "the map uses n, the number of elements of the whole, which is not known")
            return self.assertEqual((done.code, done.out), (0, want), done)
        self.each(check, [way for way in ways if problem.only in (None, way.strategy)], (problem,))

    def test_types(self):
        for k, problem in enumerate(PROBLEMS[:len(cli.TYPES)]):
            self.same(problem, ways=in_turn(k))

    def test_operators(self):
        for k, problem in enumerate(PROBLEMS[len(cli.TYPES):]):
            self.same(problem, ways=WAYS + CUTS if problem.words[0].startswith("--map") else in_turn(k))

    def test_what_a_strategy_cannot_do(self):
        def check(way, problem):
            if way.of_device == ("affine" in str(problem)):
                self.refused(self.run_way(way, problem, "-q"), 4, "order" if way.of_device else "OpenCL C")
        self.each(check, WAYS, (Problem("--op=affine", "-tu64", "--data=hash"), Problem("--op=./late.op.json")))

    def test_sizes(self):
        """No element, one, a tile less one and more one, and a last tile that is whole."""
        for k, n in enumerate((0, 1, 511, 512, 513, 6144)):
            self.same(Problem("--map=x*(i + n)", "-ti32"), n, in_turn(k))
        for k, n in enumerate((1, 1025)):
            self.same(Problem("--op=argmin", "-tf64"), n, in_turn(k))

    def test_operators_of_every_type(self):
        """As parts are written, read and merged: each operator and type in files, and all pairs in memory."""
        for op, kind in itertools.product(cli.OPS, cli.TYPES):
            in_files = cli.TYPES.index(kind) == (cli.OPS.index(op) - 2) % len(cli.TYPES)
            if kind[0] != "f" or op not in ("and", "or", "xor"):
                self.same(Problem("--op=" + op, "-t" + kind, *(["--data=swing"] if op == "prod" else [])), 2049, OF_PARTS[:in_files] + OF_PARTS[3:4])

    def test_ranks_with_devices(self):
        for words in (("--op=prod", "--data=swing"), ("--op=argmin",), ("--map=x*y",), ("--map=x*(i % 7)/n", "-tf64"), ("--op=./late.op.json",)):
            self.same(Problem(*words, operands=1 + ("--map=x*y" in words), value=PROBLEMS[-1].value if "late" in words[0] else None), ways=CUTS_OF_DEVICES)

    def test_operands_of_two_types(self):
        outputs = {self.run_way(way, Problem("--map=x*y", "--second=f64", operands=2), "-q").out for way in WAYS + CUTS if way.function}
        self.assertEqual(len(outputs), 1, outputs)

    def test_several_chunks(self):
        """Of 2^20 elements, or 2^23 where they are not checked."""
        for n, words in ((1500001, ()), (9000001, ("--check=none",))):
            self.same(Problem("--op=sum", *words), n, [way for way in CUTS if "anywhere" in way.name or "gaps" in way.name])

    def test_segments(self):
        """Wherever a rank's elements begin: in a segment, in a row of columns, in a tile; some are empty, and one is long."""
        for n, results, *words in ((N - 1, "f32", "--length=21"), (40000, "f32", "--axes=800x50:0"), (40000, "i64", "--axes=4x200x50:1", "--op=argmin"),
                                   (50000, "f64,f64", "--offsets=60", "--op=meanvar", "-tf64"), (50000, "f32", "--axes=50000:0", "--map=x*y + i/n"),
                                   (12000, "f64", "--offsets=60", "--op=mean", "-tf64", "--accuracy=exact")):
            how, operands = ("--run=native", "--results=" + results, *words), 1 + ("x*y" in words[-1])
            alone = self.run_library(next(way for way in WAYS if way.function == "reduce"), [*how, "--operands=%d" % operands], n)
            self.assertEqual((alone.code, alone.err), (0, ""), alone)

            def check(way, problem, alone=alone, n=n, how=how, operands=operands):
                done = self.run_library(way, [*how, *way.words, "--operands=%d" % operands], n)
                self.assertEqual((done.code, done.out), (0, alone.out), (problem, how, done.err))
            self.each(check, [way for way in CUTS if way.function == "distributed"])

    def test_functions_that_err(self):
        """Their bits depend on what is reduced together, so parts begin at a tile."""
        for problem in (Problem("--map=sin(x)*x", "-tf32"), Problem("--op=max", "--map=sin(x)", "-tf64")):
            self.same(problem, ways=[way for way in WAYS + CUTS if way.strategy == HOST and (way not in OF_PARTS or "tiles" in way.name)])

    def test_nothing(self):
        def check(way, problem):
            self.refused(self.run_way(way, problem, "-q", n=0), 6 if way.parts or way.function == "parts" else 2, "argmin of")
        self.each(check, WAYS, (Problem("--op=argmin", "-tf32"),))


class Checks(Table):
    def line(self, out):
        return re.search(r"(?m)^check +(.*)$", out)[1]

    def test_the_exact_answer(self):
        """It is that of all elements, once, and the value is within the bound."""
        exact = re.compile(r"exact (\S+) .* ok$")
        for problem in (SUM, Problem("--op=prod", "-tf64", "--data=swing")):
            want = exact.search(self.line(self.good("--run=native", *problem.words, "-n%d" % N).out))[1]

            def check(way, problem, want=want):
                done = self.run_way(way, problem)
                self.assertEqual(exact.search(self.line(done.out))[1], want, done)
            self.each(check, OF_PROGRAM, (problem,))

    def test_sampled(self):
        def check(way, problem):
            done = self.run_way(way, problem, "--check=sampled")
            if way in OF_RANKS:
                self.refused(done, 2, "--check sampled|--check=full or none")
            else:
                self.assertRegex(self.line(done.out), SAMPLED.get(way.name.partition(" ")[0], r"^exact "))
        self.each(check, OF_PROGRAM)

    def test_none(self):
        self.each(lambda way, problem: self.assertRegex(self.line(self.run_way(way, problem, "--check=none").out), "^skipped"), OF_PROGRAM)

    def test_none_of_a_wrong_strategy(self):
        """What is not checked was tried before."""
        def check(way, problem):
            done = self.run_way(way, problem, "-q", "--check=none", *by(WRONG, "drops_last"), run="drops_last")
            self.assertEqual((done.code, done.out), (1, ""), done)
            self.assertIn("fails its self-test", done.err)
        self.each(check, [way for way in OF_PROGRAM if way.strategy == HOST and "--stream=2KiB" not in way.words])  # it drops the last of more

    def test_a_weak_bound(self):
        """Is none: exact data at this n, or at that of the largest chunk, are tried by a process that has all values, and else nothing is said
        of the answer."""
        def check(way, problem):
            own = "--map=x" in problem.words
            done = self.run_way(way, problem, "--isolate=never", *by(WRONG, "far_constant"), run="far_constant")
            if way.function == "prepared":  # which checks nothing
                self.assertEqual((done.code, done.err), (0, ""))
            elif own or way.parts or way in OF_RANKS or way.function in ("distributed", "parts"):
                self.assertEqual(done.code, 0, done)
                self.assertIn(" not judged: its bound allows much; exact data at this n: not tried: ", done.err, done)
            else:
                self.assertEqual((done.code, done.err), (0, ""), done)
        self.each(check, IN_PROCESS, (SUM, Problem("--map=x", "-tf32")))

    def test_a_weak_bound_at_its_n(self):
        """A strategy that is wrong from 2^24 elements on, and may be by its own word."""
        way = next(way for way in WAYS if way.function == "reduce")
        for words, code, said in (((), 1, "exact data at this n: 0.048"), (("--map=x",), 0, "is not judged: its bound allows much")):
            done = self.run_way(way, Problem(*words), *by(WRONG, "far_constant"), run="far_constant", n=1 << 24)
            self.assertEqual(done.code, code, done)
            self.assertIn(said, done.err)

    def test_a_wrong_answer(self):
        """Is an error, and recorded against the strategy."""
        tuned = os.path.join(self.env["XDG_CACHE_HOME"], "redhost", "tuned.json")

        def check(way, problem):
            if os.path.exists(tuned):
                os.remove(tuned)
            done = self.run_way(way, problem, "--isolate=never", *by(WRONG, "drops_last"), run="drops_last")
            self.assertEqual(done.code, 1, done)
            self.assertRegex(done.err, "wrong result|fails its self-test")
            self.assertIn('"failed":true', cli.text(tuned).replace(" ", ""))
        self.each(check, IN_PROCESS, (Problem("-ti32"),))


class Inputs(Table):
    """What files and pipes are, and what becomes of those that are damaged."""
    FAULTS = [("REDHOST_TEST_PREAD_AT",), ("REDHOST_TEST_MAP_AT",), ("REDHOST_TEST_MAP_AT", "--check=none")]

    def in_orders(self):
        import numpy
        for name, order in (("c.npy", "C"), ("f.npy", "F")):
            numpy.save(self.path(name), numpy.asarray(numpy.arange(4242, dtype="<f4").reshape(42, 101), order=order))

    def test_operands_in_different_orders(self):
        self.in_orders()
        self.each(lambda way, problem: self.refused(self.run_way(way, problem, names=["c.npy", "f.npy"]), 2, "in C order|in Fortran order|the same order"),
                  OF_FILES, (Problem("--map=x*y", operands=2),))

    def test_an_index_in_fortran_order(self):
        self.in_orders()

        def check(way, problem):
            done = self.run_way(way, problem, names=["f.npy"])
            self.assertEqual(done.code, 0, done)
            self.assertEqual(done.err.count(": shape (42, 101), Fortran order: the index counts in storage order.\n"), 1, done)
        self.each(check, OF_FILES + OF_PIPES, (Problem("--op=argmin"),))

    @cli.needs(PREAD)
    def test_a_read_error(self):
        def check(way, problem):
            name, = self.files_of(problem, N)
            for where, *more in self.FAULTS[:1 if way.of_device else 3]:  # the host's are views
                done = self.run_way(way, problem, "-q", *more, env={**cli.preloaded("failing_pread.so"), "REDHOST_TEST_PREAD_OF": name, where: "200001"})
                self.refused(done, 6, name + ": cannot be read|Input/output error")
                self.assertLess(done.seconds, cli.PROMPT)
        self.each(check, [way for way in OF_FILES if way.words])

    @cli.needs(PREAD)
    def test_a_file_that_is_cut(self):
        def check(way, problem):
            name, = self.files_of(problem, N)
            data = cli.read(self.path(name))
            for where, *more in self.FAULTS[:1 if way.of_device else 3]:
                self.write("cut.npy", data)
                done = self.run_way(way, problem, "-q", *more, names=["cut.npy"], env={**cli.preloaded("failing_pread.so"), "REDHOST_TEST_PREAD_OF": "cut.npy",
                                                                                where: "200000", "REDHOST_TEST_PREAD_CUTS": "1"})
                self.refused(done, 6, "cut.npy|was cut short")
                self.assertLess(done.seconds, cli.PROMPT)
        self.each(check, [way for way in OF_FILES if way.words])

    def in_pieces(self, data):
        """A pipe that never holds a chunk, so that every read of it is short."""
        end, begin = os.pipe()

        def write():
            with open(begin, "wb", buffering=0) as pipe:
                for at in range(0, len(data), 4001):
                    pipe.write(data[at:at + 4001])
                    time.sleep(0.0005)
        threading.Thread(target=write, daemon=True).start()
        self.addCleanup(os.close, end)
        return end

    def test_pipes(self):
        """They end early, or within an element; raw ones do not tell how many elements there are."""
        def check(way, problem):
            name, = self.files_of(problem, N)
            data = cli.read(self.path(name))
            self.refused(self.run_way(way, problem, input=data[:-80000]), 6, "is the copy complete")
            raw = data[128:]
            self.refused(self.run_way(way, problem, input=raw[:-3]), 6, "is not a multiple of 8")
            self.refused(self.run_way(way, Problem("--map=x*n", "-tf64"), input=raw), 2, "the map uses n")
            done = self.run_way(way, problem, "-q", stdin=self.in_pieces(raw))
            self.assertEqual(done.out, self.good("--run=native", *problem.words, "-n%d" % N, "-q").out, done)
        self.each(check, OF_PIPES, (Problem("--op=sum", "-tf64"),))


class Failures(Table):
    # (strategy of the zoo, what is said of it, status), by a strategy that did not come with redhost.
    STRANGERS = [("crash_in_run", "crashed in run (signal 11)", 5), ("exit_in_run", "ended the process with exit status 0 in run", 5),
                 ("hang_in_run", "did not answer within 1 s in run; --timeout allows more", 5),
                 ("decline_in_setup", "cannot run on the host: the groups are too small", 4), ("lie", "wrong result", 1)]

    def test_strangers(self):
        """In a child of every process, or refused."""
        for name, words, code in self.STRANGERS:
            def check(way, problem, name=name, words=words, code=code):
                done = self.run_way(way, problem, "-q", "--timeout=1", "--data=equal", *by(cli.ZOO, "worker_faults"), run="worker_" + name)
                refused = way.name == "devices"
                self.refused(done, 4 if refused else code, "process of its own" if refused else words)
                self.assertLess(done.seconds, cli.PROMPT)
            self.each(check, [way for way in OF_PROGRAM if way.data == "made"])

    @cli.needs(os.path.join(cli.DRIVERS, "failing_memory.so"))
    def test_a_device_that_fails(self):
        env = {**cli.preloaded("failing_memory.so"), "REDHOST_TEST_FAILING_CALL": "clEnqueueNDRangeKernel", "REDHOST_TEST_FAILING_CODE": "-5"}
        self.each(lambda way, problem: self.refused(self.run_way(way, problem, "-q", env=env), 5, "CL_OUT_OF_RESOURCES"),
                  [way for way in OF_PROGRAM if way.of_device])

    @cli.needs(FAULTS)
    def test_one_device_of_several_fails(self):
        """The others take what it had, and the value stays; a pipe is not read twice."""
        want = self.value("--run=native", *SUM.words, "-n%d" % N)
        for call in ("clEnqueueNDRangeKernel", "clEnqueueMapBuffer", "clEnqueueUnmapMemObject", "clEnqueueReadBuffer", "clWaitForEvents"):
            def check(way, problem, call=call):
                said = ""
                for k in range(1, 18, 2) if way.data == "made" else random.sample(range(30, 60), 3):
                    done = self.run_way(way, problem, "--json", env={"LD_PRELOAD": FAULTS, "REDHOST_FAULT": "%s:%d:1" % (call, k), "REDHOST_FAULT_IN": "-"})
                    if way.data == "pipe" and done.code:
                        self.refused(done, 5, "CL_OUT_OF_RESOURCES")
                    else:
                        self.assertEqual(done.code, 0, done)
                        self.assertEqual(json.loads(done.out)["results"][0]["value"], want)
                        self.assertRegex(done.err, r"\A(redhost: device 0:\d (failed, and the others took its (chunks|part)|is left out): "
                                                   r".*(CL_OUT_OF_RESOURCES|not enough memory).*\n)?\Z")
                    self.assertLess(done.seconds, cli.PROMPT)
                    said += done.err
                self.assertIn("CL_OUT_OF_RESOURCES", said)
            self.each(check, [way for way in WAYS if way.env and (way.data != "made" or call == "clEnqueueNDRangeKernel")])

    def test_progress_and_an_interrupt(self):
        def check(way, problem):
            words = [*problem.words, "--run=" + way.strategy, *way.words, "--progress=always", "--no-check"]
            job = self.start(*words, "-n2^36", env=way.env)
            os.sched_setaffinity(job.pid, [min(os.sched_getaffinity(0))])  # as much as it gets, until it says something
            ender = threading.Timer(cli.PATIENCE, job.kill)  # of one that says nothing
            ender.start()
            said = b""
            while b"streaming" not in said and job.poll() is None:
                said += os.read(job.stderr.fileno(), 1000)
            ender.cancel()
            job.send_signal(signal.SIGINT)
            self.assertEqual((job.wait(cli.PROMPT), job.stdout.read()), (130, b""), said)
            self.assertIn(b"streaming", said)
        ways = [Way("devices", "onepass", words=("-d", "all", "--stream=64KiB"), devices=THREE)]
        self.each(check, ways + [way for way in OF_PROGRAM if way.data == "made" and (way in OF_RANKS or way.name == "stream")], (Problem("-tu8"),))

    def test_a_pipe_that_stalls(self):
        """An interrupt ends what waits for it."""
        def check(way, problem):
            words = [*problem.words, "--run=" + way.strategy, *way.words, "--input=-"]
            job = self.start(*words, env=way.env, stdin=subprocess.PIPE)
            job.stdin.write(b"\0" * 40000)
            job.stdin.flush()
            time.sleep(1)
            job.send_signal(signal.SIGINT)
            self.assertEqual((job.wait(cli.PROMPT), job.stdout.read()), (130, b""))
        self.each(check, OF_PIPES)

    def test_cancelled_by_a_reporter(self):
        def check(way, problem):
            done = self.run_way(way, problem, "--cancel=" + ("streaming" if way.of_device else "reducing"), n=10 * N)
            self.refused(done, 130, "cancelled")
        self.each(check, [way for way in WAYS if way.function and (way.of_device or way.function in ("distributed", "parts"))])


class Requests(Table):
    """All that changes the answer is compared between partakers, whole; the sentence has the first of their values that differs."""

    OWN = ("--map=x*t", "--let=t=2", "--where=x>0.5")
    BY_ONES_OWN = ("--reduce=a*(1-b)+b", "--identity=0", "--unchecked-op")
    # (options of all, what one of them has instead, how the sentence names the difference)
    DIFFER = [((), "--op=max", "operator is 'sum' and 'max'"), ((), "-tf64", "type is 'f32' and 'f64'"), ((), "--map=x*x", "operator is 'sum' and 'sum of x*x'"),
              ((), "--where=x>0", "operator is 'sum' and 'sum where x>0'"), ((), "--accuracy=exact", "accuracy is 'plain' and 'exact'"),
              ((), "--check=none", "check is 'full' and 'none'"), (OWN, "--let=t=3", "constant t is 2 and 3"),
              (OWN, "--let=t=2.0", "constant t is 2 and 2.0"), (OWN, "--where=x>0.25", " and "),
              (BY_ONES_OWN, "--identity=0.0", "identity of field is '0' and '0.0'"), (BY_ONES_OWN, "--commutes", "claim is none and 'commutative'")]
    OF_JOBS = [((), "--seed=7", "seed is 1 and 7"), ((), "-n100001", "number of elements is 100003 and 100001"),
               ((), "--stream=64KiB", "bytes of a chunk is 0 and 65536")]

    def test_of_parts(self):
        for same, other, words in self.DIFFER:
            with self.subTest(other=other):
                for k, more in enumerate(((), (other,))):
                    own = [word for word in same if not more or word.partition("=")[0] != other.partition("=")[0]]
                    self.good("--run=native", "-n%d" % N, *own, *more, "--slice=%d:%d" % (k * 1000, k * 1000 + 1000), "--partial=%d.part" % k, quiet=False)
                self.refused(self.redhost("--merge", "0.part", "1.part"), 6, words)

    def test_of_distributed_ranks(self):
        way = next(way for way in WAYS if way.function == "distributed")
        for same, other, words in self.DIFFER:
            with self.subTest(other=other):
                done = self.run_way(way, Problem(*same), "--last=" + other)
                self.refused(done, 2, "rank 0 (host |) and rank 4 (host |are asked for different reductions: |" + words)
        for more, words in (("--length=34", "length 17, |length 34, "), ("--results=f32", "rank 4 (host |more outputs")):
            done = self.run_library(way, ["--run=native", "--length=17", "--results=f32", "--last=" + more], 9996)
            self.refused(done, 2, words)

    @unittest.skipUnless(shutil.which("mpirun.openmpi"), "no mpirun")
    def test_of_ranks(self):
        for same, other, words in self.DIFFER + self.OF_JOBS:
            with self.subTest(other=other):
                start, command = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"], []
                for more in ((), (other,)):
                    own = [word for word in ("-n%d" % N, *same) if not more or word.partition("=")[0][:2] != "-n" or other[:2] != "-n"]
                    own = [word for word in own if not more or word.partition("=")[0] != other.partition("=")[0]]
                    command += [":"] * bool(command) + ["-n", "1", cli.REDHOST, "--run=native", "--transport=mpi", "-q", *own, *more]
                done = subprocess.run([*start, *command], env=self.env, cwd=self.cwd, stdin=subprocess.DEVNULL, capture_output=True,
                                      timeout=cli.PATIENCE)
                said = [line for line in done.stderr.decode().splitlines() if line.startswith("redhost: ")]
                self.assertEqual((done.returncode, done.stdout, len(said)), (2, b"", 1), said)
                self.assertRegex(said[0], r"rank 0 \(host \S+\) and rank 1 \(host \S+\) are asked for different reductions: ")
                self.assertIn(words, said[0])


class Fallback(Table, test_tuned.TunedCase):
    """`auto` takes the next strategy after a failure."""
    # (strategy of the zoo, what is said of it, whether that comes after data were read)
    FAULTS = [("fail_in_setup", "setup: no room for the", False), ("decline_in_run", "run: ", True)]

    def test_next(self):
        want = self.good("--run=native", "-ti32", "-n%d" % N, "-q", quiet=False).out
        for name, words, late in self.FAULTS:
            self.tune(test_tuned.entry("worker_" + name, 1e-9, path=os.path.join(cli.ZOO, "worker_faults.so")))

            def check(way, problem, name=name, words=words, late=late):
                env = {key: "pthread pthread pthread" for key in way.env}  # of which the same is known
                done = self.run_way(way, problem, "--isolate=never", *by(cli.ZOO, "worker_faults"), run="auto", env=env)
                if late and way.data == "pipe":  # which is read once
                    self.assertEqual((done.code, done.out), (5, ""), done)
                    return self.assertIn("redhost: strategy 'worker_%s'" % name, done.err)
                self.assertEqual(done.code, 0, done)
                self.assertIn(want.strip(), done.out)
                if not way.parts and not (way.function and way.of_device):  # which choose others, or say it before they are merged
                    self.assertRegex(done.err, "auto leaves it out: strategy 'worker_%s'.*%s" % (name, words))
                return None
            self.each(check, WAYS, (Problem("-ti32"),))

    def test_next_in_a_child(self):
        want = self.good("--run=native", "-ti32", "-n%d" % N, "-q", quiet=False).out
        self.tune(*(test_tuned.entry("worker_" + name, (k + 1) * 1e-9, path=os.path.join(cli.ZOO, "worker_faults.so"))
                    for k, name in enumerate(("crash_in_setup", "crash_in_run"))))

        def check(way, problem):
            done = self.run_way(way, problem, "--isolate=always", *by(cli.ZOO, "worker_faults"), run="auto")
            self.assertEqual(done.code, 0, done)
            self.assertIn(want.strip(), done.out)
            if not way.parts:
                self.assertEqual(re.findall(r"(?m)^redhost: auto leaves it out: .*strategy 'worker_(\w+)'", done.err), ["crash_in_setup", "crash_in_run"], done)
        self.each(check, [way for way in OF_PROGRAM if way.data != "pipe" and not way.name.startswith("stream") and way.name != "devices"],
                  (Problem("-ti32"),))
