"""Plugin failures in practice: the rows of tests/zoo/failures.md that need the whole program."""

import json
import os
import resource
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest

import plot_data
import redhost_cli as cli

SUM = ["-n", "100", "-t", "i8", "--data", "equal"]
LIFECYCLE = os.path.join(cli.ZOO, "..", "lifecycle")
SERIAL = os.path.join(cli.PLUGINS, "serial.so")


class Loading(cli.Case):
    def setUp(self):
        self.directory = os.path.realpath(self.path(self.id().rsplit(".", 1)[1]))
        os.mkdir(self.directory)

    def put(self, name, *parts, source=SERIAL):
        """A copy of a plugin, below the test's own directory."""
        directory = os.path.join(self.directory, *parts)
        os.makedirs(directory, exist_ok=True)
        return shutil.copy(source, os.path.join(directory, name))

    def from_zoo(self, name):
        file = os.path.join(cli.ZOO, name + ".so")
        if not cli.ZOO or not os.path.exists(file):
            self.skipTest("no zoo: REDHOST_TEST_ZOO")
        return self.put(name + ".so", source=file)

    def strategies(self, *args, **how):
        """The names of the strategies in the test's own directory."""
        return sorted(s["name"] for s in self.json("--list", *args, **how)["strategies"]
                      if s["plugin"].startswith(self.directory))

    def refusals(self, *args, **how):
        """By path, below the test's own directory."""
        return {refusal["path"]: refusal["reason"] for refusal in self.json("--list", *args, **how)["not_loaded"]
                if refusal["path"].startswith(self.directory)}


class Files(Loading):
    def test_asking_for_other_things_loads_nothing(self):
        """Only modes that need plugins examine them, in a child process: a hang there would show."""
        self.from_zoo("hang_on_load")
        for args in (["--devices"], ["--help"], ["--version"], ["--completion", "bash"]):
            done = self.good(*args, env={"REDHOST_PLUGIN_PATH": self.directory})
            self.assertLess(done.processor_s, 4, done)

    def test_twice_the_same(self):
        """A directory given by an option is searched again, in the same way, every time."""
        self.put("serial.so")
        self.put("text.so", source=__file__)
        for args in (["--list"], ["--list", "--json"], ["--info", "serial"]):
            first, second = (self.good(*args, "--plugin-path", self.directory).out for _ in range(2))
            self.assertIn(self.directory, first)
            self.assertEqual(first, second)

    def test_four_places(self):
        """--plugin, --plugin-path, the variable, the user's directory, then redhost's own plugins."""
        parts = [("file",), ("option",), ("variable",), ("data", "redhost", "plugins-1")]
        files = [self.put("serial.so", *p) for p in parts]
        env = {"REDHOST_PLUGIN_PATH": os.path.dirname(files[2]), "XDG_DATA_HOME": os.path.join(self.directory, "data")}
        args = ["--plugin", files[0], "--plugin-path", os.path.dirname(files[1])]
        for first in range(4):
            listing = self.good("--list", *args, env=env).out
            shadowed = [line for line in listing.splitlines() if line.startswith("shadowed: serial ")]
            self.assertEqual(shadowed, ["shadowed: serial in %s, by %s" % (path, files[first])
                                        for path in files[first + 1:] + [os.path.realpath(SERIAL)]])
            run = self.json("--run", "serial", *SUM, *args, env=env)["results"][0]
            self.assertEqual((run["plugin"], run["value"]), (files[first], "100"))
            os.remove(files[first])
            args = args[2:] if first == 0 else args
        self.assertEqual(self.json("--run", "serial", *SUM, *args, env=env)["results"][0]["plugin"],
                         os.path.realpath(SERIAL))


