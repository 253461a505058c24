"""--accuracy exact: sums and dot products have the bits of the exact value, rounded once, which fractions compute."""

import fractions
import json
import math
import os
import random
import struct

import redhost_cli as cli

WORDS = {"f32": ("f", 24, -149, 128), "f64": ("d", 53, -1074, 1024)}


def rounded(exact, kind):
    """To nearest, ties to even, by integers alone."""
    code, digits, lowest, top = WORDS[kind]
    if exact == 0:
        return struct.pack(code, 0.0)
    magnitude = abs(exact)
    place = magnitude.numerator.bit_length() - magnitude.denominator.bit_length() - digits - 1
    while magnitude >= fractions.Fraction(2) ** (place + digits):
        place += 1
    place = max(place, lowest)
    scaled = magnitude / fractions.Fraction(2) ** place
    whole, rest = divmod(scaled.numerator, scaled.denominator)
    half = 2 * rest - scaled.denominator
    whole += half > 0 or (half == 0 and whole % 2)
    value = fractions.Fraction(whole) * fractions.Fraction(2) ** place
    number = float("inf") if value >= fractions.Fraction(2) ** top else float(value)
    return struct.pack(code, -number if exact < 0 else number)


def number(rng, kind, scale):
    """A float of the type, as a Python float; `scale`: its exponent lies that far from 0, at most."""
    x = rng.choice((-1, 1)) * (1 + rng.random()) * 2.0 ** rng.randint(-scale, scale)
    return struct.unpack(WORDS[kind][0], struct.pack(WORDS[kind][0], x))[0]


