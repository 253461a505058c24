"""--ranks and --transport: the same bits for any number of processes, and one failure for all of them."""

import glob
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import redhost_cli as cli

REPEATS = int(os.environ.get("REDHOST_TEST_FAULTS", "1"))  # of each fault; 100 for a figure
FAULTS = os.path.join(cli.ZOO, "worker_faults.so")
RANKS = (1, 2, 3, 5, 8)
TRANSPORTS = os.environ.get("REDHOST_TEST_TRANSPORTS", os.path.join(os.path.dirname(cli.PLUGINS), "transports-1"))
OPEN_MPI = ["mpirun.openmpi", "--allow-run-as-root", "--oversubscribe"]
MPICH = ["mpirun.mpich"]

PROBLEMS = [("--op=sum", "-tf32"), ("--op=prod", "-tf64", "--data=swing"), ("--op=argmin", "-tf32"), ("--op=xor", "-tu8")]


def mpi_test(command):
    return unittest.skipUnless(shutil.which(command[0]), "%s is not installed" % command[0])


def alive(mark):
    """Processes, but for zombies, whose command line has these words: (pid, words).  mpirun puts ranks in other sessions."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            words = cli.read(path[:-4] + "cmdline").replace(b"\0", b" ").decode()
            stat = cli.text(path)
        except OSError:
            continue
        if mark in words and stat.rpartition(")")[2].split()[0] != "Z":
            found.append((int(stat.split()[0]), words))
    return found


def has_mapped(pid, file):
    return file in cli.text("/proc/%d/maps" % pid)


def has_children(path):
    try:
        with open(path, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def said(err):
    """redhost's sentences among those of mpirun."""
    return [line for line in err.splitlines() if line.startswith("redhost: ")]


class Ranks(cli.Case):

    def one(self, *options):
        return self.good("--run=native", *options, "-q", quiet=False).out.rstrip("\n")

    def job(self, *command):
        """(status, standard output, redhost's sentences) of a command that starts ranks."""
        done = subprocess.run(command, env=self.env, cwd=self.cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=cli.PATIENCE)
        return done.returncode, done.stdout.decode(), said(done.stderr.decode())


class Bits(Ranks):
    def test_other_numbers_of_ranks(self):
        values = {self.value("--run=native", "-n3000001", "--ranks=%d" % ranks) for ranks in RANKS}
        self.assertEqual(values, {self.one("-n3000001")})

    @unittest.skipUnless(cli.WHOLE, "nine gigabytes of elements, for the night")
    def test_more_than_2_to_the_32(self):
        n = (1 << 32) + 12345
        out = self.value("--run=native", "--op=argmax", "-tu8", "--data=ends", "-n%d" % n, "--ranks=2")
        self.assertEqual(out, self.one("--op=argmax", "-tu8", "--data=ends", "-n%d" % n))

    def over_mpi(self, start, problems):
        for problem in problems:
            expected = self.one(*problem, "-n1234567")
            for ranks in RANKS if problem == PROBLEMS[0] or cli.WHOLE else (3,):
                with self.subTest(problem=problem, ranks=ranks):
                    found = self.job(*start, "-n", str(ranks), cli.REDHOST, "--run=native", *problem, "-n1234567", "-q", "--transport=mpi", "--timeout=100")
                    self.assertEqual(found[:2], (0, expected + "\n"), found)

    @mpi_test(OPEN_MPI)
    def test_open_mpi(self):
        self.over_mpi(OPEN_MPI, PROBLEMS)

    @mpi_test(MPICH)
    def test_mpich(self):
        self.over_mpi(MPICH, PROBLEMS if cli.WHOLE else PROBLEMS[:1])

    @mpi_test(OPEN_MPI)
    def test_without_mpirun(self):
        self.assertEqual(self.value("--run=native", "-n12345", "--transport=mpi"), self.one("-n12345"))


