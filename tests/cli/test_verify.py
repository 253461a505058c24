"""redhost --verify from outside: what it takes, what it prints, and that nothing a plugin does takes it down."""

import os
import re
import resource
import shutil
import xml.etree.ElementTree as xml

import redhost_cli as cli

WORKERS = os.path.join(cli.ZOO, "worker_faults.so")
SOME = "V01,V10,V16-V18"


class Targets(cli.Case):

    def test_no_plugin(self):
        self.write("text.so", "this is not a library\n")
        self.write("empty.so", "")
        os.mkdir(self.path("folder"))
        with open(os.path.join(cli.ZOO, "fine.so"), "rb") as file:
            self.write("cut.so", file.read(200))
        for name, words in (("missing.so", "missing.so|No such file"), ("folder/", "is a directory"),
                            ("text.so", "is not a shared object|looks like text"), ("empty.so", "is empty"),
                            ("cut.so", "cut off"), (os.path.join(cli.ZOO, "no_symbol.so"), "redhost_plugin_v1")):
            with self.subTest(name):
                self.bad(6, words, "--verify", name)

    def test_names(self):
        self.bad(2, "unknown strategy 'cascde'|did you mean 'cascade'", "--verify", "cascde")
        results = self.json("--verify", "serial", "cascade", "--include", SOME)["verify"]
        self.assertEqual([r["test"] for r in results], 2 * ["V01", "V10", "V16", "V17", "V18"])
        self.assertEqual({os.path.basename(r["plugin"]) for r in results}, {"serial.so", "cascade.so"})

    def test_one_strategy_of_a_file(self):
        results = self.json("--verify", WORKERS, "--strategy", "worker_crash_in_run", "--include", "V16,V22")["verify"]
        self.assertEqual([(r["test"], r["strategy"]) for r in results], [("V16", None), ("V22", "worker_crash_in_run")])
        self.assertIn(" --strategy worker_crash_in_run ", results[1]["again"])
        self.bad(2, "worker_faults.so: has no strategy 'serial'", "--verify", WORKERS, "--strategy", "serial")
        for names in ((), ("serial",), (WORKERS, WORKERS)):
            with self.subTest(names):
                self.bad(2, "--strategy says which strategy of a file", "--verify", *names, "--strategy", "serial")

    def test_reports_over_other_files(self):
        """The file keeps its owner, its mode and its names; a link to nothing leads to the file; a failure comes before the tests."""
        words = ("--verify", "native", "--quick", "--include=V10", "-q")
        for name, mode in (("own.xml", 0o640), ("others.xml", 0o604), ("linked.xml", 0o600), ("in_closed.xml", 0o644)):
            path = self.path(name)
            self.write(name, "old" * 9999)
            os.chmod(path, mode)
            if name == "others.xml" and os.geteuid() == 0:
                os.chown(path, 1234, 2345)
            if name == "linked.xml":
                os.link(path, self.path("second.xml"))
            before = os.stat(path)
            self.good(*words, "--junit=" + name)
            after = os.stat(path)
            self.assertEqual((after.st_uid, after.st_gid, after.st_mode, after.st_nlink),
                             (before.st_uid, before.st_gid, before.st_mode, before.st_nlink), name)
            self.assertEqual(after.st_ino == before.st_ino, name == "linked.xml" or before.st_uid != os.geteuid(), name)
            self.assertEqual(xml.parse(path).getroot().tag, "testsuites")
        os.mkdir(self.path("below"))
        os.symlink("below/target.xml", self.path("link.xml"))
        self.good(*words, "--junit=link.xml")
        self.assertEqual(os.readlink(self.path("link.xml")), "below/target.xml")
        self.assertEqual(xml.parse(self.path("below/target.xml")).getroot().tag, "testsuites")
        self.assertEqual(os.listdir(self.path("below")), ["target.xml"])
        os.symlink("absent/target.xml", self.path("nowhere.xml"))
        for name in ("absent/r.xml", "nowhere.xml", "below"):
            self.bad(6, "--junit " + name, "--verify", "native", "--quick", "--include=V10", "--junit=" + name)

    def test_lists(self):
        for option in ("--include", "--exclude"):
            for text in ("", "V", "1", "V01,", "V05-V01", "V01;V02", "V99", "V00", "V1x"):
                with self.subTest(option + " " + text):
                    self.bad(2, option, "--verify", "serial", option, text)
        self.bad(2, "leave no test", "--verify", "serial", "--include", "V01", "--exclude", "V01-V20")
        tests = [r["test"] for r in self.json("--verify", "serial", "--include", "V01-V09", "--exclude", "V03,V05-V07")["verify"]]
        self.assertEqual(tests, ["V01", "V02", "V04", "V08", "V09"])

    def test_options(self):
        self.bad(2, "--seed", "--verify", "serial", "--seed", "x")
        self.bad(2, "--timeout", "--verify", "serial", "--timeout", "0")
        self.bad(2, "--quick cannot be used with --list", "--list", "--quick")
        self.bad(3, "no device matches", "--verify", "serial", "-d", "nothing at all", "--include", "V42")