CODES = {"f16": "e", "f32": "f", "f64": "d", "i8": "b", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q"}


class Accuracy(cli.Case):

    def store(self, name, kind, values):
        cli.write(os.path.join(self.cwd, name), struct.pack(f"{len(values)}{CODES[kind]}", *values))

    def read(self, name):
        return cli.read(os.path.join(self.cwd, name))

    def ask(self, kind, *words, strategy="native"):
        """With commas between strategies: what all of them answer."""
        out = self.good("--run", strategy, "-t", kind, "-q", "--accuracy", "exact", *words, quiet=False).out
        self.assertEqual(len(set(out.splitlines())), 1, (strategy, words, out))
        return struct.pack(WORDS[kind][0], float(out.split()[0]))

    def check(self, kind, x, y, ways=((),)):
        dot = rounded(sum((fractions.Fraction(a) * fractions.Fraction(b) for a, b in zip(x, y)), fractions.Fraction(0)), kind)
        total = rounded(sum(map(fractions.Fraction, x), fractions.Fraction(0)), kind)
        self.store("x", kind, x)
        self.store("y", kind, y)
        for way in ways:
            self.assertEqual(self.ask(kind, "-i", "x,y", "--op", "dot", *way).hex(), dot.hex(), (kind, len(x), way))
            several = [("native",), ("superaccumulator",), ("extraction",)] if "--ranks" in way else [("native,superaccumulator,extraction",)]
            for strategy, *words in (*several, *[("extraction", "-p", "group=32")] * (len(x) > 64)):
                self.assertEqual(self.ask(kind, "-i", "x", *way, *words, strategy=strategy).hex(), total.hex(), (kind, len(x), way, strategy, words))

    def test_any_range(self):
        rng = random.Random(11)
        for kind in WORDS:
            for scale in (0, 20, 60 if kind == "f32" else 500):
                for n in (1, 2, 777, 3000):
                    x, y = ([number(rng, kind, scale) for _ in range(n)] for _ in range(2))
                    self.check(kind, x, y)

    def test_signs_of_zero(self):
        """Of zeros that are all negative the sum is -0, whatever divides them; of others it is 0."""
        for kind in WORDS:
            for x, y in (([-0.0] * 3001, [1.0] * 3001), ([0.0] * 3001, [-2.0] * 3001), ([-0.0] * 3000 + [0.0], [1.0] * 3001), ([1.0, -1.0], [2.0, 2.0])):
                self.store("x", kind, x)
                self.store("y", kind, y)
                for way in ((), ("--stream=4096",)):
                    for words, terms in ((("-i", "x"), x), (("-i", "x,y", "--op", "dot"), [a * b for a, b in zip(x, y)])):
                        wanted = -0.0 if all(struct.pack("d", term) == struct.pack("d", -0.0) for term in terms) else 0.0
                        self.assertEqual(self.ask(kind, *words, *way), struct.pack(WORDS[kind][0], wanted), (kind, words, way, x[-1]))
                self.assertEqual(self.ask(kind, "-i", "x", "--op", "asum"), struct.pack(WORDS[kind][0], float(sum(map(abs, x)))))

    def test_what_cancels(self):
        """All but a little: the strategy's own answer has no correct bit."""
        rng = random.Random(12)
        for kind in WORDS:
            x, y = ([number(rng, kind, 10) for _ in range(1500)] for _ in range(2))
            tiny = [number(rng, kind, 0) * 2.0**-60 for _ in range(3)]
            self.check(kind, x + [-a for a in x] + tiny, y + y + [1.0, 1.0, -1.0])

    def test_ends_of_the_range(self):
        """Products below the smallest subnormal add up, and those that overflow may come back."""
        for kind, small, large in (("f32", 2.0**-149, 2.0**127), ("f64", 2.0**-1074, 2.0**1023)):
            half = 2.0 ** (WORDS[kind][2] // 2)
            self.check(kind, [half] * 64, [half / 64] * 64)
            self.check(kind, [half, half / 2**30], [2.5 * 2.0 ** (WORDS[kind][2] - WORDS[kind][2] // 2), half / 2**30])
            self.check(kind, [small] * 5, [small] * 5)
            self.check(kind, [small, small, 1.0], [0.5, 0.5, small])
            self.check(kind, [large, large, 3.0], [large, -large, 1.0])
            self.check(kind, [large, 3.0], [2.0, 1.0])

    def test_ties(self):
        for kind, (_, digits, _, _) in WORDS.items():
            ulp = 2.0 ** (1 - digits)
            for tail in ([], [2.0**-100], [-(2.0**-100)]):
                for first in (1.0, 1.0 + ulp, -1.0 - ulp):
                    x = [first, ulp / 2 if first > 0 else -ulp / 2] + tail
                    self.check(kind, x, [1.0] * len(x))

    def test_specials(self):
        inf, nan = float("inf"), float("nan")
        for kind in WORDS:
            for x, y, expects in (([inf, 1.0], [2.0, 1.0], inf), ([inf, 1.0], [-2.0, 1.0], -inf), ([inf, inf], [1.0, -1.0], nan),
                                  ([inf, 1.0], [0.0, 1.0], nan), ([nan, 1.0], [0.0, 1.0], nan)):
                self.store("x", kind, x)
                self.store("y", kind, y)
                out = float(self.good("--run", "native", "-t", kind, "-q", "--accuracy", "exact", "-i", "x,y", "--op", "dot", quiet=False).out)
                self.assertTrue(out == expects or (out != out and expects != expects), (kind, x, y, out))

    def test_streams_and_ranks(self):
        rng = random.Random(13)
        for kind in WORDS:
            x, y = ([number(rng, kind, 30) for _ in range(4099)] for _ in range(2))
            self.check(kind, x, y, ways=((), ("--stream=2KiB",), ("--ranks", "3")))

    def means(self, rng):
        """Arrays whose mean ties, overflows on the way, is subnormal or -0, or any."""
        for kind, (code, digits, lowest, top) in WORDS.items():
            ulp, least = 2.0 ** (1 - digits), 2.0**lowest
            most = (2 - ulp) * 2.0 ** (top - 1)
            for x in ([1.0, 1 + ulp], [1 + ulp, 1 + 2 * ulp], [most] * 3, [most, -most, 1.0], [least, 0.0], [-least, 0.0], [3 * least, 0.0],
                      [-0.0] * 5, [-0.0, 0.0], [1.0, 2.0**-60, 0.0], [float("inf"), 1.0], [float("inf"), -float("inf")]):
                yield kind, x if rng.random() < 0.5 else [-a for a in x]
            for n in (3, 1003):
                yield kind, [number(rng, kind, 40) for _ in range(n)]
        yield "f16", [struct.unpack("e", struct.pack("e", rng.uniform(-3, 3)))[0] for _ in range(1003)]
        for kind in CODES:
            if kind[0] != "f":
                bits, signed = int(kind[1:]), kind[0] == "i"
                least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
                yield from ((kind, [rng.choice((least, most))] * 7), (kind, [rng.randint(least, most) for _ in range(1003)]))

    def test_mean(self):
        """The exact sum divided by n, rounded once, however it comes together; and what is made of it as f64."""
        rng = random.Random(16)
        for kind, x in self.means(rng):
            total = float(sum(x)) if not all(map(math.isfinite, x)) else None
            exact = total if total is not None else sum(map(fractions.Fraction, x), fractions.Fraction(0)) / len(x)
            self.store("x", kind, x)
            for wide in ((), ("--result", "f64")) if len(x) > 9 else ((),):
                to = "f64" if wide or kind not in ("f16", "f32") else "f32"
                ways = ((), ("--stream=2KiB",), ("--ranks", "2")) if len(x) > 1000 and not wide else ((),)
                for way in ways if kind[0] == "f" or not wide else ():
                    said = float(self.good("--run", "auto", "-t", kind, "-q", "--accuracy", "exact", "-i", "x", "--op", "mean", *wide, *way,
                                           quiet=False).out)
                    if total is not None:
                        self.assertTrue(said == total or (said != said and total != total), (kind, x, said))
                        continue
                    is_minus = exact < 0 or (exact == 0 and all(str(a) == "-0.0" for a in x))
                    wanted = struct.pack(WORDS[to][0], -0.0) if is_minus and exact == 0 else rounded(exact, to)
                    if is_minus:
                        wanted = struct.pack(WORDS[to][0], -abs(struct.unpack(WORDS[to][0], wanted)[0]))
                    self.assertEqual(struct.pack(WORDS[to][0], said), wanted, (kind, x[:9], wide, way, said))
        self.assertEqual(self.good("--run", "auto", "-n", "0", "-q", "--accuracy", "exact", "--op", "mean", quiet=False).out, "nan\n")

    def test_mean_in_parts(self):
        rng = random.Random(17)
        for kind in ("f32", "f64", "i64"):
            x = [number(rng, kind, 40) if kind[0] == "f" else rng.randint(-(2**63), 2**63 - 1) for _ in range(3003)]
            self.store("x", kind, x)
            for part in ("0:700", "700:3003"):
                self.good("--run", "auto", "-t", kind, "-i", "x", "--op", "mean", "--accuracy", "exact", "--slice", part, "--partial", part + ".part")
            said = float(self.good("--merge", "0:700.part", "700:3003.part", "-q", quiet=False).out)
            to = kind if kind in WORDS else "f64"
            self.assertEqual(struct.pack(WORDS[to][0], said), rounded(sum(map(fractions.Fraction, x)) / len(x), to))

    def test_state(self):
        """A sum goes on where it stopped, by any way, and what cannot go on leaves the file as it was."""
        rng = random.Random(19)
        parts = [[number(rng, "f32", 40) for _ in range(n)] for n in (1, 1000, 77, 3001)]
        path, ways = self.path("s.state"), ((), ("--stream=1KiB",), ("--ranks", "2"), ())
        for op in ("sum", "mean"):
            words = ("--run", "auto", "-t", "f32", "-i", "x", "--op", op, "--accuracy", "exact", "--state", "s.state")
            have = []
            for x, way in zip(parts, ways):
                self.store("x", "f32", x)
                have += x
                told = json.loads(self.good(*words, *way, "--json", quiet=False).out)["results"][0]
                exact = sum(map(fractions.Fraction, have)) / (len(have) if op == "mean" else 1)
                self.assertEqual(struct.pack("f", float(told["value"])), rounded(exact, "f32"), (op, len(have), way))
                self.assertEqual((told["state"], told["check"]["ok"]), ({"file": "s.state", "n": len(have)}, True))
            os.rename(path, os.path.join(self.cwd, op))
        twice = self.good("--merge", "sum", "sum", "-q", quiet=False).out
        self.assertEqual(struct.pack("f", float(twice)), rounded(2 * sum(map(fractions.Fraction, have)), "f32"))
        self.good("--run", "auto", "-t", "f32", "-i", "x", "--accuracy", "exact", "--partial", "part")
        good = self.read("sum")
        for bad, *of in ((good[:-1],), (good[:90],), (b"",), (good[:1200] + bytes([good[1200] ^ 1]) + good[1201:],), (good + b"x",), (b"hello" * 99,),
                         (good[:8] + b"\3" + good[9:],), (good, "-t", "f16"), (good, "--op", "asum"), (good, "--result", "f64"),
                         (self.read("part"),), (self.read("mean"),)):
            cli.write(path, bad)
            self.bad(6, "s.state", "--run", "auto", "-n", "100", "--accuracy", "exact", "--state", "s.state", *of)
            self.assertEqual(self.read("s.state"), bad, of)
        self.bad(6, "do not go together", "--merge", "sum", "part")
        for status, message, *rest in ((2, "goes with --accuracy=exact",), (2, "take one strategy", "--accuracy", "exact", "--run", "native,auto"),
                                       (2, "one for each segment", "--accuracy", "exact", "--length", "10"),
                                       (4, "--state keeps exact sums", "--accuracy", "exact", "-t", "i32"),
                                       (4, "--state keeps exact sums", "--accuracy", "exact", "--op", "max")):
            name = () if "--run" in rest else ("--run", "auto")
            self.bad(status, message, *name, "-n", "100", "--state", "new.state", *rest)
        self.assertFalse(os.path.exists(self.path("new.state")))
        self.bad(6, "no/dir", "--run", "auto", "-n", "100", "--accuracy", "exact", "--state", "no/dir")

    def test_result_f64(self):
        """Sums of f16 and f32, and of products of f32, are not rounded to f32 first."""
        rng = random.Random(18)
        x, y = ([number(rng, "f32", 20) for _ in range(2001)] for _ in range(2))
        half = [struct.unpack("e", struct.pack("e", a))[0] for a in (rng.uniform(-2, 2) for _ in range(2001))]
        for name, kind, values in (("x", "f32", x), ("y", "f32", y), ("h", "f16", half)):
            self.store(name, kind, values)
        for kind, words, terms in (("f32", ("-i", "x"), x), ("f32", ("-i", "x", "--op", "asum"), map(abs, x)), ("f16", ("-i", "h"), half),
                                   ("f16", ("-i", "h", "--op", "asum"), map(abs, half)),
                                   ("f32", ("-i", "x,y", "--op", "dot"), (fractions.Fraction(a) * fractions.Fraction(b) for a, b in zip(x, y)))):
            wanted = rounded(sum(map(fractions.Fraction, terms), fractions.Fraction(0)), "f64")
            for way in ((), ("--stream=2KiB",)):
                said = self.good("--run", "auto", "-t", kind, "-q", "--accuracy", "exact", "--result", "f64", *words, *way, quiet=False).out
                self.assertEqual(struct.pack("d", float(said)), wanted, (kind, words, way))
        rows = json.loads(self.good("-t", "f32", "-i", "x", "--length", "667", "--accuracy", "exact", "--result", "f64", "--json", quiet=False).out)
        self.assertEqual([struct.pack("d", float(value)) for value in rows["results"][0]["values"]],
                         [rounded(sum(map(fractions.Fraction, x[k:k + 667])), "f64") for k in (0, 667, 1334)])
        self.assertIn("superaccumulator", self.good("--run", "auto", "-n", "1000", "--accuracy", "exact", "--result", "f64", quiet=False).out)
        self.good("--run", "auto", "-n", "1000", "-q", "--op", "dot", "--accuracy", "exact", "--result", "f64")
        for message, *words in (("--result goes with --accuracy=exact",), ("--result f64 is for sum, asum, mean and dot", "--accuracy", "exact", "--op", "max"),
                                ("--result and --map", "--accuracy", "exact", "--map", "x")):
            self.bad(2, message, "--run", "native", "-n", "1000", "--result", "f64", *words)
        self.bad(4, "cannot be rounded once", "--run", "native", "-n", "1000", "-t", "i32", "--accuracy", "exact", "--result", "f64")

    def test_fsum(self):
        """As Python's math.fsum; REDHOST_TEST_FILES is the number of files."""
        rng = random.Random(14)
        for _ in range(int(os.environ.get("REDHOST_TEST_FILES", "40"))):
            scale = rng.choice((0, 3, 40, 300, 1000))
            x = [number(rng, "f64", scale) for _ in range(rng.choice((1, 2, 100, 5000, rng.randint(1, 20000))))]
            if rng.random() < 0.3:
                x += [-a for a in x[1:]]
                rng.shuffle(x)
            self.store("x", "f64", x)
            self.assertEqual(self.ask("f64", "-i", "x", strategy="superaccumulator"), struct.pack("d", math.fsum(x)), len(x))

    def test_strategies_that_promise_it(self):
        """auto takes only those, and their own answer is the one that is printed; others check the host's."""
        for kind in ("f16", "f32", "f64"):
            for op in ("sum", "asum"):
                told = self.good("--run", "auto", "-t", kind, "-n", "70000", "--op", op, "--accuracy", "exact", quiet=False).out
                self.assertIn("superaccumulator", told)
                self.assertIn("check      exact, rounded once: equal", told)
                plain = self.good("--run", "native", "-t", kind, "-n", "70000", "--op", op, "-q", "--accuracy", "exact", quiet=False).out
                own = self.good("--run", "superaccumulator", "-t", kind, "-n", "70000", "--op", op, "-q", quiet=False).out
                self.assertEqual(plain, own)
        self.assertNotIn("superaccumulator", self.good("--run", "auto", "-n", "70000", quiet=False).out)
        told = self.good("--run", "auto", "-n", "70000", "--op", "dot", "--accuracy", "exact", quiet=False).out
        self.assertIn("the strategy's own answer", told)

    def same_rows(self, code, wanted, *words):
        told = json.loads(self.good("--run", "auto", *words, "--accuracy", "exact", "--json", quiet=False).out)["results"][0]
        values = [value["mean"] if isinstance(value, dict) else value for value in told["values"]]
        self.assertEqual([struct.pack(code, float(value)) for value in values], wanted, words)
        if "dot" not in words:
            self.assertEqual(told["strategy"], "superaccumulator")

    def columns(self, rng, kind, code):
        """Of columns a part has all elements of some, or all where they can be read once only."""
        x = [number(rng, kind, 40) for _ in range(700 * 90)]
        self.write("x.npy", cli.npy(kind, struct.pack(f"{len(x)}{code}", *x), "(700, 90)"))
        wanted = [rounded(sum(map(fractions.Fraction, x[k::90])), kind) for k in range(90)]
        for way in ((), ("--stream=4KiB",), ("--ranks=2",)):
            self.same_rows(code, wanted, "-i", "x.npy", "--axis", "0", *way)

    def checked_segments(self, code, kind, length, x):
        """Of what no strategy rounds once the check has the answer."""
        parts = [list(map(fractions.Fraction, x[k:k + length])) for k in range(0, len(x), length)]
        words = ("-t", kind, "--length", str(length))
        self.same_rows(code, [rounded(sum(map(abs, part)), kind) for part in parts], *words, "-i", "x", "--op", "asum")
        self.same_rows(code, [rounded(sum(part) / length, kind) for part in parts], *words, "-i", "x", "--op", "mean")
        self.same_rows(code, [rounded(sum(a * a for a in part), kind) for part in parts], *words, "-i", "x,x", "--op", "dot")

    def test_segments(self):
        """Each is rounded once, by a strategy that promises it; one that breaks its promise is found, however short segments are."""
        rng = random.Random(15)
        for kind, (code, *_) in WORDS.items():
            for length, *ways in ((1, ()), (3, ()), (37, (), ("--stream=100",)), (5000, (), ("--stream=1KiB",), ("--ranks=2",), ("--device=all",))):
                x = [number(rng, kind, 40) for _ in range(3 * length)]
                self.store("x", kind, x)
                wanted = [rounded(sum(map(fractions.Fraction, x[k:k + length])), kind) for k in range(0, 3 * length, length)]
                means = [rounded(sum(map(fractions.Fraction, x[k:k + length])) / length, kind) for k in range(0, 3 * length, length)]
                for way in ways:
                    self.same_rows(code, wanted, "-t", kind, "-i", "x", "--length", str(length), *way)
                    if way:  # answers of the check go where values go
                        self.same_rows(code, means, "-t", kind, "-i", "x", "--length", str(length), "--op", "mean", *way)
                self.checked_segments(code, kind, length, x)
            self.columns(rng, kind, code)
        wrong = ("--plugin", os.path.join(os.path.dirname(os.environ["REDHOST_TEST_WRONG"]), "promises", "rounds_once.so"), "--isolate=never")
        self.store("x", "f32", [-number(rng, "f32", 4) ** 2 for _ in range(99)])
        self.bad(1, "segment 0: 'negatives_too_far' returned -|it promises to round the exact sum once", *wrong, "--run", "negatives_too_far",
                 "-t", "f32", "-i", "x", "--length", "33")  # a bound for so many would allow it
        self.good("-t", "f32", "-i", "x", "--length", "3", "--accuracy", "exact", "--op", "max")
        self.good("-t", "f32", "-i", "x", "--length", "3", "--accuracy", "exact", "--op", "min,max")

    def test_others(self):
        """What is exact anyway is as it is; what cannot be rounded once is declined."""
        self.assertEqual(self.good("--run", "native", "-n", "1000", "-q", "-t", "i32", "--accuracy", "exact", quiet=False).out,
                         self.good("--run", "native", "-n", "1000", "-q", "-t", "i32", quiet=False).out)
        for words in (("--op", "min"), ("--op", "xor", "-t", "u8"), ("-t", "i32"), ("--op", "argmax")):
            told = self.good("--run", "native", "-n", "1000", *words, "--accuracy", "exact", quiet=False).out
            self.assertIn("equal, exact without --accuracy exact, too   ok", told)
        self.good("--run", "native", "-n", "1000", "-q", "--op", "argmax", "--accuracy", "exact")
        self.good("--run", "native", "-n", "1000", "-q", "--op", "min,max", "--accuracy", "exact")
        for words in (("--op", "meanvar"), ("--op", "prod"), ("--map", "x*y + 1"), ("--finalize", "a*2"), ("--map", "x*y", "--where", "x > 0.5"),
                      ("--finalize", "(f64)(f32)a/n", "-t", "f64")):
            self.bad(4, "rounded once", "--run", "native", "-n", "1000", *words, "--accuracy", "exact")
        self.bad(2, "expected plain or exact", "--run", "native", "--accuracy", "exakt")
        for words in (("--no-check",), ("--check=sampled", "--stream")):
            self.bad(2, "--check=full", "--run", "native", "-n", "1000", "--accuracy", "exact", *words)