class Output(Ranks):
    def test_text(self):
        done = self.good("--run=native", "-n100000", "--ranks=3")
        self.assertRegex(done.out, r"(?m)^ranks      3 on 1 host, transport local ")
        self.assertEqual(done.out.count("result"), 1)

    def test_a_copy_of_a_rank_that_exits(self):
        """The strategy's fork is no rank: the job goes on."""
        done = self.good("--run=worker_exit_in_copy", "--plugin=" + FAULTS, "-n1000", "-q", "--isolate=never", "--ranks=2", quiet=False)
        self.assertNotIn("all ranks end", done.err)

    def test_functions_of_a_map(self):
        """What they err is known of the whole, too, and is what one process finds."""
        told = r"(?m)^check .* of which the functions of the map (\S+), .* ok$"
        for problem in (("--map=sin(x)", "-tf32"), ("--map=exp(x)", "-tf64"), ("--op=asum", "--map=log(x)", "-tf32")):
            (one,), (whole,) = ([float(found) for found in re.findall(told, self.good("--run=native", *problem, "-n1234567", *ranks).out)]
                                for ranks in ((), ("--ranks=3",)))
            self.assertAlmostEqual(whole / one, 1, delta=0.02)
        problems = [("--op=max", "--map=exp(x)"), ("--map=(int)(sin(x)*10)",), ("--op=amax", "--map=cos(x)"), ("--op=argmax", "--map=exp(x)")]
        for problem, strategy in itertools.product(problems, ("native", "onepass")):
            one, whole = (re.findall(r"(?m)^check .*$", self.good("--run", strategy, *problem, "-n123456", *ranks).out)
                          for ranks in ((), ("--ranks=3",)))
            self.assertEqual(whole, one)

    def test_a_map_without_a_bound(self):
        """Integers are named as integers, by one process and by several."""
        unjudged = r"\Aredhost: warning: the result of 'onepass' is not judged: \d+ where the host has \d+; no bound is known .*\n\Z"
        for ranks in ((), ("--ranks=3",)):
            done = self.good("--run=onepass", "--op=xor", "--map=(uint)(exp(x)*1e6)", "-n1234567", *ranks, quiet=False)
            if "equal" not in done.out:  # a device whose exp() is the host's
                self.assertRegex(done.err, unjudged)

    def test_json(self):
        result = self.json("--run=native", "-n100000", "--ranks=3")["results"][0]
        self.assertEqual((result["ranks"], result["hosts"], result["transport"]), (3, 1, "local"))
        self.assertEqual(result["check"]["outcome"], "ok")

    def test_a_wrong_strategy_is_wrong_everywhere(self):
        file = os.path.join(os.environ["REDHOST_TEST_WRONG"], "drops_last.so")
        for problem in ((), ("-ti32",), ("-tu64", "--op=xor")):
            done = self.bad(1, "wrong result: 'drops_last' on elements", "--plugin", file, "--run=drops_last", "-n1000003",
                            "--ranks=3", *problem)
            self.assertRegex(done.err, r"\Aredhost: rank [012] \(host \S+\): ")


