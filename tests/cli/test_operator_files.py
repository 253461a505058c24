"""Operators in files beside plugins: found by name, listed, described, overridden, refused; and new ones from the template."""

import json
import os
import re
import shutil
import stat
import struct
import unittest

import redhost_cli as cli

COMES_ALONG = "all any cmul cosine count dot logsumexp mean meanvar minmax norm2 ptp quat rms wmean".split()
OPERATORS = sorted(cli.OPS + ["affine"] + COMES_ALONG)


def mapped(name, op="sum", text="2*x", operands=("x",), **more):
    return {"redhost": "operator/1", "name": name, "operands": list(operands), "op": op, "map": text, **more}


STRUCT = {"redhost": "operator/1", "name": "far", "operands": ["x"], "value": {"top": "f64", "k": "i32"},
          "load": ["x", "1"], "identity": ["-inf", "0"], "combine": ["max(a.top, b.top)", "a.k + b.k"],
          "claims": ["associative", "commutative"]}


CODE = {"redhost": "operator/1", "name": "far", "operands": ["x", "w"], "value": {"far": "f64", "index": "u64"},
        "claims": ["associative", "commutative"]}
TEXT = """rh_value rh_identity(void) {
  rh_value v = {-1, ~0ul};
  return v;
}
rh_value rh_load(rh_x x, rh_w w, ulong i) {
  rh_value v = {fabs((double)x - w), i};
  return v;
}
rh_value rh_combine(rh_value a, rh_value b) {
  return b.far > a.far || (b.far == a.far && b.index < a.index) ? b : a;
}
"""


class Case(cli.Case):

    def setUp(self):
        super().setUp()
        for name in os.listdir(self.cwd):
            shutil.rmtree(self.path(name)) if os.path.isdir(self.path(name)) else os.unlink(self.path(name))

    def folder(self, name, **operators):
        """A directory of operator files, by their names without the suffix; its path."""
        os.makedirs(self.path(name), exist_ok=True)
        for stem, content in operators.items():
            text = content if isinstance(content, (str, bytes)) else json.dumps(content, indent=1)
            self.write(os.path.join(name, stem + ".op.json"), text)
        return self.path(name)


