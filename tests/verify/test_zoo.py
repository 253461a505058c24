"""redhost --verify can fail: every plugin of tests/zoo is caught by the test that tests/zoo/faults.py lists."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.realpath(__file__))
SOURCES = os.path.join(HERE, "..", "zoo")
sys.path.append(SOURCES)
import faults

REDHOST = os.path.realpath(os.environ.get("REDHOST", shutil.which("redhost") or "redhost"))
ZOO = os.environ.get("REDHOST_TEST_ZOO", "")

VERDICTS = {"pass", "fail", "crash", "timeout", "skip", "warn"}
HARMLESS = {"pass", "skip", "warn"}
with open(os.path.join(HERE, "..", "..", "docs", "extend", "verify.md"), encoding="utf-8") as page:
    TESTS = re.findall(r"^\| (V[0-9]{2}) \|", page.read(), re.M)  # the page has a row for each test
# What plugins that pass all tests are about, if not about all.
RIGHT_FOR = {"promises/right_raw": "V13,V22,V29,V32,V33,V34,V36,V55,V56,V57,V58,V63,V64",
             "promises/right_own": "V49,V66,V67,V68,V69", "promises/right_canonical": "V49,V65",
             "promises/right_layouts": "V65,V85", "promises/right_device_layouts": "V47,V49,V85"}
OF_TRANSPORTS = {"V%d" % number for number in range(70, 84)}
NO_PLUGINS = {"loading/dependency", "loading/gone", "file/loader"}  # libraries that plugins need
WHOLE = os.environ.get("REDHOST_TEST_EXTENT") == "all"  # the nightly run
# Seconds of its own time after which a plugin counts as hung; waiting for a busy processor does not count.  The nightly
# run uses the defaults.
HANGS_AFTER = () if WHOLE else ("--timeout", "1")
# A rank that ends is noticed by the transport itself where the launcher does not end the others.
LAUNCHERS = {test: "transport/run-and-wait" for test in ("V78", "V80")}
NAMED = ("--op", "min,max,sum,asum", "--type", "f64")  # an operator for V69, whose values have 32 bytes
BACKSTOP_S = 1500  # --verify has its own limits, which exclude waiting for a busy processor

FOUND = faults.sources()
TABLE = faults.table()


def words(plugin):
    """A row's file, and the options that name its strategy where the file has several."""
    folder, name = plugin.split("/")
    source = FOUND[plugin][0]
    if source == name or folder == "transport":  # the build makes a copy of a transport for each of its faults
        return os.path.join(ZOO, plugin + ".so"), []
    return os.path.join(ZOO, folder, source + ".so"), ["--strategy", name]


def launch(test):
    own = os.path.join(SOURCES, LAUNCHERS[test]) if test in LAUNCHERS else os.path.join(SOURCES, "..", "..", "sdk", "transport", "run-example")
    return "--launch", "'%s' {n}" % os.path.realpath(own)


class Table(unittest.TestCase):
    """The table has a row for every plugin and every test."""

    def test_rows(self):
        for row in TABLE:
            with self.subTest(row.plugin):
                if row.test == "-":
                    self.assertEqual(row.verdicts, {"-"})
                    continue
                self.assertTrue(row.test == "all" or row.test in TESTS, row.test)
                self.assertTrue(row.verdicts <= VERDICTS | {"refused"}, row.verdicts)
                if row.test != "all" and "/right_" not in row.plugin:  # a plugin that the test must pass
                    self.assertTrue(row.verdicts - {"pass", "skip"}, "nothing would be caught")

    def test_every_test_has_a_plugin(self):
        self.assertEqual([test for test in TESTS if test not in {row.test for row in TABLE}], [])

    def test_every_plugin_has_a_row(self):
        named = [row.plugin for row in TABLE]
        self.assertEqual(sorted(set(named)), sorted(named), "named twice")
        self.assertEqual(set(FOUND) - NO_PLUGINS, set(named))