class Agreement(Ranks):
    """All that changes the answer is compared; what else may differ."""

    DATA = ("-n100000",)

    def jobs(self, *each, env=None, run=("--run=native",)):
        """Of one rank each, with its own options; (status, redhost's sentences, output)."""
        command = list(OPEN_MPI)
        for k, options in enumerate(each):
            command += [":"] * (k > 0) + ["-n", "1", *(env or [[]] * len(each))[k], cli.REDHOST, *run, "--transport=mpi", "-q", *options]
        code, out, sentences = self.job(*command)
        return code, sentences, out

    @mpi_test(OPEN_MPI)
    def test_what_is_the_same_in_other_words(self):
        code, said, out = self.jobs(("-n2^17",), ("-n131072", "--data=uniform", "--check=full", "--accuracy=plain"), ("-n128Ki", "--seed=1", "--op=sum"))
        self.assertEqual((code, said, out.strip()), (0, [], self.one("-n131072")))

    @mpi_test(OPEN_MPI)
    def test_strategies_that_differ(self):
        """Ranks choose each for itself, but where the order decides, and a strategy that is named has one of its own."""
        canonical, serial, native = "of the canonical order", ("--run=cpu_serial",), ("--run=native",)
        own = ("--reduce=a + b", "--identity=-0.0")
        pairs = [(serial, native, ("cpu_serial", canonical)), (("--run=auto",), serial, (canonical, "cpu_serial")),
                 (serial, ("--run=chunk",), ("cpu_serial", "chunk")), (serial, (*serial, "-pgroups=3"), ("cpu_serial", "cpu_serial groups=3"))]
        for k, problem in enumerate(((), ("-tf64", "--op=prod"), ("--map=x*x",), own, (*own, "--commutes"))):
            for first, second, values in pairs[k - 1:k] if problem else pairs:
                with self.subTest(problem=problem, first=first, second=second):
                    code, said, out = self.jobs((*self.DATA, *problem, *first), (*self.DATA, *problem, *second), run=())
                    self.assertEqual((code, len(said), out), (2, 1, ""), said)
                    self.assertIn("are asked for different reductions: strategy is '%s' and '%s'" % values, said[0])
        for problem in (("-ti32",), ("--op=max",), ("--accuracy=exact",), ("--op=argmin",)):
            code, said, out = self.jobs((*self.DATA, *problem, *serial), (*self.DATA, *problem, *native), (*self.DATA, *problem, "--run=auto"), run=())
            self.assertEqual((code, said), (0, []))
            self.assertEqual(out.strip(), self.one(*self.DATA, *problem))
        code, said, out = self.jobs((*self.DATA, "--run=onepass"), (*self.DATA, *native), (*self.DATA, "--run=auto"), run=())
        self.assertEqual((code, said, out.strip()), (0, [], self.one(*self.DATA)))

    @mpi_test(OPEN_MPI)
    def test_environments_that_differ(self):
        other = ["env", "REDHOST_BUILD_OPTIONS=-cl-fast-relaxed-math"]
        code, said, _ = self.jobs(self.DATA, self.DATA, env=[[], other])
        self.assertEqual((code, len(said)), (2, 1), said)
        self.assertIn("REDHOST_BUILD_OPTIONS is none and '-cl-fast-relaxed-math'", said[0])


class Isolated(Ranks):
    """A strategy that did not come with redhost runs in a child of each rank, which judges what it gets; what goes wrong there is Failures' of
    test_ways.py."""

    RIGHT = ["right", "print", "print_much", "exit_in_copy", "leave_orphan", "write_input", "crash_at_exit"]

    def children(self):
        found = []
        for pid, _ in alive("redhost --work"):
            try:
                if os.path.samefile("/proc/%d/cwd" % pid, self.cwd):
                    found.append(pid)
            except OSError:  # it has ended
                continue
        return found

    def of(self, name):
        return ["--run=worker_" + name, "--plugin=" + FAULTS, "-n100000", "-tf32", "--data=equal", "-q"]

    def test_right(self):
        for name in self.RIGHT:
            with self.subTest(name):
                self.assertEqual(self.good(*self.of(name), "--ranks=3", quiet=False).out, "100000\n")

    def test_any_can_be_isolated(self):
        """The exact state comes back whole, too."""
        one, whole = (self.good("--run=native", "-n1000003", "--ranks=3", "--isolate=" + when).out for when in ("never", "always"))
        checks = [line for out in (one, whole) for line in out.splitlines() if line.startswith("check")]
        self.assertEqual(checks[0], checks[1])
        self.assertEqual(self.value("--run=native", "-n1400", "--ranks=16", "--isolate=always"), self.one("-n1400"))
        self.assertEqual(self.value("--run=onepass", "-n300001", "--ranks=2", "--isolate=always"), self.one("-n300001"))

    def test_an_operator_in_opencl_c(self):
        """The rank combines its values, too."""
        self.good("--new-operator", "late.cl", quiet=False)
        problem = ("--run=tree_associative", "--op=./late.op.json", "-n100000", "-q")
        whole = self.good(*problem, "--ranks=2", "--isolate=always", quiet=False).out
        self.assertEqual(whole, self.good(*problem, quiet=False).out)

    def test_never(self):
        """In the rank itself: what can be told of it is."""
        self.bad(5, "has ended the thread", *self.of("end_thread_in_run"), "--ranks=2", "--isolate=never")
        self.bad(5, "was ended by a call of exit() while strategy 'worker_exit_in_run' was in use", *self.of("exit_in_run"), "--ranks=1",
                 "--isolate=never")

    @mpi_test(OPEN_MPI)
    def test_under_open_mpi(self):
        for name, words in (("exit_in_run", "ended the process with exit status 0 in run"), ("crash_in_run", "crashed in run (signal 11)"),
                            ("hang_in_run", "did not answer within 8 s in run")):
            code, out, told = self.job(*OPEN_MPI, "-n", "2", cli.REDHOST, *self.of(name), "--transport=mpi", "--timeout=8")
            self.assertEqual((code, out, len(told)), (5, "", 1), told)
            self.assertIn("strategy 'worker_%s' in %s %s" % (name, os.path.realpath(FAULTS), words), told[0])

    def test_the_job_is_ended(self):
        """With all children of its ranks."""
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            job = self.start(*self.of("hang_in_run"), "--ranks=2")
            while len(self.children()) < 2 and job.poll() is None:
                time.sleep(0.01)
            job.send_signal(number)
            job.communicate(timeout=cli.PROMPT)
            self.wait_until(lambda: not self.children())