class Transports(cli.Case):
    """V70 to V83; the rest is tests/verify's."""

    def test_by_name(self):
        results = self.json("--verify", "mpi", "--include", "V01,V70")["verify"]
        self.assertEqual([(os.path.basename(r["plugin"]), r["test"]) for r in results],
                         [("mpi_mpich.so", "V01"), ("mpi_mpich.so", "V70"), ("mpi_openmpi.so", "V01"), ("mpi_openmpi.so", "V70")])

    def test_tests_of_the_other_kind(self):
        self.bad(2, "leave no test", "--verify", "serial", "--include", "V70-V83")
        self.bad(2, "leave no test", "--verify", "mpi", "--include", "V12-V69")

    def test_launchers(self):
        self.bad(2, "--launch 'mpirun': expected a command with {n}", "--verify", "mpi", "--launch", "mpirun")
        self.bad(2, "--launch cannot be used with --list", "--list", "--launch", "mpirun -n {n}")
        template = os.path.join(cli.ZOO, "..", "transport", "right_template.so")
        (result,) = self.json("--verify", template, "--include", "V74")["verify"]
        self.assertEqual(result["verdict"], "skip")
        self.assertIn("--launch 'mpirun -n {n}'", result["text"])
        for launch, words in (("no-such-program -n {n}", "of 3 ranks, 0 have begun.*ended with status 127; it printed '.*not found"),
                              ("exit {n} ;", "0 have begun.*ended with status 3"),
                              ("kill -9 $$; echo {n}", "0 have begun.*was ended by signal 9"),
                              ("echo {n} >/dev/null;", "probe returns 1 in a process that the launcher started")):
            with self.subTest(launch):
                (result,) = self.json("--verify", template, "--include", "V74", "--quick", "--launch", launch, code=1)["verify"]
                self.assertEqual(result["verdict"], "fail", result)
                self.assertRegex(result["text"], words)
        self.assertEqual(os.listdir(self.cwd), [])


class OwnOperators(cli.Case):
    """V69: an operator that is named, beside the others."""

    def test_named(self):
        for words in (("--op", "meanvar"), ("--map", "fabs(x - y)", "--op", "argmax"), ("--map", "x > t", "--let", "t=0.5"),
                      ("--op", "min,max,sum", "-t", "i8"), ("--reduce", "a > b ? a : b", "--identity", "-inf", "--commutes")):
            with self.subTest(words):
                (result,) = self.json("--verify", "native", "--quick", "--include", "V69", *words)["verify"]
                self.assertEqual((result["test"], result["verdict"]), ("V69", "pass"), result)
        self.assertEqual(result["again"].split(" --quick ")[1],
                         "--reduce 'a > b ? a : b' --identity -inf --commutes")

    def test_without_a_name(self):
        """It is left out, and says why if it is asked for."""
        tests = [r["test"] for r in self.json("--verify", "native", "--quick", "--exclude", "V01-V64")["verify"]]
        self.assertEqual(tests, ["V65", "V66", "V67", "V68", "V84", "V85"])
        (result,) = self.json("--verify", "native", "--quick", "--include", "V69")["verify"]
        self.assertEqual((result["verdict"], result["text"]), ("skip", "no operator of one's own is named"))

    def test_declined(self):
        (result,) = self.json("--verify", "openblas_sasum", "serial", "--quick", "--include", "V69", "--op", "quat")["verify"][-1:]
        self.assertEqual(result["verdict"], "pass", result)

    def test_refused(self):
        self.bad(2, "--op: --verify tries all built-in operators|meanvar", "--verify", "native", "--op", "max")
        self.bad(2, "--type: --verify tries all built-in operators", "--verify", "native", "-t", "f64")
        self.bad(5, "not associative", "--verify", "native", "--include", "V69", "--reduce", "a + 2*b", "--identity", "-0.0")


