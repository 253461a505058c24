"""--isolate: a plugin in its own process, where it can do no harm."""

import hashlib
import json
import os
import re
import shutil
import signal
import struct
import time

import redhost_cli as cli
from test_signals import processes_with

FAULTS = os.path.join(cli.ZOO, "worker_faults.so")
SIZE = ["-n", "1000", "-t", "f32", "--data", "equal"]  # 1000 ones


@cli.needs(FAULTS)
class Faults(cli.Case):
    def args(self, name, *more):
        return ["--run", "worker_" + name, "--plugin", FAULTS, *SIZE, *more]

    def fault(self, name, words, *more, code=5):
        """redhost prints one sentence with strategy, file and phase, in time, and itself ends normally."""
        done = self.bad(code, "strategy 'worker_%s' in %s %s" % (name, os.path.realpath(FAULTS), words),
                        *self.args(name, *more))
        self.assertLess(done.seconds, cli.PROMPT)

    def test_right(self):
        self.assertEqual(self.value(*self.args("right")), "1000")

    def test_stream(self):
        """What is streamed is given to the child in parts, and checked in redhost's own process."""
        cli.write(self.path("ones.raw"), struct.pack("f", 1) * 70000)
        how = lambda name, *more: ["--run", "worker_" + name, "--plugin", FAULTS, "-t", "f32", "--stream=16KiB", *more]
        self.assertEqual(self.good(*how("right", "-i", "ones.raw", "-q")).out, "70000\n")
        self.assertEqual(self.value(*how("right", "-n", "50000", "--data", "equal")), "50000")
        self.assertIn("check      2 of 18 chunks ", self.good(*how("right", "-i", "ones.raw", "--check=sampled")).out)
        with open(self.path("ones.raw"), "rb") as pipe:
            self.assertEqual(self.redhost(*how("right", "-i", "-", "-q"), input=pipe.read()).out, "70000\n")
        crash = self.redhost(*how("crash_in_teardown", "-i", "ones.raw"))
        self.assertEqual((crash.code, crash.out), (5, ""), crash)
        self.assertIn("crashed in teardown (signal 11)", crash.err)

    def test_crash(self):
        self.fault("crash_in_setup", "crashed in setup (signal 11)")
        self.fault("crash_in_run", "crashed in run (signal 11)")
        self.fault("crash_in_run", "crashed in run (signal 11)", "-q")
        self.fault("crash_in_thread", "crashed in run (signal 11)", "--json")
        self.fault("crash_in_teardown", "crashed in teardown (signal 11)")

    def test_assertion(self):
        """The reason is the assertion's text."""
        self.fault("abort_in_run", "crashed in run (signal 6); it printed 'tiles.c:7: tile > 0 does not hold...'")

    def test_kernel(self):
        """A CPU device's kernels also run in the child process, which has the context."""
        (device,) = self.json("--list")["devices"]
        if device["type"] != "cpu":
            self.skipTest("a wild pointer on this device is the driver's business")
        kernel = os.path.join(cli.ZOO, "worker_kernel.so")
        self.redhost("--run", "worker_kernel", "--plugin", kernel, *SIZE)  # what the compiler keeps is there now
        self.bad(5, "strategy 'worker_kernel' in %s crashed in run (signal 11)" % os.path.realpath(kernel),
                 "--run", "worker_kernel", "--plugin", kernel, *SIZE)

    def test_ends_in_this_process(self):
        """Without isolation, too, nobody takes it for a success."""
        for name, words in (("exit_in_run", "was ended by a call of exit(), in a strategy or a driver"),
                            ("end_thread_in_run", "lost its thread by a call of pthread_exit(), in a strategy or a driver")):
            for more in [], ["-q"], ["--json"]:
                self.bad(5, "redhost: the process " + words, *self.args(name, "--isolate=never", *more))
        for how in "always", "never":
            self.assertEqual(self.value(*self.args("exit_in_copy", "--isolate=" + how)), "1000")

    def test_statuses(self):
        """Those that a plugin must not return are said, wherever it runs."""
        for name, words in (("return_wrong", "run: returned -24, which is not a status that run may return"),
                            ("return_77", "run: returned 77, which is not a status that run may return"),
                            ("decline_in_run", "run: returned 1, which is not a status that run may return"),
                            ("return_plugin_in_setup", "setup: returned -22, which is not a status that setup may return")):
            for how in "always", "never":
                self.bad(5, "strategy 'worker_%s', %s" % (name, words), *self.args(name, "--isolate=" + how))
                done = self.redhost("--bench", "-s", "worker_" + name, "--plugin", FAULTS, "-n", "1000", "--quick", "--isolate=" + how, "--json")
                self.assertIn(words, done.out + done.err, done)

    def test_hang(self):
        for name, where in (("hang_in_run", "in run"), ("hang_later", "in run, while it was measured")):
            before = time.monotonic()
            self.fault(name, "did not answer within 0.7 s %s; --timeout allows more.\n" % where, "--timeout", "0.7")
            self.assertGreater(time.monotonic() - before, 0.7)

    def test_channel(self):
        """A plugin's own writes to the channel are not believed, even if they are well formed."""
        self.fault("scribble", "wrote to redhost's result channel in run")
        self.fault("forge", "wrote to redhost's result channel in run")
        self.fault("close_all", "ended the process")

    def test_low_descriptors(self):
        """The descriptors that a plugin might try lead nowhere."""
        done = self.good(*self.args("scribble_low"), quiet=False)
        self.assertIn("result     1000\n", done.out)
        self.assertRegex(done.err, r"\Aredhost: plugin %s wrote [0-9]+ bytes to standard output or error, which were "
                         r"dropped; it printed 'scribble\.\.\.'\.\n\Z" % re.escape(os.path.realpath(FAULTS)))

    def test_print(self):
        """Output for programs stays intact."""
        done = self.good(*self.args("print", "--json"), quiet=False)
        self.assertEqual(json.loads(done.out)["results"][0]["value"], "1000")
        self.assertIn("wrote 30 bytes to standard output or error, which were dropped; it printed 'and so on...'", done.err)
        self.assertEqual(done.err.count("\n"), 1, done)
        self.assertEqual(self.value(*self.args("print")), "1000")  # a warning, and so silent with -q
        done = self.good(*self.args("print_much", "--timeout", "10"), quiet=False)
        self.assertIn("result     1000\n", done.out)
        self.assertIn("wrote 1100000 bytes to standard output or error", done.err)
        self.fault("print_for_ever", "did not answer within 0.5 s in run; --timeout allows more; it printed 'again...'", "--timeout", "0.5")

    def test_log(self):
        done = self.good(*self.args("log_much"), quiet=False)
        self.assertEqual([line for line in done.err.splitlines() if "line" in line][:-1],
                         ["redhost: worker_log_much: line %d." % k for k in range(1, 101)])
        self.assertEqual(done.err.splitlines()[-1],
                         "redhost: strategy 'worker_log_much' logged 150 lines more, which were dropped.")
        self.assertEqual(self.value(*self.args("log_much")), "1000")
        self.fault("log_for_ever", "did not answer within 0.5 s in setup", "--timeout", "0.5", "-q")

    def test_failures(self):
        """The strategy's own messages are the same as in this process."""
        for how in ("always", "never"):
            self.bad(4, "strategy 'worker_decline_in_setup' cannot run on the host: the groups are too small",
                     *self.args("decline_in_setup", "--isolate=" + how))
            done = self.redhost(*self.args("lie", "--isolate=" + how, "-q"))
            self.assertEqual((done.code, done.out), (1, ""), done)
            self.assertRegex(done.err, r"\Aredhost: wrong result: 'worker_lie' returned \S+, expected 1000 ")
        self.bad(5, "strategy 'worker_fail_in_setup', setup: no room for the ?[31mtable?of tiles",
                 *self.args("fail_in_setup"))
        self.bad(2, "parameter 'x': strategy 'worker_right' has no parameters", *self.args("right", "-p", "x=1"))

    def test_crash_at_exit(self):
        """The answer counts, and the strategy is named, even if the crash is slow, as on a busy machine."""
        for name, how in (("crash_at_exit", r"crashed after its work was done \(signal 11\)"),
                          ("crash_late_at_exit", r"crashed after its work was done \(signal 11\)"),
                          ("hang_at_exit", "did not end within 5 s after its work was done")):
            with self.subTest(name):
                done = self.good(*self.args(name), quiet=False)
                self.assertIn("result     1000\n", done.out)
                self.assertRegex(done.err, r"\Aredhost: plugin \S+ %s\.\n\Z" % how)

    def test_orphan(self):
        """Processes that a plugin starts end with it."""
        mark = "REDHOST_TEST_MARK=%d-%f" % (os.getpid(), time.time())
        self.assertEqual(self.good(*self.args("leave_orphan", "-q"), env=dict([mark.split("=")]), quiet=False).out, "1000\n")
        self.wait_until(lambda: not processes_with(mark))

    def test_input_is_written(self):
        """Its mapping of the data is private: neither this process nor the file sees its writes."""
        data = struct.pack("<5000f", *[1] * 5000)
        self.write("ones.raw", data)
        for args in (["-i", self.path("ones.raw"), "-t", "f32"], ["-n", "5000", "--data", "equal"]):
            done = self.good("--run", "worker_write_input", "--plugin", FAULTS, *args)
            self.assertIn("check      exact 5000 ", done.out)
            self.assertIn("result     5000\n", done.out)
        self.assertEqual(self.good("--run", "worker_write_input", "--plugin", FAULTS, "-i", "-", "-t", "f32", "-q", input=data, quiet=False).out, "5000\n")
        self.assertEqual(hashlib.sha256(cli.read(self.path("ones.raw"))).digest(), hashlib.sha256(data).digest())

    def test_never(self):
        """In this process it takes redhost down, which is why isolation exists."""
        self.assertEqual(self.redhost(*self.args("crash_in_run", "--isolate=never")).code, -signal.SIGSEGV)