class Files(Case):
    def run_op(self, op, *args, **how):
        return self.value("--run", "serial", "-n", "10", "--data", "equal", "--op", op, *args, **how)

    def listed(self, *args, **how):
        document = self.json("--ops", *args, **how)
        return {entry["name"]: entry for entry in document["operators"] if not entry["shadowed_by"]}, document

    # ---- Lists ----

    def test_all_are_listed(self):
        entries, document = self.listed()
        self.assertEqual(sorted(entries), OPERATORS)
        self.assertEqual((document["not_loaded"], document["notes"]), ([], []))
        self.assertEqual(self.good("--ops", "-q").out.split(), OPERATORS)
        meanvar = entries["meanvar"]
        self.assertEqual((meanvar["operands"], meanvar["results"], meanvar["commutes"]), (["x"], ["mean", "variance"], True))
        self.assertEqual((meanvar["form"], meanvar["origin"], meanvar["file"]), ("expressions", "redhost", None))
        self.assertEqual(meanvar["exact"], {"integers": False, "floats": False})
        self.assertEqual(entries["quat"]["claims"], ["associative"])
        self.assertEqual((entries["argmax"]["origin"], entries["argmax"]["results"]), ("built-in", ["value", "index"]))
        self.assertEqual(entries["dot"]["exact"], {"integers": True, "floats": False})
        self.assertEqual(entries["and"]["types"], [t for t in cli.TYPES if t[0] != "f"])

    def test_without_directories(self):
        """What comes along needs no file: in a copy of the program alone, with nothing beside it."""
        alone = os.path.join(self.home, "alone", "bin")
        os.makedirs(alone)
        program = shutil.copy(cli.REDHOST, alone)
        self.assertEqual(self.good("--ops", "-q", program=program).out.split(), OPERATORS)
        self.assertEqual(self.good("--ops", "-q", "--plugin-path", self.path("missing")).out.split(), OPERATORS)
        self.assertIn("note: the plugin path: %s does not exist" % self.path("missing"),
                      self.good("--ops", "--plugin-path", self.path("missing")).out)

    def test_described(self):
        place = self.folder("a", far={**STRUCT, "about": ["One line", "and another."], "summary": "how far"})
        page = self.good("--info", "far", "--plugin-path", place).out
        for line in ("far - how far", "One line\nand another.", "operator    %s/far.op.json" % place, "value       top f64, k i32; 16 bytes",
                     "results     top, k", "claims      associative, commutative", "combine     top = max(a.top, b.top)",
                     "            k = a.k + b.k", "identity    top = -inf"):
            self.assertIn(line + "\n", page)
        (entry,) = self.json("--info", "far", "--plugin-path", place)["operators"]
        for key in ("value", "load", "identity", "combine", "operands", "claims"):
            self.assertEqual(entry[key], STRUCT[key])
        self.assertEqual(self.good("--info", "far", "-q", "--plugin-path", place).out, place + "/far.op.json\n")
        self.assertIn("\nmap         x*y\n", self.good("--info", "dot").out)
        self.assertIn("\noperator    built in\n", self.good("--info", "argmin").out)
        self.assertIn("\nparameters", self.good("--info", "native").out)  # a strategy, as before
        self.bad(2, "unknown strategy or operator 'nothing'. See redhost --list and redhost --ops.", "--info", "nothing")
        self.bad(2, "unknown strategy or operator 'meanvra'; did you mean 'meanvar'?", "--info", "meanvra")
        self.bad(2, "unknown strategy or operator 'cascde'; did you mean 'cascade'?", "--info", "cascde")

    # ---- Searching ----

    def test_found_everywhere(self):
        home = os.path.join(self.home, "data")
        user = os.path.join(home, "redhost", "plugins-1")
        os.makedirs(user, exist_ok=True)
        self.addCleanup(shutil.rmtree, home)
        cli.write(os.path.join(user, "user.op.json"), json.dumps(mapped("user", text="3*x")))
        program, plugins = self.copy_of_tree("installed")
        self.addCleanup(shutil.rmtree, os.path.join(self.home, "installed"))
        cli.write(os.path.join(plugins, "own.op.json"), json.dumps(mapped("own", text="4*x")))
        env = {"XDG_DATA_HOME": home, "REDHOST_PLUGIN_PATH": self.folder("env", env=mapped("env", text="5*x"))}
        args = ["--plugin-path", self.folder("path", path=mapped("path", text="6*x"))]
        single = self.write("single.op.json", json.dumps(mapped("single", text="7*x")))
        for name, factor in (("user", 3), ("own", 4), ("env", 5), ("path", 6), ("single", 7)):
            found = self.run_op(name, "--plugin", single, *args, env=env, program=program)
            self.assertEqual(float(found), 10.0 * factor, name)
        entries, _ = self.listed("--plugin", single, *args, env=env, program=program)
        self.assertEqual(entries["own"]["file"], os.path.join(plugins, "own.op.json"))
        self.assertEqual(entries["single"]["file"], self.path(single))
        self.assertEqual(sorted(entries), sorted(OPERATORS + ["user", "own", "env", "path", "single"]))

    def test_operators_are_no_plugins(self):
        """Neither list knows the other's files."""
        place = self.folder("a", twice=mapped("twice"))
        plain = self.good("--list", "-q").out
        self.assertEqual(self.good("--list", "-q", "--plugin-path", place).out, plain)
        self.assertEqual(self.good("--list", "-q", "--plugin", place + "/twice.op.json").out, plain)
        self.assertNotIn("twice", self.good("--list", "--plugin-path", place).out)
        plugin = os.path.join(cli.PLUGINS, "cascade.so")
        self.assertEqual(self.good("--ops", "-q", "--plugin", plugin).out.split(), OPERATORS)
        # A strategy that is refused is not blamed on an operator's file.
        self.bad(2, "unknown strategy 'missing'", "--run", "missing", "--plugin", place + "/twice.op.json")

    def test_the_first_wins(self):
        first = self.folder("first", dot=mapped("dot", text="x"), other=mapped("twice", text="5*x"), twice=mapped("twice", text="2*x"))
        second = self.folder("second", twice=mapped("twice", text="9*x"))
        path = ["--plugin-path", first + ":" + second]
        self.assertEqual(float(self.run_op("twice", *path)), 20)  # twice.op.json before other.op.json
        self.assertEqual(float(self.run_op("twice", "--plugin-path", second + ":" + first)), 90)
        self.assertEqual(float(self.run_op("dot", *path)), 10)
        self.assertEqual(float(self.run_op("dot", "--plugin-path", second)), 10)  # ten products of ones
        table = self.good("--ops", *path).out
        for line in ("found: twice in %s/twice.op.json" % first, "shadowed: twice in %s/other.op.json, by %s/twice.op.json" % (first, first),
                     "shadowed: twice in %s/twice.op.json, by %s/twice.op.json" % (second, first),
                     "shadowed: dot that comes with redhost, by %s/dot.op.json" % first):
            self.assertIn(line + "\n", table)
        hidden = [entry for entry in self.listed(*path)[1]["operators"] if entry["shadowed_by"]]
        self.assertEqual(sorted((entry["name"], entry["origin"]) for entry in hidden),
                         [("dot", "redhost"), ("twice", "file"), ("twice", "file")])

    def test_disabled(self):
        place = self.folder("a", twice=mapped("twice"), dot=mapped("dot", text="x"))
        for pattern in ("twice", "tw*,dot", "twice.op.json"):
            env = {"REDHOST_PLUGIN_DISABLE": pattern}
            self.assertIn("is disabled by", self.good("--ops", "--plugin-path", place, env=env).out)
            self.bad(6, "operator twice: |twice.op.json: is disabled by", "--run", "serial", "--op", "twice", "--plugin-path", place, env=env)

    def test_trust(self):
        """Nobody else may decide what a name means; a file that is named by its path is data."""
        place = self.folder("a", twice=mapped("twice"))
        os.chmod(place, 0o777)
        self.addCleanup(os.chmod, place, 0o755)
        self.assertIn("not loaded: %s: is not trusted" % place, self.good("--ops", "--plugin-path", place).out)
        self.bad(2, "unknown operator 'twice'", "--run", "serial", "--op", "twice", "--plugin-path", place)
        self.assertEqual(float(self.run_op("a/twice.op.json")), 20)
        os.chmod(place, 0o755)
        os.chmod(place + "/twice.op.json", stat.S_IMODE(0o666))
        self.bad(6, "operator twice|is not trusted", "--run", "serial", "--op", "twice", "--plugin-path", place)

    # ---- Files that are wrong ----

    def test_a_bad_file_stops_nothing(self):
        place = self.folder("a", twice=mapped("twice"), bad="{\n", dot=mapped("dot", text="x +"), sub={})
        os.mkdir(place + "/folder.op.json")
        os.symlink("nothing", place + "/link.op.json")
        entries, document = self.listed("--plugin-path", place)
        self.assertEqual(sorted(entries), sorted(OPERATORS + ["twice"]))
        reasons = {os.path.basename(bad["path"]): bad["reason"] for bad in document["not_loaded"]}
        self.assertEqual(sorted(reasons), ["bad.op.json", "dot.op.json", "folder.op.json", "link.op.json", "sub.op.json"])
        self.assertRegex(reasons["bad.op.json"], r"/bad\.op\.json:2:\d: is not JSON: ")
        self.assertRegex(reasons["dot.op.json"], r'/dot\.op\.json:8:13: "map": expected an operand, and the text ends, at column 4 of \'x \+\'')
        self.assertTrue(reasons["folder.op.json"].endswith(": is a directory"))
        self.assertEqual(float(self.run_op("twice", "--plugin-path", place)), 20)
        self.bad(6, "operator bad: |bad.op.json:2:|is not JSON", "--run", "serial", "--op", "bad", "--plugin-path", place)
        # Another operator of the name serves, and that is said.
        done = self.good("--run", "serial", "-n", "10", "--data", "equal", "--op", "dot", "-q", "--plugin-path", place, quiet=False)
        self.assertEqual(float(done.out), 10)
        self.assertIn("dot.op.json:8:13", self.redhost("--run", "serial", "-n", "10", "--op", "dot", "--plugin-path", place).err)

    def check_caret(self, text, said):
        """The character that the message's place names in the file is the one above the caret; behind the end of an expression it is the quotation mark."""
        caret = re.search(r"\A[^\n]*?\.json:(\d+):(\d+): ([^\n]*)\n  (.*)\n( *)\^\n\Z", said)
        if not caret:
            self.assertNotIn("at column", said)
            return
        line = text.split("\n")[int(caret.group(1)) - 1].rstrip("\r").replace("\t", " ")
        is_json = caret.group(3).startswith("is not JSON")
        wanted = (line + " ")[int(caret.group(2)) - 1]
        self.assertEqual((caret.group(4) + (" " if is_json else '"'))[len(caret.group(5)) - 2], wanted, said)

    def test_carets(self):
        """Under the wrong character, also in long lines, behind other letters, and where the file has escapes."""
        head = '{"redhost": "operator/1", "name": "far", "summary": "é", "operands": ["x", "y"],\n '
        long = "x*y + " * 20
        for text, place, words, caret in (
                (head + '"op": "max", "map": "x + q"}', "2:27", "unknown name 'q'", "  x + q\n      ^"),
                (head + '"op": "max", "map": "%sq + %sx"}' % (long, long), "2:143", "at column 121 of '...", "  ...%sq + %s...\n%s^" % (long[:60], long[:56], " " * 65)),
                (head + '"op": "max", "map": "y \\u003e x &\\u0026 q*2"}', "2:42", "unknown name 'q'", "  y > x && q*2\n           ^"),
                (head + '"op": "max", "map": "x*y" "claims": []}', "2:28", "is not JSON: '}' expected near '\"claims\"'", '   "op": "max", "map": "x*y" "claims": []}\n%s^' % (" " * 29)),
                (head + '"op": "max", "map": "x*y", "claims": [tru]}', "2:40", "is not JSON: invalid token near 'tru'", '   "op": "max", "map": "x*y", "claims": [tru]}\n%s^' % (" " * 41)),
                (head + '"summary": "x"}', "2:2", 'duplicate object key near \'"summary"\'', '   "summary": "x"}\n   ^')):
            with self.subTest(words=words):
                self.folder("bad", bad=text)
                done = self.redhost("--run", "serial", "-n", "10", "--op", "bad/bad.op.json")
                self.assertEqual(done.code, 6)
                self.assertTrue(done.err.startswith("redhost: bad/bad.op.json:%s: " % place), done.err)
                self.assertIn(words, done.err)
                self.assertTrue(done.err.endswith("'.\n%s\n" % caret), done.err)
                if "\\u" not in text:
                    self.check_caret(text, done.err)

    def refused(self, content, words):
        """By its path, exit 6, one sentence; and in the list with the same words."""
        text = content if isinstance(content, (str, bytes)) else json.dumps(content)
        place = self.folder("bad", bad=text)
        done = self.redhost("--run", "serial", "-n", "10", "--op", "bad/bad.op.json")
        self.assertEqual((done.code, done.out), (6, ""), done)
        self.assertRegex(done.err, r"\Aredhost: bad/bad\.op\.json:(\d+:\d+:)? [^\n]+[.]\n(  .*\n *\^\n)?\Z", done)
        for word in words.split("|"):
            self.assertIn(word, done.err, done)
        if isinstance(text, str):
            self.check_caret(text, done.err)
        (listed,) = self.json("--ops", "--plugin-path", place)["not_loaded"]
        self.assertEqual(listed["path"], place + "/bad.op.json")
        for word in words.split("|"):
            self.assertIn(word, listed["reason"])

    def test_what_is_expected(self):
        head = '{"redhost": "operator/1",\n "name": "far",\n "operands": ["x", "y"],\n '
        value = '"value": {"top": "f64", "k": "i32"},\n '
        for text, words in (
                ("", ":1:1: is empty; expected a JSON object"), (" \r\n", ":1:1: is empty"), ("x", "is not JSON"), ("[]", ":1:1: expected a JSON object"),
                ("{}", ':1:1: "redhost" is missing: expected "operator/1"'), ('{"redhost": "operator/9"}', ':1:13: "redhost": expected "operator/1"'),
                ('{"redhost": "operator/1", "name": "a-b"}', ':1:35: "name": expected a name of'),
                ('{"redhost": "operator/1", "name": "%s"}' % ("a" * 64), "at most 63"), ('{"redhost": "operator/1", "name": "nan"}', '"name": expected'),
                ('{"redhost": "operator/1", "name": "sum"}', "a name that no built-in operator has"), ('{"redhost": "operator/1", "name": 7}', ':1:35: "name"'),
                (head + '"ops": "max"}', ":4:2: unknown key \"ops\"; did you mean 'op'?"), (head + '"op": "max",\n"op": "max"}', "duplicate"),
                (head + '"op": "max"}', '"map" is missing: expected a string with an expression'), (head + '"op": 5}', ':4:8: "op": expected a built-in operator'),
                (head + '"op": "largest", "map": "x*y"}', ":4:8: \"op\": unknown operator 'largest'"), (head + '"op": "max", "map": 1}', ':4:22: "map": expected a string'),
                (head + '"op": "max", "map": "x"}', ':3:20: "operands": operand y is not used'), (head + '"op": "max", "map": "x*(y"}', ':4:27: "map": expected \')\', and the text ends, at column 5 of'),
                (head + '"op": "and", "map": "sqrt(x*y)"}', ':4:8: "op": operator and is not defined for f32'), (head + '"op": "max", "map": "x*y", "claims": "both"}', ':4:39: "claims": expected a list'),
                (head + '"op": "max", "map": "x*y", "claims": ["associative", "fast"]}', ':4:55: "claims": expected "associative" or "commutative"'),
                (head + '"op": "max", "map": "x*y", "finalize": {"a": 1}}', ':4:47: "finalize": expected a string'), (head + '"op": "max", "map": "x*y", "finalize": {"2": "a"}}', ':4:42: "finalize": expected a name'),
                (head + '"op": "max", "map": "x*y", "finalize": {"r": "a.q"}}', ":4:48: \"finalize\": unknown name 'a.q'"), (head + '"op": "max", "map": "x*y", "load": ["x"]}', ':4:29: "load": expected "value"'),
                (head + '"value": {}}', ':4:11: "value": expected an object of 1 to 16 fields'), (head + '"value": {"a": "f16"}}', ':4:17: "value": expected the type'),
                (head + '"value": {"a": 1}}', ':4:17: "value": expected the type'), (head + '"value": {"a b": "f32"}}', ':4:12: "value": expected a name'),
                (head + value + '"op": "sum"}', ':5:2: "op": expected no such key beside "value"'), (head + value + '"load": ["x"]}', ':5:10: "load": expected a list of 2 expressions'),
                (head + value + '"load": ["x", 3]}', ':5:16: "load": expected a string'), (head + value + '"load": ["x", "y"]}', '"identity" is missing: expected a list of 2'),
                (head + value + '"load": ["x", "y"], "identity": ["0", "0", "0"]}', ':5:34: "identity": expected a list of 2'),
                (head + value + '"load": ["x", "y"], "identity": ["0", "x"], "combine": ["a.top", "a.k"]}', ":5:41: \"identity\": unknown name 'x'"),
                (head + value + '"load": ["x", "y"], "identity": ["0", "0"], "combine": ["a.top",\n\t"a.k + é"]}', ":6:9: \"combine\": expected an operand, not byte 0xc3, at column 7"),
                (head + value + '"load": ["x", "y"], "identity": ["0", "0"], "let": {"d": "a.top -"}, "combine": ["d", "a.k"]}', ':5:67: "let": expected an operand'),
                ('{"redhost": "operator/1", "name": "f", "operands": ["x", "x"]}', ':1:58: "operands": expected a name that no operand before it has'),
                ('{"redhost": "operator/1", "name": "f", "operands": []}', ':1:52: "operands": expected a list of 1 to 8 names'), ('{"redhost": "operator/1", "name": "f", "operands": ["i"]}', ':1:53: "operands": expected a name'),
                (mapped("f", summary="x" * 201), '"summary": expected a string of at most 200 bytes'), (mapped("f", about=["x", 1]), '"about": expected a string, or a list of strings'),
                (mapped("f", text="x*" * 32768 + "x"), '"map": longer than 65536 bytes'), (mapped("f", text="(" * 300 + "x" + ")" * 300), '"map": nested more than 200 deep'),
                ("[" * 100000, "is not JSON: maximum parsing depth"), ('{"a":' * 100000, "is not JSON"), ('{"redhost": "operator/1", "name": "f\\u0000"}', "a string with \\u0000"),
                (b'{"redhost": "operator/1", "name": "f\xff"}', "is not JSON"), (b"\x00" * 10, "is not JSON"), (" " * (1 << 20) + " ", "an operator file has at most 1048576")):
            with self.subTest(words=words):
                self.refused(text, words)

    def test_odd_but_right(self):
        """Windows' line ends, a byte order mark, members in any order, names with escapes, a text of 65536 bytes."""
        text = json.dumps(mapped("twice"), indent=1)
        for data in (text.replace("\n", "\r\n"), "\ufeff" + text, json.dumps(dict(reversed(list(mapped("twice").items())))),
                     text.replace('"map"', '"\\u006dap"'), json.dumps(mapped("twice", text="2*x" + " " * 65533)), text + "\n\n"):
            self.folder("odd", twice=data)
            self.assertEqual(float(self.run_op("odd/twice.op.json")), 20)
            self.assertEqual(float(self.run_op("twice", "--plugin-path", self.path("odd"))), 20)
        # The place is that of the member in the text, whatever stands before it.
        self.folder("odd", bad='\ufeff{"map": "x+",\r\n\r\n  "n\\u0061me": "bad", "é\\"{": 1}')
        self.bad(6, 'odd/bad.op.json:1:1: "redhost" is missing', "--run", "serial", "--op", "odd/bad.op.json")
        self.folder("odd", bad='{"about": "é]}\\"", "op": "sum", "map": "x+",\r\n"redhost": "operator/1", "name": "bad", "operands": ["x"]}')
        self.assertIn(':1:43: "map": expected an operand', self.redhost("--run", "serial", "--op", "odd/bad.op.json").err)

    def test_no_files(self):
        os.mkfifo(self.path("pipe.op.json"))
        os.mkdir(self.path("folder.json"))
        for name, words in (("pipe.op.json", "is not a regular file"), ("folder.json", "is a directory"), ("none.json", "cannot be opened: No such file"),
                            ("./none", "cannot be opened: No such file")):
            self.bad(6, name + ": " + words, "--run", "serial", "--op", name)
        self.bad(2, "unknown operator 'dott'; did you mean 'dot'?", "--run", "serial", "--op", "dott")
        self.bad(6, "plugin none.op.json: No such file", "--ops", "--plugin", "none.op.json")

    def test_types_that_do_not_suit(self):
        """The file is right, and the arrays are not: usage."""
        place = self.folder("a", bits=mapped("bits", op="xor", text="x & 7"))
        self.assertEqual(float(self.run_op("bits", "-t", "i32", "--plugin-path", place)), 0)
        self.assertEqual(self.redhost("--run", "serial", "-n", "10", "--op", "bits", "--plugin-path", place).code, 2)
        entries, _ = self.listed("--plugin-path", place)
        self.assertEqual(entries["bits"]["types"], [t for t in cli.TYPES if t[0] != "f"])
        mixed = self.folder("b", masked=mapped("masked", text="(m & 1) * sqrt(x)", operands=("x", "m")))
        self.assertEqual(self.listed("--plugin-path", mixed)[1]["not_loaded"], [])

    def test_constants(self):
        """They have values in the file; --let gives others, and builds nothing else."""
        place = self.folder("a", above=mapped("above", text="x > t ? k*x : 0.0", constants={"t": 0.5, "k": 3}))
        for args, wanted in (([], 30), (["--let", "k=7"], 70), (["--let", "t=1"], 0), (["--let", "t=0", "--let", "k=-1"], -10)):
            self.assertEqual(float(self.run_op("above", "--plugin-path", place, *args)), wanted)
        page = self.good("--info", "above", "--plugin-path", place).out
        self.assertIn("\nconstants   t = 0.5\n            k = 3\n", page)
        self.assertEqual(self.json("--info", "above", "--plugin-path", place)["operators"][0]["constants"], {"t": 0.5, "k": 3})
        for constants, words in (({}, ':1:113: "constants": expected an object of 1 to 16'), ({"t": "1"}, ':1:119: "constants": expected a number'),
                                 ({"x": 1}, ':1:114: "constants": expected a name'), ({"i": 1}, '"constants": expected a name'), ([], '"constants": expected an object'),
                                 ({"c%d" % k: k for k in range(17)}, '"constants": expected an object')):
            self.refused(mapped("above", text="x > t ? x : 0", constants=constants), words)

    # ---- New ones ----

    def test_new(self):
        done = self.good("--new-operator", "mine")
        self.assertTrue(done.out.startswith(".: mine.op.json\n"))
        command = re.search(r"(?m)^  (\S+) (--run auto --op \./mine\.op\.json -n 1e6)$", done.out)
        mean, rms = self.good(*command.group(2).split(), "-q").out.split()
        self.assertAlmostEqual(float(mean), 0.5, delta=0.01)
        self.assertAlmostEqual(float(rms), 3 ** -0.5, delta=0.01)
        (entry,) = self.json("--info", "mine", "--plugin-path", self.cwd)["operators"]
        self.assertEqual((entry["claims"], entry["types"]), (["associative", "commutative"], cli.TYPES))
        self.good("--new-operator", "other", "new/", "--plugin-path", self.cwd)
        self.assertEqual(os.listdir(self.path("new")), ["other.op.json"])
        self.bad(6, "./mine.op.json exists already", "--new-operator", "mine")
        self.bad(2, "there is an operator 'mine' already, in %s/mine.op.json" % self.cwd, "--new-operator", "mine", "x", "--plugin-path", self.cwd)
        self.bad(2, "there is an operator 'dot' already, which comes with redhost", "--new-operator", "dot")
        self.bad(2, "there is an operator 'sum' already", "--new-operator", "sum")
        self.bad(6, "no/such/place: No such file", "--new-operator", "mine", "no/such/place")
        for name in ("", "a-b", "7a", "a" * 64, "nan", "a/b", "a.op.json"):
            self.bad(2, "--new-operator '%s': a name is made of" % name, "--new-operator", name)


