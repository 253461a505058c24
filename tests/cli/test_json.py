"""Output for programs: whole documents, no NaN, results as strings; and the form of a wrong answer."""

import json
import os

import redhost_cli as cli

WRONG = os.environ.get("REDHOST_TEST_WRONG", "")


class Documents(cli.Case):
    def test_list(self):
        document = self.json("--list")
        names = self.good("--list", "-q").out.split()
        self.assertEqual([s["name"] for s in document["strategies"] if not s["shadowed_by"]], names)
        (device,) = document["devices"]
        for strategy in document["strategies"]:
            self.assertEqual(list(strategy["available"]), [device["id"]])
            answer = strategy["available"][device["id"]]
            depth = answer.get("depth")  # None: unknown, as of foreign functions
            self.assertTrue(depth is None or depth >= 1 if answer["ok"] else answer["reason"], strategy)
            for param in strategy["params"]:
                self.assertTrue(param["min"] <= param["initial"] <= param["max"], param)
        not_loaded = [refusal for refusal in document["not_loaded"] if "openblas_" not in refusal["path"]]
        self.assertEqual((not_loaded, document["notes"]), ([], []))
        none = self.json("--list", env=cli.NO_PLATFORM)
        self.assertEqual(none["devices"], [])
        here = {s["name"]: s["available"]["host"]["ok"] for s in none["strategies"]}
        self.assertEqual(list(here), names)
        self.assertEqual((here["serial"], here["cascade"]), (True, False))
        for op, kind in (("argmax", "u8"), ("argmin", None), ("and", None), ("sum", "f64")):
            asked = self.json("--list", "--op", op, *(["-t", kind] if kind else []))["strategies"]
            said = {s["name"]: s["available"][device["id"]]["ok"] for s in asked}
            self.assertEqual(said["cascade"], True)
            self.assertEqual(said["atomic"], op[:3] != "arg")

    def test_table(self):
        """Columns are aligned with their headings, whatever the lengths of names."""
        lines = self.good("--list").out.splitlines()
        heading = lines[2]
        rows = lines[3:lines.index("", 3)]
        self.assertGreaterEqual(len(rows), 6)
        for word in "NAME PASSES TYPES OPS REPRODUCIBLE HERE NOTE".split():
            at = heading.index(word)
            for row in rows:
                self.assertEqual(row[at - 2:at], "  ", (word, row))
                self.assertNotEqual(row[at], " ", (word, row))

    def test_devices(self):
        document = self.json("--devices")
        self.assertEqual(sum(d["default"] for d in document["devices"]), 1)
        self.assertEqual([d["id"] for d in document["devices"]], self.good("--devices", "-q").out.split())
        for device in document["devices"]:
            self.assertEqual(device["key"], "|".join((device["platform"], device["name"], device["driver"])))
            self.assertGreater(device["compute_units"], 0)
            self.assertGreaterEqual(device["memory_bytes"], device["max_alloc_bytes"])

    def test_info_and_summary(self):
        (strategy,) = self.json("--info", "cascade")["strategies"]
        self.assertEqual([param["key"] for param in strategy["params"]], ["tile", "tiles_per_unit", "finish"])
        self.assertEqual(strategy["plugin"] + "\n", self.good("--info", "cascade", "-q").out)
        summary = self.json()
        self.assertEqual(summary["installed"], len(self.good("--list", "-q").out.split()))
        self.assertEqual(len(summary["devices"]), 1)

    def test_run(self):
        (result,) = self.json("--run", "cascade", "-n", "1000", "-p", "tile=64", "-p", "finish=device")["results"]
        self.assertEqual(result["params"], {"tile": 64, "tiles_per_unit": 4, "finish": "device"})
        self.assertEqual((result["n"], result["bytes"], result["type"], result["op"], result["input"], result["status"]),
                         (1000, 4000, "f32", "sum", None, "ok"))
        check = result["check"]
        self.assertTrue(check["ok"])
        difference = abs(float(result["value"]) - float(check["reference"]))  # the reference is rounded, the error is not
        self.assertLessEqual(abs(check["error"] - difference), 2**-24 * float(check["reference"]))
        self.assertTrue(check["error"] <= check["bound"])
        self.assertAlmostEqual(check["bound_fraction"], check["error"] / check["bound"])
        for clock in ("time_s", "latency_s"):
            self.assertTrue(0 < result[clock]["median"] < 60, clock)
            self.assertGreaterEqual(result[clock]["samples"], 1)
        self.assertTrue(0 <= result["setup_s"]["build"] < 60)
        self.assertEqual(result["value"], self.value("--run", "cascade", "-n", "1000", "-p", "tile=64", "-p", "finish=device"))

    def test_unchecked_and_unmeasured(self):
        (result,) = self.json("--run", "serial", "-n", "10", "--no-check", "-q")["results"]
        self.assertIsNone(result["check"])
        self.assertNotIn("time_s", result)

    def test_strings_for_values(self):
        """Values that a double cannot hold are exact."""
        (result,) = self.json("--run", "serial", "-n", "10", "-t", "u64")["results"]
        self.assertEqual(result["value"], "9336590306839054470")
        self.assertEqual(result["check"]["reference"], "9336590306839054470")
        for op in ("argmin", "argmax"):
            (result,) = self.json("--run", "serial", "-n", "1000", "--op", op, "-t", "i64")["results"]
            self.assertEqual(str(result["index"]), self.value("--run", "serial", "-n", "1000", "--op", op, "-t", "i64"))
            self.assertEqual(result["index"], result["check"]["reference_index"])

    def test_no_constants(self):
        for kind, value in (("nan", "nan"), ("infs", "inf")):
            for op in ("sum", "max"):
                (result,) = self.json("--run", "serial", "-n", "100", "--data", kind, "--op", op)["results"]
                self.assertEqual(result["value"], value)
                self.assertTrue(result["check"]["ok"])
                self.assertIn("bound_fraction", result["check"])  # 0/0: there, as null
                self.assertIsNone(result["check"]["bound_fraction"])
        (result,) = self.json("--run", "cascade", "-n", "0")["results"]
        self.assertEqual(result["value"], "0")
        for kind in "uniform equal ramp cancel huge subnormal hash onehot units swing zeros descending loguniform least greatest ends two".split():
            (result,) = self.json("--run", "serial", "-n", "30", "--data", kind, "--op", "prod")["results"]
            float(result["value"])

    def test_odd_names(self):
        """A path may be any bytes; the document is still UTF-8."""
        for name in ("a \"quoted\"\\name\t.bin", "ä.bin", b"\xff\xfe.bin"):
            cli.write(os.path.join(os.fsencode(self.cwd), os.fsencode(name)), b"\1\2")
            (result,) = self.json("--run", "serial", "-t", "i8", "-i", name)["results"]
            self.assertEqual(result["value"], "3")
            self.assertEqual(result["input"], name if isinstance(name, str) else "??.bin")