class Choice(cli.Case):
    """Plugins that did not come with redhost are isolated."""

    def isolated(self, *args, **how):
        (result,) = self.json("--run", "serial", *SIZE, *args, **how)["results"]
        self.assertEqual(result["value"], "1000")
        return result["isolated"]

    def test_when(self):
        outside = self.path("outside")
        os.mkdir(outside)
        shutil.copy(os.path.join(cli.PLUGINS, "serial.so"), outside)
        file = os.path.join(outside, "serial.so")
        home = {"HOME": self.path("someone")}
        os.makedirs(self.path("someone/.local/share/redhost"))
        os.symlink(outside, self.path("someone/.local/share/redhost/plugins-1"))
        self.assertIs(self.isolated(), False)
        self.assertIs(self.isolated("--isolate"), True)
        self.assertIs(self.isolated("--isolate=always"), True)
        for args, env in ((["--plugin", file], {}), (["--plugin-path", outside], {}), ([], {"REDHOST_PLUGIN_PATH": outside}),
                          ([], home)):
            self.assertIs(self.isolated(*args, env=env), True, (args, env))
            self.assertIs(self.isolated("--isolate=auto", *args, env=env), True, (args, env))
            self.assertIs(self.isolated("--isolate=never", *args, env=env), False, (args, env))
        # The directory counts, not how the plugin was found.
        for args, env in ((["--plugin", os.path.join(cli.PLUGINS, "serial.so")], {}), (["--plugin-path", cli.PLUGINS], {}),
                          ([], {"REDHOST_PLUGIN_PATH": cli.PLUGINS})):
            self.assertIs(self.isolated(*args, env=env), False, (args, env))

    @cli.needs(FAULTS)
    def test_auto_strategy(self):
        """`auto' may choose a plugin that is not trusted, and goes on to the next one if it crashes."""
        away = self.path("away")
        program, plugins = self.copy_of_tree("tree")
        os.rename(plugins, away)
        done = self.good("--run", "auto", *SIZE, "-t", "i32", "--plugin", FAULTS, program=program, quiet=False)
        self.assertRegex(done.err, r"(?m)^redhost: auto leaves it out: strategy 'worker_abort_in_run' in \S+ crashed in run \(signal 6\)")
        self.assertRegex(done.out, r"\Aworker_\w+ +sum i32 ")

    def test_mistakes(self):
        self.bad(2, "--isolate 'perhaps': expected auto, always or never", "--run", "serial", "--isolate=perhaps")
        for wrong in ("", "x", "0", "-1", "1x", "nan", "inf", "1e99", " 1"):
            self.bad(2, "--timeout '%s': expected seconds, more than 0 and less than 1e9, as in 2 or 0.5" % wrong, "--run", "serial", "--timeout", wrong)
        self.bad(2, "--isolate cannot be used with --list", "--list", "--isolate")