class WithoutProc(cli.Case):
    def test_finds_itself_and_its_children(self):
        """As in a chroot where nothing is mounted, by the name that it was started by; and it keeps what it finds out."""
        hidden = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs none /proc && exec "$0" "$@"']
        try:
            subprocess.run([*hidden, "true"], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("/proc cannot be hidden here")
        env = {**self.env, "XDG_CACHE_HOME": self.path("kept")}
        words = ("--run", "native", "-n", "3", "-t", "i32", "--data", "equal", "-q", "--isolate=always")
        for words, wanted in ((words, "3\n"), (("--list",), " can run.")):
            said = subprocess.run([*hidden, cli.REDHOST, *words], capture_output=True, text=True, env=env)
            self.assertIn(wanted, said.stdout, said.stderr)
        self.assertTrue(self.all_cache_files(env))  # what it remembers of drivers


class SwitchedOff(Loading):
    """REDHOST_PLUGIN_DISABLE: disables a suspect plugin."""

    def check(self, patterns, names, reasons):
        """Which of `serial` and `two_stage` remain in a user's directory, and why."""
        env = {"REDHOST_PLUGIN_DISABLE": patterns}
        where = ["--plugin-path", self.directory]
        self.assertEqual(self.strategies(*where, env=env), names, patterns)
        found = {os.path.basename(path): reason for path, reason in self.refusals(*where, env=env).items()}
        self.assertEqual(found, reasons, patterns)
        listing = self.good("--list", *where, env=env).out
        for name, reason in reasons.items():
            self.assertIn("not loaded: %s: %s\n" % (os.path.join(self.directory, name), reason), listing)

    def test_patterns(self):
        self.put("mine.so")
        self.put("two_stage.so", source=os.path.join(cli.PLUGINS, "two_stage.so"))
        both = ["serial", "two_stage"]
        off = "is disabled by '%s' in REDHOST_PLUGIN_DISABLE"
        named = "offers 'serial', which is disabled by '%s' in REDHOST_PLUGIN_DISABLE"
        self.check("", both, {})
        self.check("other,,mine.s", both, {})
        self.check("*", [], {"mine.so": off % "*", "two_stage.so": off % "*"})
        self.check("mine.so", ["two_stage"], {"mine.so": off % "mine.so"})
        self.check("x,mine", ["two_stage"], {"mine.so": off % "mine"})
        self.check("serial", ["two_stage"], {"mine.so": named % "serial"})
        self.check("ser?al,t*", [], {"mine.so": named % "ser?al", "two_stage.so": off % "t*"})

    def test_what_came_with_redhost_stays(self):
        """It comes first once the plugin before it is disabled."""
        file = self.put("serial.so")
        where, env = ["--plugin-path", self.directory], {"REDHOST_PLUGIN_DISABLE": "*"}
        self.assertEqual(self.json("--run", "serial", *SUM, *where)["results"][0]["plugin"], file)
        result = self.json("--run", "serial", *SUM, *where, env=env)["results"][0]
        self.assertEqual((result["plugin"], result["value"]), (os.path.realpath(SERIAL), "100"))
        self.assertEqual(self.good("--list", "-q", env=env).out, self.good("--list", "-q").out)
        # The directory counts.
        result = self.json("--run", "serial", *SUM, "--plugin", SERIAL, env=env)["results"][0]
        self.assertEqual(result["plugin"], os.path.realpath(SERIAL))

    def test_who_asks_for_it_is_told(self):
        fine = self.from_zoo("fine")
        renamed = self.put("other.so", "renamed", source=fine)
        for patterns, where in (("*", ["--plugin-path", self.directory]), ("fi*", ["--plugin", fine]),
                                ("fine", ["--plugin", renamed])):
            for mode in (["--run", "fine", "-n", "10"], ["--info", "fine"]):
                self.bad(5, "strategy 'fine'|%s|disabled by '%s' in REDHOST_PLUGIN_DISABLE" % (where[1], patterns), *mode,
                         *where, env={"REDHOST_PLUGIN_DISABLE": patterns})

    def test_it_is_not_even_opened(self):
        self.from_zoo("hang_on_load")
        done = self.good("--list", "--plugin-path", self.directory, env={"REDHOST_PLUGIN_DISABLE": "hang*"})
        self.assertLess(done.processor_s, 4, done)


@unittest.skipUnless(os.geteuid() == 0, "only root can lend rights")
class Privileged(Loading):
    """With another user's rights the environment's plugin paths are ignored, with a warning."""

    def run_as(self, program, how, *args, env=None):
        """`program` of a stranger's, in a mount namespace where the plugins stand where an installed redhost has them:
        with raised privileges a program does not look beside itself."""
        unshare = ["unshare", "-m", "sh", "-c"]
        plugins = os.path.realpath(cli.PLUGINS)
        mount = "mount -t tmpfs none /usr/local/lib && mkdir /usr/local/lib/redhost-1 && mount --bind '%s' /usr/local/lib/redhost-1" % plugins
        if not shutil.which("unshare") or not cli.try_running([*unshare, mount]):
            self.skipTest("nothing can be mounted here")
        return subprocess.run([*unshare, mount + ' && exec "$@"', "sh", sys.executable, "-c", how, program, *args],
                              env={**self.env, **(env or {})}, cwd=self.cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=cli.PATIENCE)

    def list_as(self, program, how):
        file = self.put("mine.so")
        home = os.path.join(self.directory, "home")
        self.put("mine.so", "home", "redhost", "plugins-1")
        env = {"REDHOST_PLUGIN_PATH": self.directory, "XDG_DATA_HOME": home}
        done = self.run_as(program, how, "--list", env=env)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn("note: REDHOST_PLUGIN_PATH: ignored, the program runs with raised privileges\n", done.stdout)
        self.assertIn("note: the user's plugin directory: ignored, the program runs with raised privileges\n", done.stdout)
        self.assertNotIn(file, done.stdout)
        self.assertNotIn(home, done.stdout)
        self.assertRegex(done.stdout, r"(?m)^  serial ")
        # Without such rights, the same paths count.
        plain = self.good("--list", env=env).out
        self.assertIn(file, plain)
        self.assertNotIn("raised privileges", plain)

    AS_ANOTHER_USER = "import os, sys; os.setresuid(12345, 0, 0); os.execv(sys.argv[1], sys.argv[1:])"

    def test_nothing_of_the_callers(self):
        """Whatever it is named by, it is neither loaded nor started, and no device is used: drivers read the environment."""
        file = self.put("mine.so", source=os.path.join(cli.ZOO, "fine.so"))
        program = os.path.join(self.directory, "started")
        cli.write(program, "#!/bin/sh\ntouch '%s'\n" % (program + ".mark"))
        os.chmod(program, 0o755)
        cache = os.path.join(self.directory, "their cache")
        shutil.copy(program, os.path.join(self.directory, "python3"))
        env = {"REDHOST_CACHE_DIR": cache, "PATH": self.directory + ":" + os.environ["PATH"], "REDHOST_TRANSPORT_PATH": self.directory}
        for code, words, args in (
                (5, "raised privileges", ["--run", "fine", *SUM, "--plugin", file]),
                (5, "raised privileges", ["--run", "fine", *SUM, "--plugin", file, "--isolate=never"]),
                (2, "unknown strategy", ["--run", "fine", *SUM, "--plugin-path", self.directory]),
                (3, "no device is used, because the program runs with raised privileges", ["--run", "cascade", *SUM]),
                (5, "raised privileges", ["--run", "native", *SUM, "--transport", file]),
                (3, "raised privileges", ["--bench", "-s", "native", "-n", "1000", "--quick", "--peer", program])):
            done = self.run_as(cli.REDHOST, self.AS_ANOTHER_USER, *args, env=env)
            self.assertEqual(done.returncode, code, (args, done))
            self.assertRegex(done.stderr, words, args)
        done = self.run_as(cli.REDHOST, self.AS_ANOTHER_USER, "--run", "auto", *SUM, "-q", env=env)
        self.assertEqual((done.returncode, done.stdout), (0, "100\n"), done)
        cli.write(os.path.join(self.directory, "r.json"), json.dumps(plot_data.make(sizes=(10,))))
        done = self.run_as(cli.REDHOST, self.AS_ANOTHER_USER, "--plot", os.path.join(self.directory, "r.json"), env=env)
        self.assertEqual(done.returncode, 5, done)
        self.assertRegex(done.stderr, "python3: is not started, because redhost runs with raised privileges")
        self.assertFalse(os.path.exists(cache))
        self.assertFalse(os.path.exists(program + ".mark"))

    def test_another_user_calls(self):
        """As a set-uid file that another user starts."""
        self.list_as(cli.REDHOST, self.AS_ANOTHER_USER)

    def test_set_gid_file(self):
        """A set-gid copy."""
        if not cli.reachable_by_all(cli.REDHOST) or os.statvfs(self.home).f_flag & os.ST_NOSUID:
            self.skipTest("%s is not for other users, or set-gid files mean nothing here" % cli.REDHOST)
        if "ASAN_OPTIONS" in os.environ:
            self.skipTest("a sanitizer cannot look for leaks in a process that others may not look into")
        program = shutil.copy(cli.REDHOST, os.path.join(self.directory, "redhost"))
        os.chown(program, 0, 12345)
        os.chmod(program, 0o2755)
        self.assertTrue(os.stat(program).st_mode & stat.S_ISGID)
        for name in ("HOME", "XDG_CACHE_HOME"):
            self.addCleanup(self.env.__setitem__, name, self.env[name])
            self.env[name] = "/proc/nonexistent"
        self.list_as(program, "import os, sys; os.setgroups([]); os.setresgid(*[65534] * 3); os.setresuid(*[65534] * 3); "
                              "os.execv(sys.argv[1], sys.argv[1:])")


class Drivers(Loading):
    """How OpenCL and plugins affect each other."""

    @cli.needs(os.path.join(LIFECYCLE, "late_release.so"))
    def test_released_after_the_driver(self):
        """A static destructor that still calls OpenCL: the answer counts, and the plugin is named."""
        file = os.path.realpath(os.path.join(LIFECYCLE, "late_release.so"))
        done = self.good("--run", "late_release", "-n", "1000", "-t", "i32", "--data", "equal", "--plugin", file, quiet=False)
        self.assertIn("result     1000\n", done.out)
        if not done.err and "REDHOST_TEST_DEVICE" in os.environ:
            self.skipTest("this driver forgives it")
        # What the driver then does is its own affair: PoCL aborts, sometimes with a word of its own, or uses freed memory.
        self.assertRegex(done.err, r"\A(redhost: plugin %s wrote \d+ bytes to .*\n)?"
                                   r"redhost: plugin %s crashed after its work was done \(signal \d+\)\.\n\Z" % (file, file))

    @cli.needs(os.path.join(cli.DRIVERS, "aborting_driver.so"))
    def test_a_driver_that_aborts(self):
        """Host strategies run without any query for platforms, and plugins are not blamed for a driver's faults."""
        vendors = os.path.join(self.directory, "vendors")
        os.mkdir(vendors)
        cli.write(os.path.join(vendors, "aborting.icd"), os.path.join(cli.DRIVERS, "aborting_driver.so") + "\n")
        env = {"OCL_ICD_VENDORS": vendors, "OCL_ICD_FILENAMES": ""}
        self.assertEqual(self.value("--run", "serial", *SUM, env=env), "100")
        self.assertEqual(self.good("--run", "serial", *SUM, "--isolate", "-q", env=env).out, "100\n")
        plain = self.good("--list", "-q", env=cli.NO_PLATFORM).out
        for ends, words in ((None, "crashed while it listed its devices (signal 6)"),
                            ("crash", "crashed while it listed its devices (signal 11)"),
                            ("exit", "ended the process with exit status 0 while it listed its devices"),
                            ("_exit", "ended the process with exit status 1 while it listed its devices"),
                            ("print", "(signal 6); it printed 'driver.c:7: no room for ?[31mthreads...'")):
            with self.subTest(ends):
                env["REDHOST_TEST_DRIVER_ENDS"] = ends or ""
                if not ends:
                    del env["REDHOST_TEST_DRIVER_ENDS"]
                words = "no OpenCL device can be used: a driver " + ("crashed" if ends == "print" else "") + \
                    "|" + words + "|OCL_ICD_VENDORS"
                for args in (["--devices"], ["--devices", "--json"], ["--run", "cascade", *SUM], ["--bench", "-s", "native", "-n", "1000"],
                             ["--tune", "-s", "native", "-n", "1000"]):
                    self.bad(3, words, *args, env=env)
                done = self.good("--list", env=env)
                self.assertIn("Strategies (no OpenCL device can be used: a driver ", done.out)
                self.assertRegex(done.out, r"(?m)^  native .* yes ")
                self.assertEqual(self.good("--list", "-q", env=env).out, plain)
                self.assertEqual(self.value("--run", "native", *SUM, env=env), "100")
                self.assertEqual(self.value("--run", "auto", *SUM, env=env), "100")

    def drivers_after(self, *args, env=None, **how):
        """The number of drivers that redhost remembers as started."""
        env = {"XDG_CACHE_HOME": os.path.join(self.directory, "cache"), **(env or {})}
        self.good(*args, env=env, **how)
        return sum(name.startswith("drivers/") for name in self.all_cache_files(env))

    def test_drivers_are_looked_at_once(self):
        """In a child process, once, until something changes that affects how drivers start."""
        run = ["--run", "cascade", *SUM, "-q"]
        self.assertEqual(self.drivers_after(*run, "--no-cache"), 0)
        self.assertEqual(self.drivers_after("--run", "native", *SUM), 0)
        self.assertEqual(self.drivers_after(*run), 1)
        self.assertEqual(self.drivers_after("--list", "-q"), 1)
        self.assertEqual(self.drivers_after(*run, cwd=self.directory, env={"PWD": self.directory, "TERM": "dumb"}), 1)
        self.assertEqual(self.drivers_after(*run, env={"POCL_MAX_PTHREAD_COUNT": "1"}), 2)
        self.assertEqual(self.drivers_after(*run, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (99, 99))), 3)

    @cli.needs(os.path.join(cli.DRIVERS, "failing_memory.so"))
    def test_memory_of_others(self):
        """If another process holds the device's memory: exit status 3 and the sizes, wherever the driver notices."""
        run = ["--run", "cascade", "-n", "2^20", "-t", "i32", "--data", "equal"]
        has = "|not enough memory: | has |iB in all, other processes may hold a part of it."
        for call, code, words in (("clCreateBuffer", -4, "4 MiB are wanted, and "), ("clCreateBuffer", -5, "4 MiB are wanted, and "),
                                  ("clCreateBuffer", -6, "4 MiB are wanted, and "), ("clCreateContext", -5, "creating an OpenCL context"),
                                  ("clCreateContext", -6, "creating an OpenCL context"),
                                  ("clEnqueueNDRangeKernel", -4, "strategy 'cascade', run: launch of "),
                                  ("clEnqueueReadBuffer", -4, "reading "),
                                  ("clEnqueueReadBuffer", -6, "reading ")):
            env = {**cli.preloaded("failing_memory.so"), "REDHOST_TEST_FAILING_CALL": call, "REDHOST_TEST_FAILING_CODE": str(code),
                   "REDHOST_TEST_FAILING_BYTES": str(1 << 20) if call == "clCreateBuffer" else "0"}
            self.good(*run)  # what is compiled is there
            for how in ([], ["--isolate"], ["--json"]):
                with self.subTest("%s %d %s" % (call, code, how)):
                    self.bad(3, words + has, *run, *how, env=env)
        env = {**cli.preloaded("failing_memory.so"), "REDHOST_TEST_FAILING_CALL": "clEnqueueNDRangeKernel", "REDHOST_TEST_FAILING_CODE": "-5"}
        self.bad(5, "CL_OUT_OF_RESOURCES", *run, env=env)  # a kernel that crashed says the same

    @cli.needs(os.path.join(cli.DRIVERS, "failing_memory.so"))
    def test_memory_that_is_free(self):
        """NVIDIA's OpenCL does not tell, but its management library does, for the GPU at that place of the bus."""
        run = ["--run", "cascade", "-n", "2^20", "-t", "i32", "--data", "equal"]
        self.good(*run)
        fails = {**cli.preloaded("failing_memory.so"), "REDHOST_TEST_FAILING_CALL": "clCreateBuffer",
                 "REDHOST_TEST_FAILING_BYTES": str(1 << 20)}
        library = {"LD_LIBRARY_PATH": os.path.join(os.path.dirname(cli.DRIVERS), "nvml")}
        free, unknown = "of which 256 MiB are free and |iB are held.", "other processes may hold a part of it."
        # the slot is the device's number times 8, or in a virtual machine that number
        for env, known in (({**library, "REDHOST_TEST_PCI_BUS": "7"}, free),
                           ({**library, "REDHOST_TEST_PCI_BUS": "7", "REDHOST_TEST_PCI_SLOT": "2"}, free),
                           ({**library, "REDHOST_TEST_PCI_BUS": "7", "REDHOST_TEST_PCI_SLOT": "3"}, unknown), ({**library, "REDHOST_TEST_PCI_BUS": "8"}, unknown),
                           ({"REDHOST_TEST_PCI_BUS": "7"}, unknown), (library, unknown)):
            with self.subTest(env):
                self.bad(3, "4 MiB are wanted, and |in all, " + known, *run, env={**fails, **env})

    def test_small_limits(self):
        """However a driver reacts: an answer, or a message that names the tight limit."""
        if "ASAN_OPTIONS" in os.environ:
            self.skipTest("a sanitizer needs more address space and stack than these limits leave")
        for limit, value, words in ((resource.RLIMIT_AS, 250000 << 10, "the address space is limited to 250000 KiB (ulimit -v)"),
                                    (resource.RLIMIT_STACK, 64 << 10, "the stack is limited to 64 KiB (ulimit -s)"),
                                    (resource.RLIMIT_FSIZE, 1 << 10, "files are limited to 1 KiB (ulimit -f)"),
                                    (resource.RLIMIT_FSIZE, 0, "files are limited to 0 KiB (ulimit -f)"),
                                    (resource.RLIMIT_NOFILE, 8, "open files are limited to 8 (ulimit -n)"),
                                    (resource.RLIMIT_NOFILE, 12, "open files are limited to 12 (ulimit -n)")):
            how = {"preexec_fn": lambda: resource.setrlimit(limit, (value, value)),
                   "env": {"POCL_CACHE_DIR": tempfile.mkdtemp(dir=self.directory)}}
            with self.subTest(words):
                self.assertEqual(self.value("--run", "native", *SUM, **how), "100")
                self.assertIn("native\n", self.good("--list", "-q", **how).out)
                for args in (["--run", "cascade", *SUM, "-q"], ["--devices"], ["--run", "cascade", *SUM, "-q", "--no-cache"]):
                    done = self.redhost(*args, **how)
                    if limit == resource.RLIMIT_FSIZE and done.code == 5:
                        self.assertIn("kernel build failed", done.err)  # the driver says so
                        continue
                    self.assertIn(done.code, (0, 3), done)
                    if done.code == 3:
                        self.assertIn(words, done.err)
                        self.assertRegex(done.err, r"(?m)^redhost: [^\n]*\.$")

    def test_small_stack(self):
        """However small: what needs more gets a stack of its own, also in other processes and threads."""
        if "ASAN_OPTIONS" in os.environ:
            self.skipTest("a sanitizer needs more stack")
        for size in 32 << 10, 64 << 10, 256 << 10:  # the loader itself may need more than 16 KiB
            for args in ([], ["--isolate=always"], ["--stream=4KiB"], ["--ranks=2"], ["--op", "mean"]):
                with self.subTest("%d %s" % (size, args)):
                    self.assertEqual(float(self.value("--run", "native", "-n", "10000", "-t", "f32", "--data", "equal", *args, preexec_fn=lambda:
                                                      resource.setrlimit(resource.RLIMIT_STACK, (size, size)))), 1 if "mean" in args else 10000)

    def test_few_descriptors_for_children(self):
        for most in 5, 7:
            self.bad(5, "cannot be started: |; open files are limited to %d (ulimit -n)" % most, "--run", "native", *SUM, "--isolate=always",
                     preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most)))