class Reports(cli.Case):

    def test_table(self):
        done = self.good("--verify", "serial", "--include", SOME, quiet=False)
        self.assertRegex(done.out, r"(?s)\A/[^\n]*/serial\.so\n(  V[0-9]{2}  pass     [^\n]+\n){5}5 tests in [0-9.]+ s: 5 passed, 0 failed\n\Z")
        self.assertEqual(self.good("--verify", "serial", "--include", SOME, "-q").out, "")

    def test_junit(self):
        self.redhost("--verify", os.path.join(cli.ZOO, "fine.so"), "--quick", "--include", "V01-V20", "--junit", "r.xml")
        suite = xml.parse(self.path("r.xml")).getroot().find("testsuite")
        cases = suite.findall("testcase")
        self.assertEqual((len(cases), suite.get("tests")), (20, "20"))
        self.assertEqual(int(suite.get("failures")), len(suite.findall("testcase/failure")))
        self.assertGreater(int(suite.get("failures")), 0)  # it is linked as people link by hand
        self.assertIn("redhost --verify", suite.find("testcase/failure").text)
        self.bad(6, "--junit /proc/nonexistent/r.xml", "--verify", "serial", "--include", "V01", "-q", "--junit", "/proc/nonexistent/r.xml")

    def test_junit_stays_what_it_is(self):
        """A pipe and a device are written to; the plugin itself is not overwritten."""
        plugin = shutil.copy(os.path.join(cli.PLUGINS, "serial.so"), self.path("mine.so"))
        self.bad(2, "that is the plugin", "--verify", plugin, "--include", "V01", "--junit", plugin)
        os.mkfifo(self.path("pipe"))
        reader = os.open(self.path("pipe"), os.O_RDONLY | os.O_NONBLOCK)
        self.good("--verify", plugin, "--include", "V01", "-q", "--junit", "pipe")
        self.assertIn(b"<testsuites>", os.read(reader, 65536))
        os.close(reader)
        self.good("--verify", plugin, "--include", "V01", "-q", "--junit", "/dev/null")
        self.assertFalse(os.path.isfile("/dev/null"))
        os.unlink(self.path("pipe"))

    def test_in_process(self):
        done = self.good("--verify", "serial", "--quick", "--in-process", "--exclude", "V15", quiet=False)
        self.assertIn(" 0 failed", done.out)

    def test_seed_and_again(self):
        plugin = os.path.join(os.environ["REDHOST_TEST_WRONG"], "tail_twice.so")
        result = self.json("--verify", plugin, "--quick", "--include", "V42", code=1)["verify"][0]
        self.assertEqual(result["verdict"], "fail", result)
        again = result["again"].split()
        self.assertEqual(again[0], "redhost")
        self.assertEqual(self.redhost(*again[1:]).code, 1, again)


class Crashes(cli.Case):
    """In every phase in turn: a verdict for each, and the run completes."""

    def verdicts(self, plugin, *args):
        return self.json("--verify", plugin, "--quick", *args, code=1)["verify"]

    def test_constructor_and_query(self):
        for name, words in (("crash_on_load", "loading"), ("exit_on_load", "loading"), ("abort_on_load", "loading"),
                            ("crash_in_query", "query"), ("exit_in_query", "query"), ("wrong_cpu", "query")):
            with self.subTest(name):
                results = self.verdicts(os.path.join(cli.ZOO, name + ".so"))
                self.assertGreaterEqual(len({r["test"] for r in results}), 57)
                crashes = [r for r in results if r["verdict"] == "crash"]
                self.assertTrue(crashes, results)
                self.assertEqual([r["text"] for r in crashes if words not in r["text"]], [])

    def test_refused_by_name(self):
        folder = self.path("one")  # for all of the zoo's are examined by running them
        os.mkdir(folder)
        cli.shutil.copy(os.path.join(cli.ZOO, "crash_on_load.so"), folder)
        results = self.json("--verify", "crash_on_load", "--plugin-path", folder, "--include", "V01,V10", code=1)["verify"]
        self.assertEqual([r["verdict"] for r in results], ["pass", "crash"], results)

    def test_functions(self):
        """Strategies of worker_faults: each does in one function what its name says."""
        for strategy, test, words in (("worker_crash_in_setup", "V31", "setup"), ("worker_crash_in_run", "V41", "run"),
                                      ("worker_crash_in_teardown", "V31", "teardown"),
                                      ("worker_crash_at_exit", "V41", "process ended"),
                                      ("worker_crash_in_thread", "V41", "crashed"),
                                      ("worker_print_for_ever", "V41", "signal 25"),
                                      ("worker_exit_in_run", "V41", "ended the process with exit status")):
            with self.subTest(strategy):
                results = self.verdicts(strategy, "--plugin", WORKERS, "--include", test)
                self.assertEqual([(r["strategy"], r["verdict"]) for r in results], [(strategy, "crash")], results)
                self.assertIn(words, results[0]["text"])


