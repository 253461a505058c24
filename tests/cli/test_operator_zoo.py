"""Right operators pass, and each wrong one is found by the laws that it breaks, with a counterexample of at most three elements.

A row of tests/operators/*.json is an operator's file without what nearly all have: the operand x, and both claims."""

import json
import os
import re

import redhost_cli as cli

ROOT = os.path.join(cli.HERE, "..", "..")
ZOO = os.path.join(ROOT, "tests", "operators")
LAWS = ("neutral", "associative", "commutative")


class Zoo(cli.Case):
    uses_programs_once = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.tables, cls.files = {}, {}
        for table in ("right", "wrong"):
            cls.tables[table] = json.loads(cli.text(os.path.join(ZOO, table + ".json")))
            cls.files[table] = [cls.write_operator(row) for row in cls.tables[table]]

    @classmethod
    def write_operator(cls, row):
        path = os.path.join(cls.cwd, row["name"] + ".op.json")
        content = {"redhost": "operator/1", "operands": ["x"], "claims": list(LAWS[1:]), **row}
        content.pop("broken", None)
        cli.write(path, json.dumps(content))
        return path

    def verify(self, *args, code=0):
        return self.json("--verify-op", *args, code=code, quiet=False)["operators"]

    def assert_sides_are_told_apart(self, case):
        sides = re.search(r" gives (.*) grouped to the left and (.*) to the right$", case) or re.search(r" gives (.*), and (.*) exchanged$", case)
        sides = sides or re.search(r": a=(.*) becomes (.*) (?:behind|before) it$", case)
        self.assertNotEqual(*sides.groups())

    def test_right_ones_pass(self):
        self.assertGreaterEqual(len(self.files["right"]), 20)
        for operator in self.verify(*self.files["right"]):
            self.assertTrue(operator["ok"], operator)

    def test_those_that_come_along_pass(self):
        names = [row["name"] for row in self.json("--ops")["operators"] if row["origin"] == "redhost"]
        self.assertGreaterEqual(len(names), 15)
        for operator in self.verify(*names):
            self.assertTrue(operator["ok"], operator)

    def test_wrong_ones_are_found(self):
        self.assertGreaterEqual(len(self.files["wrong"]), 40)
        found = self.verify("-t", "f32", *self.files["wrong"], code=1)
        for about, operator in zip(self.tables["wrong"], found, strict=True):
            with self.subTest(operator=operator["operator"]):
                self.assertFalse(operator["ok"])
                claims = ("neutral", *about.get("claims", LAWS[1:]))
                broken = [law for law in claims if operator[law]["holds"] == "BROKEN"]
                self.assertEqual(", ".join(broken), about["broken"])
                for law in broken:
                    case = operator[law]["counterexample"]
                    self.assertLessEqual(len(re.findall(r"\b[abc]=", case.split(": ", 1)[1])), 3)
                    self.assert_sides_are_told_apart(case)

    def test_formulas_are_proved(self):
        for combine, identity, laws in (("a + b", "-0.0", "proved"), ("a + b + a*b/3", "0", "proved"), ("max(a, b)", "-inf", "in all cases"), ("a == 0 ? b : b == 0 ? a : a + b", "0", "proved (where == holds: in all cases)")):
            (operator,) = self.verify("--reduce", combine, "--identity", identity, "--commutes", "-t", "f64")
            self.assertEqual([operator[law]["holds"] for law in LAWS[1:]], [laws, laws])

    def test_counterexamples_are_small_and_true(self):
        cases = (("a + 2*b", "f64", lambda a, b: a + 2*b, 1), ("a > 1000 ? a : a + b", "i32", lambda a, b: a if a > 1000 else a + b, 1004))
        for combine, type, f, most in cases:
            (operator,) = self.verify("--reduce", combine, "--identity", "0", "-t", type, code=1)
            case = re.search(r"a=(\S+) b=(\S+) c=(\S+) gives (\S+) grouped to the left and (\S+) to the right", operator["associative"]["counterexample"])
            a, b, c, left, right = (float(text) for text in case.groups())
            self.assertEqual((f(f(a, b), c), f(a, f(b, c))), (left, right))
            self.assertLessEqual(abs(a) + abs(b) + abs(c), most, case[0])

    def test_branches_are_tried_beside_their_literals(self):
        for combine, identity in (("b == -12345 ? a : a + b", "0"), ("a > 3e9f ? a : a + b", "0"), ("fabs(a - b) < 0.002f ? a : fmax(a, b)", "-inf")):
            (operator,) = self.verify("--reduce", combine, "--identity", identity, "-t", "f32", code=1)
            self.assertIn("BROKEN", [operator[law]["holds"] for law in LAWS[:2]], operator)

    def test_a_device_is_said_to_agree_only_where_it_was_compared(self):
        (operator,) = self.verify("--map", "exp(x)", "--op", "sum", "-t", "f32")
        self.assertIsNone(operator["device"])
        (operator,) = self.verify("--map", "sqrt(x)", "--op", "sum", "-t", "f32")
        self.assertIn("equal to the host's", operator["device"])

    def test_a_claim_that_is_not_made_is_a_note(self):
        (operator,) = self.verify("--reduce", "a + b", "--identity", "0", "-t", "f32")
        self.assertIn("it commutes in all cases that were tried: claim it", " ".join(operator["notes"]))
        self.assertIn("a=-0 becomes 0", " ".join(operator["notes"]))
        (operator,) = self.verify("--reduce", "b == 0 ? a : b", "--identity", "0", "-t", "i32")
        self.assertEqual(operator["commutative"]["holds"], "BROKEN")
        self.assertTrue(operator["ok"])

    def test_a_broken_one_is_not_used(self):
        wrong = ["--reduce", "a + 2*b", "--identity", "-0.0", "-n", "100"]
        for mode in (["--run", "native"], ["--run", "auto"], ["--bench", "-s", "native", "--quick"]):
            done = self.redhost(*mode, *wrong)
            self.assertEqual((done.code, done.out), (5, ""), done)
            self.assertIn("--unchecked-op", done.err)
        self.assertEqual(self.redhost("--run", "native", *wrong, "--unchecked-op", "-q").code, 0)
        self.assertEqual(self.redhost("--verify-op", *wrong[:4]).code, 1)

    def test_a_strategy_is_not_blamed_for_its_operator(self):
        """What grouping makes of the data says whose fault a difference is, in each way."""
        wrong = ("--reduce", "a + 2*b", "--identity", "0", "--commutes", "-t", "i32", "-n", "100003", "--unchecked-op")
        several = {"POCL_DEVICES": "pthread pthread"}
        ways = ((), ("--isolate=always",), ("--stream=64KiB",), ("--stream", "--check=sampled"), ("--stream", "--check=none"), ("--ranks", "2"))
        runs = [("cpu_serial", way, {}) for way in ways]
        runs += [("cpu_serial", ("-d", "all"), several), ("cpu_serial", ("-d", "all", "--stream=64KiB"), several)]
        for strategy, way, env in runs:
            with self.subTest(strategy=strategy, way=way):
                done = self.redhost("--run", strategy, *wrong, *way, env=env)
                self.assertEqual((done.code, done.out), (5, ""), done)
                self.assertRegex(done.err, r"'a \+ 2\*b' is not associative \(.*\): a=.* grouped to the left and .* to the right")
                self.assertNotIn("cpu_serial", done.err)
                self.assertEqual(done.err.count("associative"), 1, done)
        done = self.redhost("--run", "auto", *wrong, "--stream=64KiB")  # whatever it chooses, and nothing after that
        self.assertIn(done.code, (0, 5))
        self.assertNotIn("auto leaves", done.err)
        done = self.redhost("--bench", "-s", "cpu_serial", *wrong, "--quick")
        self.assertEqual(done.code, 5, done)
        self.assertIn("'a + 2*b' is not associative", done.out + done.err)

    def test_nor_for_what_happens_once_in_a_million(self):
        """Only the data themselves, in the orders that strategies have, show that it is wrong."""
        rare = ("--reduce", "a != 0 && b != 0 && (a * 1000003 ^ b * 7919) % 1048573 == 524287 ? a : a + b", "--identity", "0")
        several = {"POCL_DEVICES": "pthread pthread"}
        self.verify(*rare, "-t", "i64")
        for strategy, way, env in (("cpu_serial", (), {}), ("tree_associative", (), {}), ("tree_associative", ("--stream=4MiB",), {}),
                                   ("tree_associative", ("--ranks", "2"), {}), ("tree_associative", ("-d", "all"), several)):
            with self.subTest(strategy=strategy, way=way):
                done = self.redhost("--run", strategy, *rare, "-t", "i64", "-n", "1e6", "-q", *way, env=env)
                self.assertIn(done.code, (0, 5), done)
                if strategy == "tree_associative":
                    self.assertRegex(done.err, r"' is not associative \(.*\): a=.* grouped to the left and .* to the right")

    def test_once(self):
        """What was found to be right is kept; -v shows the notes of an examination."""
        args = ["--run", "native", "--reduce", "a > b ? a : b", "--identity", "-inf", "-n", "8", "-v", "--cache-dir", self.path("cache")]
        kept = {"REDHOST_NO_CACHE": ""}
        self.assertIn("at the edge of the numbers", self.redhost(*args, env=kept).err)
        self.assertNotIn("at the edge of the numbers", self.redhost(*args, env=kept).err)
        self.assertIn("at the edge of the numbers", self.redhost(*args[:-2], "--no-cache").err)

    def test_bad_input(self):
        for args, code, words in [([], 2, "--verify-op needs an operator"), (["nosuch"], 2, "nosuch"), (["dot", "--map", "x"], 2, "mutually exclusive"),
                                  (["--reduce", "a + b"], 2, "identity"), (["--reduce", "a +", "--identity", "0"], 2, "column 4")]:
            done = self.redhost("--verify-op", *args)
            self.assertEqual(done.code, code, done)
            self.assertIn(words, done.err)