class OwnOperators(cli.Case):
    """The definition travels to the child."""

    @cli.needs(FAULTS)
    def test_crash(self):
        self.bad(5, "crashed in run (signal 11)", "--run", "worker_crash_in_run", "--plugin", FAULTS, *SIZE, "--map", "x*x")

    def test_benchmark(self):
        for how in (("--isolate",), ("--processes=2",)):
            points = self.json("--bench", "--op", "meanvar", "-t", "f32,f64", "-n", "2^10,2^12", "--quick", *how, "-s", "native,onepass")["results"]
            self.assertEqual({(p["strategy"], p["op"], p["type"], p["n"], p["status"]) for p in points},
                             {(s, "meanvar", t, n, "ok") for s in ("native", "onepass") for t in ("f32", "f64") for n in (1024, 4096)}, how)

    def test_code(self):
        """OpenCL C, whose files the child does not read."""
        self.good("--new-operator", "far.cl")
        args = ("--run", "two_stage", "-n", "1000", "--op", "./far.op.json", "-q")
        self.assertEqual(self.good(*args, "--isolate").out, self.good(*args, "--isolate=never").out)


class Same(cli.Case):
    """Both ways print the same, except for the times."""

    VARIES = {"time_s", "latency_s", "build", "upload", "isolated"}

    def without_times(self, value):
        if isinstance(value, dict):
            return {key: self.without_times(item) for key, item in value.items() if key not in self.VARIES}
        return [self.without_times(item) for item in value] if isinstance(value, list) else value

    def both(self, *args, input=None):
        documents = []
        for when in ("never", "never", "always"):  # the first one fills the cache
            documents.append(self.json(*args, "--isolate=" + when, **({"input": input} if input is not None else {})))
        self.assertEqual([d["results"][0]["isolated"] for d in documents], [False, False, True])
        self.assertEqual(*(self.without_times(d) for d in documents[1:]))
        self.assertEqual({"time_s" in d["results"][0] for d in documents}, {"time_s" in documents[0]["results"][0]})
        return documents[-1]["results"][0]

    def test_problems(self):
        """Generated, of files and of standard input; operators of one's own over one operand, and over several side by side."""
        co2, spots = (os.path.join(cli.DATA, name) for name in ("co2_weekly.npy", "sunspots_yearly.npy"))
        self.write("x.raw", b"".join(struct.pack("<f", k) for k in range(1, 5001)))
        for name in ("one.npy", "two.npy"):
            self.write(name, cli.read(spots))
        self.write("swapped.npy", cli.npy("i32", struct.pack(">100i", *range(100)), "(100,)").replace(b"<i4", b">i4"))
        for strategy, *words in (
                ("serial", "-n", "0", "-t", "f16"), ("cascade", "-n", "100001", "--op", "argmax", "--seed", "7"), ("auto", "-n", "5000", "-t", "u8", "--op", "xor"),
                ("cascade", "-n", "1000", "-t", "i64", "--data", "ramp", "--op", "min", "--no-check"), ("two_stage", "-n", "5001", "--op", "meanvar"),
                ("native", "-n", "5001", "--map", "x*t", "--let", "t=0.5", "--finalize", "a/n"), ("native", "-i", "x.raw", "-t", "f32", "--map", "x*x"),
                ("cascade", "-i", co2, "--op", "max", "-v"), ("cascade", "-i", "swapped.npy"), ("two_stage_float4", "-i", "x.raw", "-t", "u8")):
            self.both("--run", strategy, *words)
        found = self.both("--run", "cascade", "-n", "1000", "-t", "f64", "-p", "finish=device", "-p", "tile=64", "--data", "cancel")
        self.assertEqual((found["params"]["finish"], found["params"]["tile"]), ("device", 64))
        self.assertTrue(1 <= found["check"]["depth"] < 999, found)
        self.assertEqual(self.both("--run", "native", "-i", "one.npy,two.npy", "--map", "x*y", "--op", "max")["n"], 309)
        self.both("--run", "cascade", "-i", "-", input=cli.read(co2))
        self.both("--run", "serial", "-i", "-", "-t", "i16", "--op", "sum", input=bytes(100001 * 2))

    def test_text(self):
        """With -v, parameters and figures too: the same line by line, except for the times."""
        lines = []
        for when in ("never", "never", "always"):
            out = self.good("--run", "cascade", "-n", "1000", "-v", "--isolate=" + when).out
            lines.append([re.sub(r"   in a process of its own$", "", re.sub(r"^(time|latency|setup|first run) .*", r"\1", line))
                          for line in out.splitlines()])
        self.assertEqual(lines[1], lines[2])

    def test_failures(self):
        """The same message and exit status."""
        for args in (["--run", "atomic", "--op", "argmax", "-n", "1000"], ["--run", "cascade", "-p", "tile=x"],
                     ["--run", "cascade", "-p", "tile=-3"], ["--run", "cascade", "-p", "tlie=3"],
                     ["--run", "cascade", "-n", "2^50"], ["--run", "serial", "-n", "2^60"],
                     ["--run", "cascade", "-n", "10", "-d", "nothing-like-that"], ["--run", "nothing", "-n", "10"],
                     ["--run", "serial", "-i", "/proc/nonexistent"]):
            done = [self.redhost(*args, "--isolate=" + when) for when in ("never", "always")]
            self.assertGreater(done[0].code, 1, done[0])
            self.assertEqual((done[0].code, done[0].out, done[0].err), (done[1].code, done[1].out, done[1].err), args)

    def test_build_failure(self):
        """The compiler's log is written, and its file named, either way."""
        errors = []
        for when in ("never", "always"):
            done = self.redhost("--run", "cascade", "-n", "10", "--isolate=" + when,
                                env={"REDHOST_BUILD_OPTIONS": "-Drh_combine=#"})
            self.assertEqual((done.code, done.out), (5, ""), done)
            errors.append([line for line in done.err.splitlines() if line.startswith("redhost: ")])  # PoCL speaks too
            (log,) = re.findall(r"\. Build log: (.*)\. Option -v prints the build log\.$", errors[-1][0])
            self.assertIn("error", cli.text(log))
            os.remove(log)
        self.assertEqual(*errors)