class Hangs(cli.Case):
    """What never returns ends the tests that need it, within the time that the first line says."""

    def ends(self, plugin, where, *args, of=()):
        args = (*of, *(args if cli.WHOLE else ("--timeout", "1")))  # at night query hangs for as long as --verify lets it
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = self.redhost("--verify", os.path.join(os.path.dirname(cli.ZOO), plugin), "--quick", "--exclude", "V61,V64", *args,
                            timeout=900)
        used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used
        self.assertEqual(done.code, 1, done)
        most = float(re.search(r"at most (\d+) s", done.err).group(1))
        self.assertLess(most, 500, done)  # not more on a busy machine, whose time is another's
        self.assertLess(used, most, done)
        self.assertIn(where, done.out)
        self.assertLessEqual(1, len(re.findall(r"(?m)^  V\d\d  timeout ", done.out)), done)
        self.assertLessEqual(len(re.findall(r"(?m)^  V\d\d  timeout ", done.out)), 4, done)
        self.assertIn("not tried: ", done.out)

    def test_kernel(self):
        self.ends("lifecycle/lifecycle.so", "in run", "--timeout", "4", of=("--strategy", "hangs_in_kernel"))

    def test_query(self):
        self.ends("loading/hang_in_query.so", "in query")


class SelfTest(cli.Case):
    """What runs unchecked has been checked before, once."""

    def setUp(self):
        self.env["XDG_CACHE_HOME"] = os.path.join(self.home, "empty")

    def test_once(self):
        first = self.good("--run", "cascade", "-n", "100", "--no-check", "-v", quiet=False)
        self.assertIn("self-test", first.err)
        second = self.good("--run", "cascade", "-n", "100", "--no-check", "-v", quiet=False)
        self.assertNotIn("self-test", second.err)

    def test_wrong(self):
        plugin = os.path.join(os.environ["REDHOST_TEST_WRONG"], "tail_twice.so")
        for _ in range(2):  # failing is not remembered
            done = self.redhost("--run", "tail_twice", "--plugin", plugin, "-n", "64", "--no-check", "-q")
            self.assertEqual((done.code, done.out), (1, ""), done)
            self.assertIn("self-test", done.err)

    def test_content_and_no_name(self):
        """Another plugin of the same name, size and time is another one; the same with another time is the same."""
        copy = self.path("copy.so")
        args = ("--run", "cascade", "--plugin", copy, "-n", "100", "--no-check", "-v")
        content = cli.read(os.path.join(cli.PLUGINS, "cascade.so"))
        for author in (b"redhost author5", b"others' authors"):
            cli.write(copy, content.replace(b"redhost authors", author))
            os.utime(copy, (1, 1))
            self.assertIn("self-test", self.good(*args, quiet=False).err)
        os.utime(copy, (2, 2))
        self.assertNotIn("self-test", self.good(*args, quiet=False).err)

    def test_what_is_asked_for(self):
        """Each operator, type, set of parameters and size class is tried."""
        args = ("--run", "cascade", "-t", "i64", "--no-check", "-v")
        for more in (("-n", "100"), ("-n", "100", "--op", "max"), ("-n", "100", "-p", "tile=64"), ("-n", "200")):
            self.assertIn("self-test", self.good(*args, *more, quiet=False).err, more)
        self.assertNotIn("self-test", self.good(*args, "-n", "101", quiet=False).err)

    def test_wrong_as_asked(self):
        """What V42 and V43 do not see quickly: an operator on a type, and a size."""
        for name, more in (("signed_magnitude", ("--op", "asum", "-t", "i32", "-n", "1000")),
                           ("far_constant", ("-n", "2^24"))):
            plugin = os.path.join(os.environ["REDHOST_TEST_WRONG"], name + ".so")
            done = self.redhost("--run", name, "--plugin", plugin, *more, "--no-check", "-q")
            self.assertEqual((done.code, done.out), (1, ""), done)
            self.assertIn("fails its self-test here and is not run unchecked", done.err)