class NotJudged(cli.Case):
    """Two large numbers and the negative of one: whether they overflow depends on the order."""

    ARGS = ("--run", "serial", "-n", "3", "--data", "ends")

    def test_never_silently(self):
        for more in ((), ("-q",), ("--json",)):
            done = self.good(*self.ARGS, *more, quiet=False)
            self.assertRegex(done.err, r"\Aredhost: warning: the result of 'serial' is not judged: [^\n]+\.\n\Z")
        self.assertEqual(self.redhost(*self.ARGS, "-q").out, "inf\n")
        (result,) = json.loads(done.out)["results"]
        self.assertEqual((result["check"]["ok"], result["check"]["outcome"]), (None, "not judged"))

    def test_benchmarks(self):
        bench = ("--bench", "-s", "serial", "-n", "3", "--max-time", "0.01", "-q", "--data")
        done = self.redhost(*bench, "ends")
        self.assertEqual((done.code, done.out), (0, "serial\n"), done)
        self.assertRegex(done.err, r"\Aredhost: warning: 1 of 1 results are not judged, for example 'serial', sum f32, n = 3\.\n\Z")
        self.assertEqual(self.redhost(*bench, "hash").err, "")

    def test_products_in_range(self):
        """Whatever the range of what is multiplied on the way."""
        for strategy in ("serial", "native", "onepass", "two_stage_float4"):
            for kind in ("f16", "f32", "f64"):
                done = self.redhost("--run", strategy, "--op", "prod", "-t", kind, "-n", "100000", "--data", "swing", "-q")
                self.assertEqual((done.code, done.err), (0, ""), done)
                self.assertIn(done.out, ("1\n", "-1\n"))

    def test_what_is_judged(self):
        done = self.redhost(*self.ARGS, "-q", "--seed", "2")
        self.assertEqual((done.code, done.err), (0, ""), done)
        (result,) = self.json("--run", "serial", "-n", "100000", "-q")["results"]
        self.assertEqual((result["check"]["outcome"], result["check"]["exact_data"]), ("ok", "ok"))
        (result,) = self.json("--run", "serial", "-n", "1000", "-q")["results"]
        self.assertEqual((result["check"]["outcome"], result["check"]["exact_data"]), ("ok", None))


