"""Plugins are found and loaded when redhost runs; a bad one is named, and nothing else suffers."""

import os
import shutil

import redhost_cli as cli

NAMES = "atomic cascade cpu_serial serial two_stage two_stage_float4".split()
SUM = ["-n", "100", "-t", "i8", "--data", "equal"]


class Discovery(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.program, cls.plugins = cls.copy_of_tree(cls, "tree")

    def names(self, *args, **how):
        return self.good("--list", "-q", *args, program=self.program, **how).out.split()

    def listing(self, *args):
        return self.json("--list", *args, program=self.program)

    def test_elsewhere(self):
        """The tree runs where it is moved to, from its own plugins."""
        for strategy in self.listing()["strategies"]:
            self.assertEqual(os.path.dirname(strategy["plugin"]), os.path.realpath(self.plugins))
        self.assertEqual(self.value("--run", "cascade", *SUM, program=self.program), "100")

    def test_delete_and_return(self):
        before = self.names()
        text = self.good("--list", program=self.program).out.splitlines()
        self.assertTrue(set(NAMES) <= set(before), before)
        for name in NAMES:
            file, away = os.path.join(self.plugins, name + ".so"), os.path.join(self.home, name + ".so")
            os.rename(file, away)
            self.assertEqual(self.names(), [other for other in before if other != name])
            if name == "cascade":
                rows = [line.split() for line in text if line.startswith("  ") and line.split()[0] != name]
                now = self.good("--list", program=self.program).out.splitlines()
                self.assertEqual([line.split() for line in now if line.startswith("  ")], rows)
                self.bad(2, "unknown strategy 'cascade'", "--run", name, "-n", "10", program=self.program)
            os.rename(away, file)
        self.assertEqual(self.names(), before)

    def test_only_one(self):
        """No plugin is needed by another."""
        away = os.path.join(self.home, "away")
        os.rename(self.plugins, away)
        try:
            listing = self.good("--list", program=self.program)
            self.assertIn("0 of 0 can run", listing.out)
            self.assertIn(self.plugins, listing.out)
            self.bad(2, "unknown strategy 'serial'", "--run", "serial", "-n", "10", program=self.program)
            os.mkdir(self.plugins)
            shutil.copy(os.path.join(away, "two_stage.so"), self.plugins)
            self.assertEqual(self.names(), ["two_stage"])
            self.assertEqual(self.value("--run", "auto", *SUM, program=self.program), "100")
        finally:
            shutil.rmtree(self.plugins, ignore_errors=True)
            os.rename(away, self.plugins)

    def test_other_file_name(self):
        extra = self.path("extra")
        os.mkdir(extra)
        os.rename(os.path.join(self.plugins, "cascade.so"), os.path.join(extra, "another name, ä.so"))
        try:
            self.assertNotIn("cascade", self.names())
            for how in ({"args": ["--plugin-path", extra]}, {"env": {"REDHOST_PLUGIN_PATH": extra}},
                        {"args": ["--plugin", os.path.join(extra, "another name, ä.so")]}):
                env, args = how.get("env"), how.get("args", [])
                self.assertIn("cascade", self.names(*args, env=env))
                self.assertEqual(self.value("--run", "cascade", *SUM, *args, program=self.program, env=env), "100")
                self.assertIn("another name", self.good("--info", "cascade", *args, program=self.program, env=env).out)
        finally:
            os.rename(os.path.join(extra, "another name, ä.so"), os.path.join(self.plugins, "cascade.so"))


class Shown(cli.Case):
    """Names and words of others on a terminal."""

    HARMFUL = "a\x1b[31mb\tc\u202ed\u2066e\x7ff\u009bg\u2028h"
    PLAIN = "a?[31mb?c???d???e?f??g???h"

    def check(self, done, shown=True):
        for text in done.out, done.err:
            self.assertNotRegex(text, r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]", done)
        if shown:
            self.assertIn(self.PLAIN, done.out + done.err, done)

    def test_paths(self):
        directory = os.path.join(self.home, self.HARMFUL)
        os.mkdir(directory)
        for name in "cascade.so", "native.so":
            shutil.copy(os.path.join(cli.PLUGINS, name), os.path.join(directory, name))
        self.write("plain.npy", b"")
        shutil.copy(os.path.join(cli.DATA, "..", "data", os.listdir(cli.DATA)[0]), os.path.join(directory, "x.npy"))
        self.write(os.path.join(directory, "broken.so"), b"nothing")
        where = ["--plugin-path", directory]
        broken, none = (os.path.join(directory, name) for name in ("broken.so", "none.npy"))
        for args in (("--list", *where), ("--info", "cascade", *where), ("--info", "cascade", "-v", *where), ("--run", "cascade", "-n", "1000", "-v", *where),
                     ("--verify", "native", "--include", "V01", *where), ("--verify", broken), ("--run", "native", "-i", none),
                     ("--run", "native", "-i", broken, "-t", "i8", "--op", "max"), ("--compare", broken, "plain.npy"),
                     ("--plugin", broken, "--run", "auto", "-n", "1000"), ("--run", "native", "-n", "10", "--cache-dir", directory + "/x.npy/none"),
                     ("--run", self.HARMFUL)):
            self.check(self.redhost(*args))
        for option in ("--op", "-t", "-n", "-d", "--data", "--seed", "--param", "--timeout", "--color"):
            self.check(self.redhost("--run", "native", option, self.HARMFUL))
        # For programs all of it is there, and nothing else.
        self.assertEqual(self.good("--info", "cascade", "-q", *where).out, os.path.join(directory, "cascade.so") + "\n")
        (strategy,) = self.json("--info", "cascade", *where)["strategies"]
        self.assertEqual(strategy["plugin"], os.path.join(directory, "cascade.so"))

    @cli.needs(os.path.join(cli.DRIVERS, "failing_memory.so"))
    def test_devices(self):
        env = {**cli.preloaded("failing_memory.so"), "REDHOST_TEST_DRIVER_VERSION": self.HARMFUL}
        for args in ([], ["--devices"], ["--bench", "-s", "native", "-n", "1000", "--quick"]):
            self.check(self.redhost(*args, env=env))
        (device, *_) = self.json("--devices", env=env)["devices"]
        self.assertEqual(device["driver"], self.HARMFUL)


class Bad(cli.Case):
    """One directory of everything that can be wrong with a file."""

    def setUp(self):
        self.directory = self.path(self.id().rsplit(".", 1)[1])
        os.mkdir(self.directory)

    def put(self, name, content):
        cli.write(os.path.join(self.directory, name), content)

    def from_zoo(self, *names):
        for name in names:
            file = os.path.join(cli.ZOO, name + ".so")
            if not cli.ZOO or not os.path.exists(file):
                self.skipTest("no zoo: REDHOST_TEST_ZOO")
            os.symlink(file, os.path.join(self.directory, name + ".so"))
        library = os.path.join(cli.ZOO, "lib")
        if os.path.isdir(library):
            os.symlink(library, os.path.join(self.directory, "lib"))

    def refusals(self):
        """By file name; the rest of the list is as ever."""
        document = self.json("--list", "--plugin-path", self.directory)
        names = [s["name"] for s in document["strategies"] if s["plugin"].startswith(os.path.realpath(cli.PLUGINS))]
        self.assertTrue(set(NAMES) <= set(names), names)
        listing = self.good("--list", "--plugin-path", self.directory).out
        for refusal in document["not_loaded"]:
            self.assertIn("not loaded: %s: %s\n" % (refusal["path"], refusal["reason"]), listing)
        self.assertIn("%d not loaded" % len(document["not_loaded"]), self.good("--plugin-path", self.directory).out)
        return {os.path.basename(refusal["path"]): refusal["reason"] for refusal in document["not_loaded"]
                if os.path.dirname(refusal["path"]) != os.path.realpath(cli.PLUGINS)}  # OpenBLAS need not be here

    def test_asked_for(self):
        """A file that is named counts on being there where several run, or `auto' chooses."""
        self.put("text.so", b"this is text\n" * 100)
        file = os.path.realpath(os.path.join(self.directory, "text.so"))
        sentence = "redhost: plugin %s is not loaded: %s.\n" % (file, self.refusals()["text.so"])
        for args in (("--run", "auto", *SUM), ("--bench", "-s", "serial", "-n", "2^10", "--once"),
                     ("--tune", "-s", "serial", "-n", "2^10", "--budget", "0.1")):
            self.assertEqual(self.good(*args, "--plugin", file, quiet=False).err, sentence)
            self.assertEqual(self.good(*args, "-q", "--plugin", file).err, "")
        self.assertEqual(self.good("--run", "auto", *SUM, "--plugin-path", self.directory).err, "")

    def test_crash(self):
        self.from_zoo("crash_on_load", "abort_on_load", "exit_on_load", "crash_in_query", "wrong_cpu", "chatty", "fine")
        for name in ("crash_on_load", "abort_on_load", "exit_on_load", "crash_in_query"):
            self.bad(5, "'%s'|%s.so" % (name, name), "--run", name, "-n", "10", "--plugin-path", self.directory)
            self.assertEqual(self.value("--run", "serial", *SUM, "--plugin-path", self.directory), "100")

    def test_one_file(self):
        self.put("text.so", b"this is text\n")
        self.bad(6, "/proc/nonexistent.so|No such file", "--run", "serial", "-n", "10", "--plugin", "/proc/nonexistent.so")
        self.bad(6, "directory", "--run", "serial", "-n", "10", "--plugin", self.directory)
        self.bad(5, "text.so", "--run", "text", "-n", "10", "--plugin", os.path.join(self.directory, "text.so"))

    def test_not_safe(self):
        """A directory that anybody may write to is not searched, nor is one below it or behind a link in it."""
        shutil.copy(os.path.join(cli.PLUGINS, "serial.so"), os.path.join(self.directory, "serial.so"))
        os.chmod(self.directory, 0o777)
        document = self.json("--list", "--plugin-path", self.directory)
        self.assertIn((self.directory, f"is not trusted: {self.directory} is writable by everyone (mode 0777)"),
                      [(refusal["path"], refusal["reason"]) for refusal in document["not_loaded"]])
        self.assertFalse([s for s in document["strategies"] if s["plugin"].startswith(self.directory)])
        for args in (["--run", "own"], ["--info", "own"], ["--verify", "own"], ["--bench", "-s", "own"]):
            self.bad(5, f"'own'|{self.directory} |is writable by everyone", *args, "--plugin-path", self.directory)
        said = self.redhost("--run", "serial", "-n", "10", "-q", "--plugin-path", self.directory)
        self.assertEqual((said.code, said.err), (0, f"redhost: {self.directory} is not searched, as it is not trusted: {self.directory} "
                                                      "is writable by everyone (mode 0777).\n"))
