"""Functions of other libraries, described in JSON, are strategies like any other."""

import json
import os
import shutil
import unittest

import redhost_cli as cli

PLAIN = {
    "name": "plain", "summary": "a loop in C", "library": cli.FOREIGN, "symbol": "plain_sum", "operator": "sum", "type": "f32",
    "arguments": [{"role": "data"}, {"role": "n", "type": "size_t"}], "returns": {"role": "result", "type": "f32"}}


@unittest.skipUnless(cli.FOREIGN, "REDHOST_TEST_FOREIGN names no library")
class Foreign(cli.Case):
    def describe(self, file="plain.foreign.json", **changes):
        """A description with some keys changed; None: without them.  The file's name."""
        merged = {**PLAIN, **changes}
        return self.write(file, json.dumps({key: value for key, value in merged.items() if value is not None}))

    def refused(self, words, **changes):
        file = self.describe(**changes)
        done = self.bad(5, "strategy '%s'|plain.foreign.json: |%s" % (changes.get("name", "plain"), words),
                        "--foreign", file, "--run", changes.get("name", "plain"), "-n", "10")
        for refusal in self.json("--foreign", file, "--list")["not_loaded"]:
            if os.path.basename(refusal["path"]) == "plain.foreign.json":
                self.assertIn(words.split("|")[0], refusal["reason"], done)
                return
        self.fail("%s: not in not_loaded" % words)

    def row(self, name, *args):
        rows = [row for row in self.json("--list", *args)["strategies"] if row["name"] == name]
        self.assertEqual(len(rows), 1, rows)
        return rows[0]

    def test_a_row_and_a_run(self):
        file = self.describe()
        for option in ("--foreign", "--plugin"):
            listing = self.good("--list", option, file).out
            self.assertRegex(listing, r"(?m)^  plain +host +f32 +sum +run-to-run +yes +a loop in C$")
            self.assertIn("a loop in C", self.good("--info", "plain", option, file).out)
            self.assertEqual(self.value("--run", "plain", option, file, "-n", "1000", "--data", "equal"), "1000")
        result = self.json("--run", "plain", "--foreign", file, "-n", "100003")["results"][0]
        self.assertEqual((result["strategy"], result["status"], result["n"]), ("plain", "ok", 100003))
        self.assertTrue(result["check"]["ok"])
        self.assertGreater(result["time"]["median_s"] if "time" in result else 1, 0)
        self.assertEqual(os.path.basename(result["plugin"]), file)
        self.bad(4, "'plain'|plain serves sum of f32 only", "--run", "plain", "--foreign", file, "-n", "9", "--op", "max")
        self.bad(4, "'plain'|plain serves sum of f32 only", "--run", "plain", "--foreign", file, "-n", "9", "-t", "f64")

    def test_in_a_directory(self):
        where = self.path("described")
        os.makedirs(os.path.join(where, "lib"))
        shutil.copy(cli.FOREIGN, os.path.join(where, "lib", "functions.so"))
        os.rename(self.path(self.describe(library="lib/functions.so", name=None)), os.path.join(where, "by_file.foreign.json"))
        self.write(os.path.join(where, "not_one.json"), "{")
        self.write(os.path.join(where, ".hidden.foreign.json"), "{")
        self.assertEqual(self.value("--run", "by_file", "--plugin-path", where, "-n", "10", "--data", "equal"), "10")
        self.assertEqual([refusal["path"] for refusal in self.json("--list", "--plugin-path", where)["not_loaded"]
                          if where in refusal["path"]], [])
        os.chmod(os.path.join(where, "by_file.foreign.json"), 0o666)
        self.bad(5, "'by_file'|is writable by everyone", "--run", "by_file", "--plugin-path", where, "-n", "10")
        os.chmod(os.path.join(where, "by_file.foreign.json"), 0o644)
        os.chmod(os.path.join(where, "lib"), 0o777)
        self.bad(5, "its library lib/functions.so|/described/lib is writable by everyone", "--run", "by_file",
                 "--plugin-path", where, "-n", "10")
        shutil.rmtree(where)

    def test_wrong_results_are_caught(self):
        file = self.describe(symbol="forgets_the_last", name="forgetful")
        done = self.redhost("--run", "forgetful", "--foreign", file, "-n", "1000")
        self.assertEqual(done.code, 1, done)
        self.assertIn("WRONG", done.out)

    def test_bad_descriptions(self):
        self.refused("is unknown here; did you mean 'symbol'?", symbl="x")
        self.refused("arguments[1].role: 'count' is not one of n data", arguments=[{"role": "data"}, {"role": "count"}])
        self.refused("has no function 'nothing_like_it'", symbol="nothing_like_it")
        self.refused("needs libnothing_like_it.so.1, which was not found", library="libnothing_like_it.so.1")
        self.refused("cannot be opened: No such file or directory", library="/nothing/like/it.so")

    def test_wrong_signatures(self):
        """A function that crashes or hangs does so in the probe process."""
        self.refused("crashed on load (signal 6)", symbol="crashes")
        self.refused("did not answer within 5 s while loading", symbol="hangs")
        self.refused("tried on 4 ones, index_from_0 gives the index 0 of 4 elements, counted from 1", operator="argmax",
                     symbol="index_from_0", returns={"role": "result", "type": "i64", "base": 1})
        # Count and address swapped: a typical wrong signature.
        self.refused("crashed on load (signal 11)", arguments=[{"role": "n", "type": "size_t"}, {"role": "data"}])

    def test_no_json(self):
        for text, words in (("{\n  \"name\": plain\n}", "is not JSON: line 2, column 15"), (b"{\"name\": \"\xff\"}", "is not JSON: line 1")):
            file = self.write("plain.foreign.json", text)
            self.bad(5, "'plain'|plain.foreign.json: |" + words, "--foreign", file, "--run", "plain", "-n", "10")

    def test_usage(self):
        file = self.describe()
        self.bad(6, "missing.foreign.json: No such file", "--foreign", "missing.foreign.json", "--list")
        self.bad(2, "--foreign 'plain.json': expected a file whose name ends in .foreign.json", "--foreign", "plain.json", "--list")
        self.bad(2, "--plugin and --foreign are mutually exclusive", "--foreign", file, "--plugin", file, "--list")
        self.bad(2, "--foreign cannot be used with --devices", "--foreign", file, "--devices")

    def test_changing_it(self):
        """An earlier version of a description is not remembered."""
        for symbol, code in (("plain_sum", 0), ("forgets_the_last", 1), ("nothing_like_it", 5), ("plain_sum", 0)):
            file = self.describe(symbol=symbol)
            self.assertEqual(self.redhost("--run", "plain", "--foreign", file, "-n", "1000", "-q").code, code, symbol)