@cli.needs(os.path.join(WRONG, "drops_last.so"))
class Wrong(cli.Case):
    """A plugin that drops the last element: exit 1, and never a bare value that a script would accept."""

    def args(self):
        return ["--run", "drops_last", "--plugin-path", WRONG, "-t", "i32", "-n", "2000", "--data", "equal"]

    def test_wrong(self):
        sentence = r"\Aredhost: wrong result: 'drops_last' returned 1999, expected 2000[^\n]*\.\n\Z"
        done = self.redhost(*self.args(), "-q")
        self.assertEqual((done.code, done.out), (1, ""), done)
        self.assertRegex(done.err, sentence)
        done = self.redhost(*self.args())
        self.assertEqual(done.code, 1, done)
        self.assertRegex(done.err, sentence)
        self.assertRegex(done.out, r"(?m)^result     1999\ncheck      exact 2000 .*WRONG$")
        self.assertNotRegex(done.out, r"(?m) ok$|^time")
        (result,) = self.json(*self.args(), code=1)["results"]
        self.assertEqual((result["status"], result["check"]["ok"], result["value"]), ("wrong", False, "1999"))
        self.assertEqual(result["check"]["reference"], "2000")

    PEER = """#!/usr/bin/env python3
import os
lines = os.fdopen(os.dup(4), "r")
def say(line):
    os.write(4, line.encode() + b"\\n")
say("redhost-peer 1"), say("peer constant says 0.048"), say("ready")
for line in lines:
    word = line.split()[0]
    say({"open": "opened host 0", "take": "taken 0.001 host 0.048", "close": "closed"}[word])
"""

    def test_a_bound_that_allows_anything(self):
        """0.048 for 8390991 is inside the bound of n - 1 additions: still never right and never best, from any source."""
        cli.write(self.path("constant"), self.PEER)
        os.chmod(self.path("constant"), 0o755)
        for isolate in ("never", "always"):
            document = self.json("--bench", "-s", "far_constant,native", "-n", "2^24", "--plugin-path", WRONG, "-q",
                                 "--max-time", "0.3", "--isolate=" + isolate, "--peer", self.path("constant"), code=1)
            rows = {row["strategy"]: row for row in document["results"]}
            for name in ("far_constant", "constant"):
                self.assertEqual((rows[name]["status"], rows[name]["check"]["exact_data"]), ("wrong", "wrong"), rows[name])
                self.assertIn("exact data at this n", rows[name]["reason"])
            self.assertEqual((rows["native"]["status"], document["best"][0]["strategy"]), ("ok", "native"))

    def test_the_same_in_every_way(self):
        """Data whose result every order has are tried at this size or a chunk's; else nothing is said of the answer."""
        several, stream = {"POCL_DEVICES": "basic basic"}, "--stream=64MiB"
        for outcome, env, *way in (("wrong", {}), ("wrong", {}, "--isolate=always"), ("wrong", {}, stream, "--isolate=never"),
                                   ("wrong", {}, stream, "--check=sampled", "--isolate=never"), ("wrong", {}, stream, "--isolate=always"),
                                   ("ok", several, "-d", "all", "--isolate=never"),  # of half as many elements each
                                   ("wrong", several, "-d", "all", stream, "--isolate=never"), ("not judged", {}, "--ranks=2")):
            with self.subTest(way=way):
                done = self.redhost("--run", "far_constant", "-n", "2^24", "--plugin-path", WRONG, *way, "--json", "-q", env=env)
                check = json.loads(done.out)["results"][0]["check"]
                if outcome == "not judged" and check["error"] == 0:  # each rank's part is right, and on some devices rounds as the whole does
                    outcome = "ok"
                self.assertEqual((done.code, check["outcome"]), (outcome == "wrong", outcome), done)
                if outcome != "ok":
                    self.assertIn("exact data at this n: 0.048" if outcome == "wrong" else "not tried: the ranks hold parts of the data", done.err)

    def test_unchecked(self):
        """A strategy that is known to be wrong here is not run unchecked."""
        done = self.redhost(*self.args(), "-q", "--no-check")
        self.assertEqual((done.code, done.out), (1, ""), done)
        self.assertIn("fails its self-test here", done.err)
        self.assertIn("skipped (--no-check)", self.good("--run", "serial", "-n", "10", "--no-check").out)