class Verify(unittest.TestCase):
    """One method for each row, added below."""

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="redhost-zoo-")
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)

    @classmethod
    @functools.cache
    def comma_locale(cls):
        """A directory with a locale that has a decimal comma, or none: few machines have one installed."""
        directory = os.path.join(cls.home, "locales")
        os.mkdir(directory)
        try:
            done = subprocess.run(["localedef", "-i", "de_DE", "-f", "UTF-8", os.path.join(directory, "de_DE.UTF-8")],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except FileNotFoundError:
            return None
        return directory if done.returncode == 0 else None

    def call(self, plugin, *args):
        """The finished process, and a description for messages."""
        env = {key: value for key, value in os.environ.items() if not re.match(r"REDHOST_(PLUGIN|CACHE)|LC_|LANG", key)}
        env.update(HOME=self.home)
        if ("--include" not in args or "V12" in args) and self.comma_locale():
            env["LOCPATH"] = self.comma_locale()
        file, named = words(plugin)
        command = [REDHOST, "--verify", file, *named, "--json", "--seed", "1", *args]
        done = subprocess.run(command, env=env, cwd=self.home, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=BACKSTOP_S)
        said = "%s: exit %s\n%s%s" % (" ".join(command), done.returncode, done.stdout.decode(), done.stderr.decode())
        return done, said

    def verify(self, plugin, *args):
        """The tests of the JSON answer, and a description for messages."""
        done, said = self.call(plugin, *args)
        try:
            document = json.loads(done.stdout)
        except ValueError:
            self.fail("no JSON: %s" % said)
        self.assertEqual(document["schema"], "redhost/1", said)
        for answer in document["verify"]:
            self.assertIn(answer["verdict"], VERDICTS, said)
        clean = all(answer["verdict"] in HARMLESS for answer in document["verify"])
        self.assertEqual(done.returncode, 0 if clean else 1, said)
        return document["verify"], said

    def is_refused(self, row):
        """The file is rejected before any test, with a message that names it."""
        done, said = self.call(row.plugin)
        self.assertEqual(done.stdout, b"", said)
        self.assertRegex(done.stderr.decode(), r"\Aredhost: [^\n]*%s\.so: [^\n]+\n\Z" % os.path.basename(row.plugin), said)
        self.assertNotIn(done.returncode, (0, 1), said)

    def is_caught(self, row, *args):
        if "refused" in row.verdicts and not self.call(row.plugin, "--include", row.test)[0].stdout:
            return self.is_refused(row)
        args += NAMED if row.test == "V69" else launch(row.test) if row.plugin.startswith("transport/") else ()
        answers, said = self.verify(row.plugin, "--include", row.test, *args)
        self.assertEqual({answer["test"] for answer in answers}, {row.test}, said)
        allowed = row.verdicts - {"skip"} if row.test == "V12" and self.comma_locale() else row.verdicts
        got = [answer for answer in answers if answer["verdict"] in allowed]
        self.assertTrue(got, "%s: no %s from %s\n%s" % (row.does, " or ".join(sorted(allowed)), row.test, said))
        for answer in got:
            if answer["verdict"] not in ("pass", "skip"):
                self.assertTrue(answer["text"], said)
                self.assertRegex(answer["again"], r"\Aredhost --(verify|run) ", said)

    def is_caught_by_day(self, row, *args):
        """--quick finds most faults; the full run finds the others."""
        try:
            self.is_caught(row, "--quick", *args)
        except AssertionError:
            self.is_caught(row, *args)

    def passes(self, row):
        """By day, results/right runs all tests, and what is right in another way those that this way is about."""
        about = None if WHOLE else RIGHT_FOR.get(row.plugin)
        answers, said = self.verify(row.plugin, "--quick", *NAMED, *(("--include", about) if about else ()))
        tried = sorted({answer["test"] for answer in answers})
        if about:
            self.assertEqual(set(tried), set(about.split(",")), said)
        else:
            self.assertEqual(tried, sorted(set(TESTS) - OF_TRANSPORTS), said)
        self.assertEqual([answer for answer in answers if answer["verdict"] not in ("pass", "skip")], [], said)


def method(row):
    def test(self):
        if row.test == "all":
            self.passes(row)
            return
        args = HANGS_AFTER if "timeout" in row.verdicts else ()
        if row.plugin.startswith(("quick/", "state/")):  # the quick run must find these, too
            self.is_caught(row, "--quick", *args)
        elif not WHOLE:
            self.is_caught_by_day(row, *args)
        if WHOLE:
            self.is_caught(row, *args)
    test.__doc__ = "%s: %s" % (row.test, row.does)
    return test


for each in TABLE:
    if each.test != "-":
        setattr(Verify, "test_" + each.plugin, method(each))


if __name__ == "__main__":
    if not os.access(REDHOST, os.X_OK) or not os.path.isdir(ZOO):
        sys.exit("REDHOST=%s is not a program, or REDHOST_TEST_ZOO=%s no directory" % (REDHOST, ZOO))
    unittest.main(verbosity=1)