class Code(Case):
    """Operators in OpenCL C, on PoCL."""

    def operator(self, text=TEXT, **more):
        place = self.folder("c", far={**CODE, "code": "far.cl", **more})
        self.write("c/far.cl", text)
        return place

    def wrong(self, code, words, *args, **how):
        """As bad(), where the compiler may print lines of its own."""
        done = self.redhost("--run", "two_stage", "-n", "100", *args, **how)
        self.assertEqual((done.code, done.out), (code, ""), done)
        (line,) = [line for line in done.err.splitlines() if line.startswith("redhost: ") and "error" not in line.split(":")[1]]
        self.assertRegex(line, r"[^.][.]\Z")
        for word in words.split("|"):
            self.assertIn(word, line)

    def test_on_devices(self):
        """Strategies of several kinds give what the data say, at sizes around their groups, and are compared with 16 orders."""
        place = self.operator()
        self.write("x.raw", struct.pack("<3001f", *((k * 7919) % 3001 for k in range(3001))))
        self.write("w.raw", struct.pack("<3001f", *([0] * 3001)))
        for strategy in ("two_stage", "two_stage_ordered", "auto"):
            done = self.good("--run", strategy, "--op", "far", "--plugin-path", place, "-i", "x.raw,w.raw", "-t", "f32")
            (index,) = [k for k in range(3001) if (k * 7919) % 3001 == 3000]
            self.assertIn("result     far 3000  index %d\n" % index, done.out)
            self.assertIn("sampled 16 orders, spread 0   ok", done.out)
        for n, wanted in ((0, "-1\n%d\n" % (2**64 - 1)), (1, "0\n0\n"), (257, "0\n0\n")):
            self.assertEqual(self.good("--run", "two_stage", "--op", "c/far.op.json", "-n", str(n), "--data", "equal", "-q").out, wanted)
        self.operator(TEXT.replace("-1", "0").replace("b.far > a.far || (b.far == a.far && b.index < a.index) ? b : a", "(rh_value){a.far + b.far, 0}"))
        done = self.good("--run", "two_stage", "--op", "c/far.op.json", "--unchecked-op", "-n", "3001", "--data", "loguniform", quiet=False)
        self.assertRegex(done.out, r"far: sampled 16 orders, spread [1-9]\S* +ok")

    def test_benchmark(self):
        points = self.json("--bench", "--op", "far", "-n", "2^10", "--quick", "-s", "two_stage,native", env={"REDHOST_PLUGIN_PATH": self.operator()})["results"]
        self.assertEqual({point["strategy"]: point["status"] for point in points}, {"two_stage": "ok", "native": "unsupported"})

    def test_what_declines(self):
        place = self.operator()
        for strategy, words in (("serial", "it runs on the host"), ("native", "it runs on the host"), ("cascade", "it finishes on the host")):
            self.bad(4, "strategy '%s' cannot run|%s, and the operator is OpenCL C" % (strategy, words),
                     "--run", strategy, "--op", "far", "-n", "100", "--plugin-path", place)
        self.bad(2, "operator far is in OpenCL C and has no constants", "--run", "two_stage", "--op", "c/far.op.json", "-n", "100", "--let", "t=1")

    def test_what_does_not_compile(self):
        """The line of the user's file, exit 6, and no other strategy is tried."""
        for text, words in ((TEXT.replace("b.far >", "q.far >"), "operator far does not compile: far.cl:10:10: |'q'|, at column 10 of '"),
                            (TEXT.replace("i};", "i)"), "far.cl:6:"), ("#error rh_load rh_combine rh_identity", "far.cl:1:2: rh_load"),
                            (TEXT.replace("ulong i)", "ulong i, int k)"), "where its functions are used, behind the end of far.cl: too few arguments"),
                            (TEXT.replace("rh_combine(rh", "rh_combined(rh"), ':16:10: "code": expected the functions|there is no rh_combine'), ("", "there is no rh_load")):
            place = self.operator(text)
            self.wrong(6, words, "--op", "c/far.op.json")
            done = self.redhost("--run", "auto", "-n", "100", "--op", "far", "--plugin-path", place)
            self.assertEqual((done.code, "auto leaves" in done.err), (6, False), done)
        self.assertIn("far.cl:6:", self.redhost("--run", "two_stage", "-n", "9", "--op", "far", "-v", "--plugin-path", self.operator(TEXT.replace("i};", "i)"))).err)

    @unittest.skipUnless(shutil.which("oclgrind"), "oclgrind is not installed")
    def test_compilers_that_count_all_lines(self):
        """Oclgrind's reports name lines of the whole program, as NVIDIA's compiler's do: they are lines of the user's file all the same."""
        line = TEXT.splitlines()[9].replace("b.far >", "q.far >")
        for text, words, caret in ((TEXT.replace("b.far >", "q.far >"), "far.cl:10:10: use of undeclared identifier 'q', at column 10 of '", "  %s\n%s^" % (line, " " * 11)),
                                   (TEXT.replace("ulong i)", "ulong i, int k)"), "far.cl:5:10: too few arguments to function call", None)):
            self.operator(text)
            done = self.redhost(cli.REDHOST, "--run", "two_stage", "-n", "100", "--op", "c/far.op.json", "--no-cache", program="oclgrind")
            self.assertEqual(done.code, 6, done)
            self.assertIn("redhost: operator far does not compile: " + words, done.err)
            if caret:
                self.assertTrue(done.err.endswith("'.\n%s\n" % caret), done.err)

    def test_source(self):
        """The lines in the file itself, which messages then name."""
        lines = TEXT.splitlines()
        self.folder("s", far={**CODE, "source": lines}, one={**CODE, "source": TEXT})
        for name in ("far", "one"):
            self.assertEqual(self.good("--run", "two_stage", "--op", "s/%s.op.json" % name, "-n", "9", "--data", "equal", "-q").out, "0\n0\n")
        self.folder("s", far={**CODE, "source": [line.replace("b.far >", "q.far >") for line in lines]})
        (number,) = [k for k, line in enumerate(cli.text(self.path("s/far.op.json")).splitlines(), 1) if "q.far" in line]
        self.wrong(6, "far.op.json:%d:10: |'q'" % number, "--op", "s/far.op.json")

    def test_listed(self):
        place = self.operator()
        (entry,) = self.json("--info", "far", "--plugin-path", place)["operators"]
        self.assertEqual((entry["form"], entry["code"], entry["results"]), ("code", "far.cl", ["far", "index"]))
        self.assertIn(TEXT, entry["source"])
        self.assertIn("\nOpenCL C    far.cl\n", self.good("--info", "far", "--plugin-path", place).out)

    def test_marks_and_ends_of_lines(self):
        self.operator("\ufeff" + TEXT.replace("\n", "\r\n"))
        self.assertEqual(self.good("--run", "two_stage", "--op", "c/far.op.json", "-n", "9", "--data", "equal", "-q").out, "0\n0\n")

    def test_without_a_device(self):
        place = self.operator()
        for strategy in ("auto", "native"):
            self.bad(3, "no OpenCL platform found", "--run", strategy, "-n", "9", "--op", "far", "--plugin-path", place, env=cli.NO_PLATFORM)
        self.assertIn("far", self.good("--ops", "-q", "--plugin-path", place, env=cli.NO_PLATFORM).out.split())

    def test_bad_files(self):
        value = '"value": {"far": "f64"}, '
        head = '{"redhost": "operator/1", "name": "far", "operands": ["x"], '
        for text, words in ((head + '"code": "a.cl"}', '"value" is missing'), (head + value + '"code": "sub/a.cl"}', ':1:94: "code": expected the name of a file'),
                            (head + value + '"code": 3}', '"code": expected the name'), (head + value + '"code": ""}', '"code": expected the name'),
                            (head + value + '"code": "a.cl", "source": "x"}', 'and no "source"'), (head + value + '"source": []}', '"source": expected a string of OpenCL C'),
                            (head + value + '"source": ["x", 1]}', ':1:102: "source": expected a string'), (head + value + '"code": "a.cl", "load": ["x"]}', '"load": expected no such key'),
                            (head + '"value": {"double": "f64"}, "code": "a.cl"}', ':1:71: "value": expected a name that is not a word of C'),
                            (head + value + '"code": "missing.cl"}', ':1:94: "code": |missing.cl: No such file'), (head + value + '"code": "bad.op.json"}', "")):
            place = self.folder("bad", bad=text)
            if not words:
                continue
            self.bad(6, "bad/bad.op.json|" + words, "--run", "two_stage", "-n", "9", "--op", "bad/bad.op.json")
            (listed,) = self.json("--ops", "--plugin-path", place)["not_loaded"]
            self.assertIn(words.rsplit("|", maxsplit=1)[-1], listed["reason"])
        self.write("bad/nul.cl", b"int x;\0")
        self.folder("bad", bad=head + value + '"code": "nul.cl"}')
        self.bad(6, "nul.cl: has a byte 0", "--run", "two_stage", "-n", "9", "--op", "bad/bad.op.json")

    def test_code_is_trusted_as_plugins_are(self):
        self.operator()
        self.write("c/target", TEXT)
        os.unlink(self.path("c/far.cl"))
        os.symlink("target", self.path("c/far.cl"))  # what a link leads to counts
        os.chmod(self.path("c/target"), 0o666)
        self.bad(6, "far.cl: is code and is not trusted: ", "--run", "two_stage", "-n", "9", "--op", "c/far.op.json")
        os.unlink(self.path("c/far.cl"))
        self.operator()
        for name in ("far.cl", "far.op.json"):
            os.chmod(self.path("c/" + name), 0o666)
            self.bad(6, name + ": is code and is not trusted: ", "--run", "two_stage", "-n", "9", "--op", "c/far.op.json")
            os.chmod(self.path("c/" + name), 0o644)

    def test_new(self):
        self.assertIn("new: mine.op.json mine.cl\n", self.good("--new-operator", "mine.cl", "new").out)
        done = self.good("--run", "two_stage", "--op", "new/mine.op.json", "-n", "1000", "--data", "ramp")
        self.assertIn("sampled 16 orders, spread 0   ok", done.out)
        os.unlink(self.path("new/mine.op.json"))
        self.bad(6, "new/mine.cl exists already", "--new-operator", "mine.cl", "new")
        self.assertEqual(os.listdir(self.path("new")), ["mine.cl"])