class OpenBlas(cli.Case):
    """The descriptions that are installed with redhost."""

    def available(self, name):
        for refusal in self.json("--list")["not_loaded"]:
            if name in refusal["path"]:
                self.assertRegex(refusal["reason"], r"\Aneeds \S+, which was not found\Z")
                self.skipTest("%s: %s" % (name, refusal["reason"]))
        return name

    def test_sasum(self):
        name = self.available("openblas_sasum")
        for data in ("uniform", "cancel", "loguniform", "huge", "nan", "infs", "zeros"):
            for n in ("1", "7", "1001", "100003"):
                self.good("--run", name, "--op", "asum", "-n", n, "--data", data, "-q")
        self.assertEqual(self.value("--run", name, "--op", "asum", "-n", "0"), "0")

    def test_idamax(self):
        name = self.available("openblas_idamax")
        for data in ("uniform", "equal", "cancel", "loguniform", "huge", "infs", "zeros"):
            for n in ("1", "7", "1001", "100003"):
                self.good("--run", name, "--op", "argamax", "-t", "f64", "-n", n, "--data", data, "-q")

    def test_the_check_sees_what_a_library_does_otherwise(self):
        """OpenBLAS treats NaN in its own way, or follows ours."""
        name = self.available("openblas_idamax")
        done = self.redhost("--run", name, "--op", "argamax", "-t", "f64", "-n", "1001", "--data", "nan")
        self.assertEqual(done.code == 0, " ok" in done.out, done)
        self.assertEqual(done.code == 1, "WRONG" in done.out, done)