class BadInput(Ranks):
    def test_numbers(self):
        for text in ("0", "-1", "x", "1025", "1.5", "4294967297", ""):
            self.bad(2, "--ranks|expected a number from 1 to 1024", "--run=native", "--ranks=" + text)

    def test_combinations(self):
        self.bad(2, "standard input", "--run=native", "--input=-", "--ranks=2")
        self.bad(2, "goes with --ranks", "--run=native", "--transport=local")
        self.bad(2, "mpirun -n 4", "--run=native", "--transport=mpi", "--ranks=2")
        self.bad(2, "mutually exclusive", "--run=native", "--ranks=2", "--input=x.npy", "--size=100")
        self.bad(2, "cannot be used with --list", "--list", "--ranks=2")

    def test_options_are_judged_as_without_ranks(self):
        for option in ("--op=nonsense", "--param=nonsense=1", "--device=nonsense", "--let=nonsense", "--map=x+", "--reduce=a+", "--check=nonsense",
                       "--stream=nonsense", "--stream=0", "--isolate=nonsense", "--timeout=x", "--progress=nonsense"):
            alone, among, apart = (self.redhost("--run=native", "-n1000", "-q", *more, option) for more in ((), ("--ranks=3",), ("--isolate=always",)))
            self.assertEqual((among.code, re.sub(r"rank \d \(host \S+\): ", "", among.err)), (alone.code, alone.err), option)
            self.assertEqual((apart.code, apart.err), (alone.code, alone.err), option)
        for pair in (("--check=none", "--no-check"), ("--input=x.npy", "--seed=1"), ("--input=x.npy", "--data=equal"),
                     ("--accuracy=exact", "--check=none")):
            alone, among = (self.bad(2, "", "--run=native", *pair, *ranks) for ranks in ((), ("--ranks=2",)))
            self.assertEqual(among.err, alone.err)

    def test_options_that_ranks_do_not_have(self):
        for device in ("all", "cpu:all", "0:0,0:1"):
            self.bad(2, "--device '%s': a rank uses one device" % device, "--run=native", "-n1000", "--device=" + device, "--ranks=2")
        self.bad(2, "a rank uses one device", "--run=native", "-n1000", "--ranks=2", env={"REDHOST_DEVICE": "all"})

    def test_more_than_the_system_allows(self):
        self.bad(2, "16 ranks cannot be started|limits", "--run=native", "--ranks=16",
                 preexec_fn=lambda: __import__("resource").setrlimit(__import__("resource").RLIMIT_NOFILE, (12, 12)))

    def test_missing(self):
        self.bad(2, "no transport is called 'nix'|local|transports-1", "--run=native", "--transport=nix")
        self.bad(6, "No such file", "--run=native", "--transport=./nix.so")
        self.bad(5, "redhost_transport_v1", "--run=native", "--transport", os.path.join(cli.PLUGINS, "native.so"))
        self.bad(6, "nix.npy", "--run=native", "--ranks=3", "--input=nix.npy")

    def test_a_library_that_cannot_be_opened(self):
        file = os.path.join(TRANSPORTS, "mpi_mpich.so")
        if not shutil.which(MPICH[0]):
            self.bad(5, "tried|libmpich.so.12|install", "--run=native", "--transport", file)
        env = {"REDHOST_MPI_LIBRARY": "/proc/nonexistent/libmpi.so.12"}
        self.bad(5, "REDHOST_MPI_LIBRARY|/proc/nonexistent/libmpi.so.12", "--run=native", "--transport", file, env=env)
        self.bad(5, "REDHOST_MPI_LIBRARY|/proc/nonexistent/libmpi.so.12", "--run=native", "--transport=mpi", env=env)
        env = {"REDHOST_MPI_LIBRARY": "libm.so.6"}
        self.bad(5, "libm.so.6|is not MPICH", "--run=native", "--transport", file, env=env)

    def wrong_mpirun(self, start, file):
        code, out, told = self.job(*start, "-n", "3", cli.REDHOST, "--run=native", "--transport", os.path.join(TRANSPORTS, file))
        self.assertEqual((code, out, len(told)), (5, "", 1), told)
        self.assertIn("would be alone: start the job with", told[0])

    @mpi_test(OPEN_MPI)
    def test_open_mpis_mpirun_for_mpich(self):
        self.wrong_mpirun(OPEN_MPI, "mpi_mpich.so")

    @mpi_test(MPICH)
    def test_mpichs_mpirun_for_open_mpi(self):
        self.wrong_mpirun(MPICH, "mpi_openmpi.so")