class StalePrograms(Loading):
    """A compiled program is used only for the exact source and driver that it was built from."""

    def setUp(self):
        super().setUp()
        self.env["XDG_CACHE_HOME"] = os.path.join(self.directory, "cache")

    def is_cached(self, *args, **how):
        (result,) = self.json("--run", "two_stage", "-n", "1000", "-t", "i32", "--data", "equal", *args, **how)["results"]
        self.assertEqual(result["value"], "1000")
        return result["setup_s"]["build_cached"]

    def test_one_byte_of_the_kernel(self):
        """A tab instead of a space: the same program by meaning, but another source."""
        file = self.put("two_stage.so", source=os.path.join(cli.PLUGINS, "two_stage.so"))
        where = ["--plugin", file]
        self.assertFalse(self.is_cached(*where))
        self.assertTrue(self.is_cached(*where))
        whole = cli.read(file)
        at = whole.index(b"__kernel void") + len(b"__kernel")
        os.remove(file)
        cli.write(file, whole[:at] + b"\t" + whole[at + 1:])
        self.assertFalse(self.is_cached(*where))
        self.assertTrue(self.is_cached(*where))
        self.assertTrue(self.is_cached())  # the one that came with redhost is as the first

    @cli.needs(os.path.join(cli.DRIVERS, "failing_memory.so"))
    def test_another_driver(self):
        """An update of the driver."""
        env = cli.preloaded("failing_memory.so")
        self.assertFalse(self.is_cached(env={**env, "REDHOST_TEST_DRIVER_VERSION": "1.8"}))
        self.assertTrue(self.is_cached(env={**env, "REDHOST_TEST_DRIVER_VERSION": "1.8"}))
        self.assertFalse(self.is_cached(env={**env, "REDHOST_TEST_DRIVER_VERSION": "1.9"}))
        self.assertTrue(self.is_cached(env={**env, "REDHOST_TEST_DRIVER_VERSION": "1.8"}))