class Interrupt(cli.Case):
    def start_marked(self, *args):
        mark = "REDHOST_TEST_MARK=%d-%f" % (os.getpid(), time.time())
        return mark, self.start(*args, env=dict([mark.split("=")]))

    ROLES = {"--probe": ["--list", "--plugin", os.path.join(cli.ZOO, "daemons.so")],
             "--work": ["--run", "worker_hang_with_daemons", "--plugin", FAULTS, *SIZE],
             "--sample": ["--bench", "--isolate", "-s", "worker_hang_with_daemons", "--plugin", FAULTS, "-n", "1000"],
             "--trial": ["--verify", os.path.join(cli.ZOO, "daemons.so"), "--include", "V10"]}

    @cli.needs(FAULTS)
    def test_daemons(self):
        """No process that a plugin started outlives redhost, whatever its session and however redhost ended."""
        for role, args in self.ROLES.items():
            for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE, signal.SIGKILL:
                with self.subTest("%s, signal %d" % (role, number)):
                    mark, process = self.start_marked(*args)
                    self.wait_until(lambda: len(processes_with(mark)) == 6)  # redhost, guard, child, and what it started
                    self.assertTrue(any(role.encode() in cli_of(pid) for pid in processes_with(mark)))
                    process.send_signal(number)
                    if role == "--sample" and number == signal.SIGINT:
                        process.send_signal(number)  # the first is for writing down what was measured
                    out, err = process.communicate(timeout=cli.PATIENCE)
                    self.assertEqual(process.returncode, 130 if number == signal.SIGINT else -number)
                    if role == "--work":
                        self.assertEqual((out, err), (b"", b""))
                    if number == signal.SIGINT:  # it has waited for them
                        self.assertEqual(processes_with(mark), [])
                    self.wait_until(lambda: not processes_with(mark))

    @cli.needs(FAULTS)
    def test_daemons_of_a_run(self):
        """They do not outlive the run that started them, either."""
        mark, process = self.start_marked(*self.ROLES["--work"], "--timeout", "0.5")
        self.wait_until(lambda: len(processes_with(mark)) == 6)
        process.communicate(timeout=cli.PATIENCE)
        self.assertEqual((process.returncode, processes_with(mark)), (5, []))

    @cli.needs(FAULTS)
    def test_child_is_killed(self):
        mark, process = self.start_marked("--run", "worker_hang_in_run", "--plugin", FAULTS, *SIZE)
        self.wait_until(lambda: any(b"--work" in cli_of(pid) for pid in processes_with(mark)))
        time.sleep(0.2)
        guard, child = sorted(pid for pid in processes_with(mark) if b"--work" in cli_of(pid))
        os.kill(child, signal.SIGKILL)
        out, err = process.communicate(timeout=cli.PATIENCE)
        self.assertEqual((process.returncode, out), (5, b""))
        self.assertRegex(err.decode(), r"\Aredhost: strategy 'worker_hang_in_run' in \S+ crashed in run \(signal 9\)\.\n\Z")

    def test_cut_file(self):
        """If a file shrinks, the file is blamed, not the strategy."""
        with open(self.path("long.raw"), "wb") as file:
            file.truncate(1 << 30)
        mark, process = self.start_marked("--run", "serial", "--isolate", "-i", "long.raw", "-t", "u8", "--op", "max", "-q")
        self.wait_until(lambda: any(b"--work" in cli_of(pid) for pid in processes_with(mark)))
        os.truncate(self.path("long.raw"), 1 << 20)
        out, err = process.communicate(timeout=cli.PATIENCE)
        self.assertEqual((process.returncode, out, err.decode()),
                         (6, b"", "redhost: long.raw: was cut short while it was being read.\n"))
        self.assertEqual(processes_with(mark), [])


def cli_of(pid):
    try:
        return cli.read("/proc/%d/cmdline" % pid)
    except OSError:
        return b""