class Faults(Ranks):
    """Each REPEATS times; nothing may be left running."""

    def start(self, start, *options):
        """With a seed of its own, by which its processes are known."""
        mark = "--seed=%d" % random.getrandbits(60)  # or the name of its file
        name = next((option for option in options if option.startswith("--input=")), None)
        job = subprocess.Popen([*start, cli.REDHOST, *options, *([] if name else [mark])], env=self.env, cwd=self.cwd, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
        job.mark = name or mark
        return job

    def ranks_of(self, job, n):
        """The processes of redhost in the job's session, once there are n; those that examine plugins do not count."""
        end = time.monotonic() + 20
        while time.monotonic() < end and job.poll() is None:
            found = [pid for pid, words in alive(job.mark) if words.startswith(cli.REDHOST + " --run")]
            if len(found) == n:
                return found
            time.sleep(0.002)
        self.fail("there are no %d ranks: %s" % (n, alive(job.mark)))

    def without_launcher(self, job):
        """The mpirun of Open MPI 4.1.4 sometimes waits for itself at its end, in PMIx_server_finalize, after a rank was lost: about
        one job in a hundred.  That of MPICH 4.0 was seen to do so once, on a busy machine.  Then all ranks must have ended."""
        left = [words for _, words in alive(job.mark) if words.startswith(cli.REDHOST)]
        os.killpg(job.pid, signal.SIGKILL)
        self.assertEqual(left, [], "left running")
        self.assertIn(job.args[:1], (OPEN_MPI[:1], MPICH), "no launcher is waited for")
        print("%s did not end, though all ranks had" % job.args[0], file=sys.stderr)
        return job.communicate()

    def ended(self, job, since):
        """The job's standard error, once it has ended in time; nothing of it is left."""
        try:
            out, err = job.communicate(timeout=cli.PROMPT)
        except subprocess.TimeoutExpired:
            out, err = self.without_launcher(job)
            since = time.monotonic()  # the ranks were in time
        seconds = time.monotonic() - since
        left = alive(job.mark)
        while left and time.monotonic() - since < cli.PROMPT:
            time.sleep(0.05)
            left = alive(job.mark)
        for pid, _ in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "left running")
        self.assertLess(seconds, cli.PROMPT, err.decode())
        self.assertNotIn(b"result ", out)  # MPICH's mpirun writes there, too
        self.assertNotEqual(job.returncode, 0)
        return err.decode()

    def fault(self, start, options, number, among):
        """Sends a signal to a rank at a random moment of a reduction that takes many seconds."""
        n = 3
        job = self.start([*start, "-n", str(n)] if start else [], "--run=native", "-n2^36", "-tu8", *options)
        ranks = self.ranks_of(job, n)
        time.sleep(random.random() * 0.5)
        if among == "others" and not start:
            ranks.remove(job.pid)
        victim = random.choice(ranks)
        since = time.monotonic()
        os.kill(victim, number)
        return victim == job.pid, job, self.ended(job, since)

    def test_a_local_rank_is_killed(self):
        for _ in range(REPEATS):
            _, job, err = self.fault([], ["--ranks=3"], signal.SIGKILL, "others")
            self.assertRegex(err, r"\Aredhost: rank [12] was ended by signal 9 \(Killed\) \(host \S+\); all ranks end\.\n\Z")
            self.assertEqual(job.returncode, 5)

    def test_the_first_local_rank_is_killed(self):
        for _ in range(REPEATS):
            job = self.start([], "--run=native", "-n2^36", "-tu8", "--ranks=3")
            self.ranks_of(job, 3)
            time.sleep(random.random() * 0.3)
            since = time.monotonic()
            os.kill(job.pid, signal.SIGKILL)
            self.ended(job, since)
            self.assertEqual(job.returncode, -signal.SIGKILL)

    def test_a_local_rank_stalls(self):
        for _ in range(REPEATS):
            first, job, err = self.fault([], ["--ranks=3"], signal.SIGSTOP, "all")
            self.assertRegex(err, r"\Aredhost: rank [012] has not answered for [678] s \(host \S+\); all ranks end\.\n\Z")
            self.assertEqual(job.returncode, -signal.SIGKILL if first else 5)

    def over_mpi(self, start):
        for _ in range(REPEATS):
            self.fault(start, ["--transport=mpi"], signal.SIGKILL, "all")
        for _ in range(REPEATS):
            err = self.fault(start, ["--transport=mpi"], signal.SIGSTOP, "all")[2]
            self.assertEqual(len(said(err)), 1, err)
            # It may be stopped before it has joined the job.
            self.assertRegex(said(err)[0], r"rank [012] has not answered for [678] s|have not come together in time")

    @mpi_test(OPEN_MPI)
    def test_open_mpi(self):
        self.over_mpi(OPEN_MPI)

    @mpi_test(MPICH)
    def test_mpich(self):
        self.over_mpi(MPICH)

    def crash(self, start, options, plugin, how):
        """One sentence of redhost's, and mpirun's own beside it."""
        job = self.start([*start, "-n", "2"] if start else [], "--run=worker_%s" % plugin, "--plugin=" + FAULTS, "-n10000000", "--isolate=never", *options)
        err = self.ended(job, time.monotonic())
        self.assertEqual(len(said(err)), 1, err)
        self.assertRegex(said(err)[0], r"\Aredhost: rank [01] \(host \S+\) %s while strategy 'worker_%s' was in use; all ranks end\.\Z" % (how, plugin))
        if not start:
            self.assertEqual(job.returncode, 5)

    def crashes(self, start, options):
        """A plugin's crash and its exit(); and a rank that crashes at a random moment, whoever else has a handler: UCX and LLVM have."""
        for plugin, how in (("crash_in_run", r"crashed \(signal 11\)"), ("abort_in_run", r"crashed \(signal 6\)"),
                            ("exit_in_run", r"was ended by a call of exit\(\)")):
            with self.subTest(plugin):
                self.crash(start, options, plugin, how)
        if not start:
            return
        for _ in range(REPEATS):
            number = random.choice([signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGBUS])
            job = self.start([*start, "-n", "3"], "--run=native", "-n2^36", "-tu8", *options)
            victim = random.choice(self.ranks_of(job, 3))
            while not has_mapped(victim, "native.so") and job.poll() is None:  # it has not joined the job
                time.sleep(0.01)
            time.sleep(random.random() * 0.3)
            since = time.monotonic()
            os.kill(victim, number)
            told = said(self.ended(job, since))
            self.assertEqual(len(told), 1, told)
            self.assertRegex(told[0], r"\Aredhost: rank [012] \(host \S+\) crashed \(signal %d\) while strategy 'native' " % number)

    def test_a_crash_before_the_strategy_is_known(self):
        """While a child examines the plugin."""
        slow = os.path.join(cli.ZOO, "slow_to_load.so")
        for _ in range(REPEATS):
            job = self.start([], "--run=slow_to_load", "--plugin=" + slow, "-n1000", "--ranks=1")
            while not any(has_children(path) for path in glob.glob("/proc/%d/task/*/children" % job.pid)) and job.poll() is None:
                time.sleep(0.002)
            since = time.monotonic()
            os.kill(job.pid, signal.SIGSEGV)
            self.assertRegex(self.ended(job, since), r"\Aredhost: rank 0 \(host \S+\) crashed \(signal 11\) before a strategy was in use; "
                             r"all ranks end\.\n\Z")
            self.assertEqual(job.returncode, 5)

    @mpi_test(OPEN_MPI)
    def test_crashes_under_open_mpi(self):
        self.crashes(OPEN_MPI, ["--transport=mpi"])

    @mpi_test(MPICH)
    def test_crashes_under_mpich(self):
        self.crashes(MPICH, ["--transport=mpi"])

    def test_the_first_local_rank_crashes(self):
        self.crashes([], ["--ranks=1"])

    def test_a_file_is_cut_short(self):
        for _ in range(REPEATS):
            with open(self.path("cut.npy"), "wb") as file:  # a hole: it takes no room
                file.write(cli.npy("u8", b"", "(%d,)" % (1 << 33)))
                file.truncate(file.tell() + (1 << 33))
            job = self.start([], "--run=native", "--input=cut.npy", "--ranks=3")
            self.ranks_of(job, 3)
            time.sleep(0.2 + random.random() * 0.3)
            since = time.monotonic()
            os.truncate(self.path("cut.npy"), 1 << 20)
            err = self.ended(job, since)
            self.assertEqual(job.returncode, 6, err)
            self.assertRegex(err, r"\Aredhost: [^\n]*cut\.npy[^\n]*[.?]\n\Z")  # it may be cut before it is opened
            os.unlink(self.path("cut.npy"))

    def test_a_file_is_written_to(self):
        """The strategy and its reference may see different bytes of it: that is no wrong result."""
        for _ in range(REPEATS):
            size = 40 << 20
            self.write("c.u32", random.randbytes(size))
            job = self.start([], "--run=native", "--input=c.u32", "-tu32", "--op=xor", "--ranks=3", "-q")
            since = time.monotonic()
            with open(self.path("c.u32"), "r+b", buffering=0) as file:
                while job.poll() is None:
                    file.seek(random.randrange(size // 4096) * 4096)
                    file.write(random.randbytes(4096))
            err = self.ended(job, since)
            self.assertEqual(job.returncode, 6, err)
            self.assertRegex(err, r"\Aredhost: [^\n]*c\.u32:? (was written to while it was being read|differs: it was last changed)[^\n]*\n\Z")
    def test_a_file_that_differs(self):
        cli.write(self.path("b.raw"), b"\0" * 8000)
        shutil.copy2(self.path("b.raw"), self.path("a.raw"))
        each = [cli.REDHOST, "--run=native", "-tf32", "--transport=mpi", "-q", "--input"]
        command = [*OPEN_MPI, "-n", "1", *each, "a.raw", ":", "-n", "1", *each, "b.raw"]
        code, _, told = self.job(*command)
        self.assertEqual((code, told), (0, []))
        os.utime(self.path("b.raw"), (1, 1))
        code, _, told = self.job(*command)
        self.assertEqual((code, len(told)), (6, 1), told)
        self.assertRegex(told[0], r"a\.raw differs: it was last changed at \d+\.\d{9} s on host .* and at 1\.0{9} s on host .*\(rank 1\)")
        with open(self.path("b.raw"), "ab") as file:
            file.write(b"\0" * 4)
        code, _, told = self.job(*command)
        self.assertEqual((code, len(told)), (6, 1), told)
        self.assertRegex(told[0], r"a\.raw differs: 8000 bytes on host .* 8004 on host .*\(rank 1\)")
