"""Interrupts, and output that appears only on a terminal."""

import contextlib
import fcntl
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import tempfile
import termios
import time

import redhost_cli as cli

ESCAPE = re.compile(r"\x1b\[[0-9;]*[mK]")


def processes_with(text):
    """The ids of processes whose environment has `text`."""
    found = []
    for name in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if text.encode() in cli.read("/proc/%s/environ" % name):
                found.append(int(name))
    return found


class Interrupt(cli.Case):
    def interrupt(self, process):
        """Exit 130 at once, nothing on stdout, nothing on stderr."""
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        self.assertEqual((process.stdout.read(), process.stderr.read(), process.wait(timeout=cli.PATIENCE)), (b"", b"", 130))
        self.assertLess(time.monotonic() - start, cli.PROMPT)

    def test_while_reading(self):
        process = self.start("--run", "serial", "-t", "i8", "-i", "-", stdin=subprocess.PIPE)
        process.stdin.write(bytes(100000))
        process.stdin.flush()
        pending = struct.pack("i", 1)
        self.wait_until(lambda: fcntl.ioctl(process.stdin, termios.FIONREAD, pending) == struct.pack("i", 0))
        self.interrupt(process)

    def test_while_computing(self):
        self.redhost("--run", "cascade", "-t", "i8", "-n", "1000", "-q")
        files = self.cache_files()
        process = self.start("--run", "cascade", "-t", "i8", "-n", "2^28")
        time.sleep(1)
        if process.poll() is not None:
            self.skipTest("2^28 elements take less than a second here")
        self.interrupt(process)
        self.assertEqual(self.cache_files(), files)

    def test_while_building(self):
        """At any moment: the cache has no entry or a whole one."""
        for delay in (0.02, 0.1, 0.3, 0.6):
            env = {"XDG_CACHE_HOME": os.path.join(self.home, "building%s" % delay),
                   "REDHOST_BUILD_OPTIONS": "-DDELAY=%d" % (1000 * delay)}
            args = ["--run", "cascade", "-t", "i16", "-n", "1000", "--data", "equal", "-q"]
            process = self.start(*args, env=env)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=cli.PATIENCE)
            self.assertIn(process.returncode, (0, 130, -signal.SIGINT))  # before the handler is set, the signal itself
            for name in self.cache_files(env):
                self.assertRegex(name, r"\Abin/[0-9a-f]{16}\Z")
            self.assertEqual(self.good(*args, env=env).out, "1000\n")

    @cli.needs(os.path.join(cli.ZOO, "hang_on_load.so"))
    def test_while_looking_at_plugins(self):
        """The child that probes them ends too."""
        os.mkdir(self.path("plugins"))
        os.symlink(os.path.join(cli.ZOO, "hang_on_load.so"), self.path("plugins/hang_on_load.so"))
        mark = "REDHOST_TEST_MARK=%d-%f" % (os.getpid(), time.time())
        process = self.start("--list", "--plugin-path", self.path("plugins"), env=dict([mark.split("=")]))
        self.wait_until(lambda: len(processes_with(mark)) == 3)  # with the child's guard
        time.sleep(0.2)
        self.interrupt(process)
        self.wait_until(lambda: not processes_with(mark))

    def full_pipe(self):
        """The write end of a full pipe without a reader."""
        ends = os.pipe()
        for end in ends:
            self.addCleanup(os.close, end)
        os.set_blocking(ends[1], False)
        for piece in (bytes(4096), b"\0"):
            try:
                while os.write(ends[1], piece):
                    pass
            except BlockingIOError:
                pass
        os.set_blocking(ends[1], True)
        return ends[1]

    def test_while_output_stalls(self):
        """A pipe without a reader does not block redhost, wherever it writes."""
        bench = ["--bench", "-s", "native", "-n", "2^10:2^12", "--quick"]
        for args in (["--list"], ["--run", "native", "-n", "1000"], bench, [*bench, "--json"], ["--verify", "native", "--quick", "--include=V41"],
                     ["--tune", "-s", "native", "-n", "1000", "--budget", "1"]):
            for stream in "stdout", "stderr":
                with self.subTest("%s, %s" % (" ".join(args), stream)):
                    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, stream: self.full_pipe()}
                    process = self.start(*args, "--progress=always", **streams)
                    self.wait_until(lambda: process.poll() is not None or is_writing(process.pid, streams[stream]))
                    if process.poll() is not None:
                        continue  # it had nothing to say there
                    process.send_signal(signal.SIGINT)
                    self.assertEqual(process.wait(timeout=cli.PROMPT), 130)

    def test_other_signals(self):
        """They end the process, also while a device is in use, whose compiler sets handlers of its own."""
        self.redhost("--run", "cascade", "-t", "i8", "-n", "1000", "-q")
        for number in (signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2, signal.SIGTRAP):
            with self.subTest(number):
                process = self.start("--run", "cascade", "-t", "i8", "-n", "2^28", "-q", preexec_fn=usual_signals)
                self.wait_until(lambda: process.poll() is not None or len(os.listdir("/proc/%d/task" % process.pid)) > 2)
                time.sleep(0.3)
                process.send_signal(number)
                out, err = process.communicate(timeout=cli.PATIENCE)
                self.assertEqual((process.returncode, out), (-number, b""), err)

    def test_ends_of_children_are_ignored(self):
        """As by a parent that wants to know nothing of its own: a driver's compiler and redhost wait for theirs."""
        of_n = ["-n", "1000", "-t", "i8", "-q"]
        for args in (["--run", "cascade", *of_n], ["--list", "-q"], ["--run", "serial", "--isolate", *of_n]):
            self.good(*args, env={"POCL_CACHE_DIR": os.path.join(self.home, "ignored")},
                      preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))

    def test_no_linker(self):
        """PoCL needs one for each kernel that it has not compiled yet, and aborts without."""
        for args in (["--run", "cascade"], ["--bench", "-s", "native,cascade", "--quick"]):
            cache = tempfile.mkdtemp(dir=self.home)
            done = self.redhost(*args, "-n", "1000", "-q", env={"PATH": "/proc/nonexistent", "POCL_CACHE_DIR": cache, "XDG_CACHE_HOME": cache})
            if done.code == 0:
                self.skipTest("this driver needs no linker")
            self.assertEqual((done.code, done.out), (3, ""), done)
            self.assertRegex(done.err, r"(?m)^redhost: the process crashed \(signal 6\) while device .* was in use, in its driver "
                                       r"or in a strategy;.* no linker \(ld\) is in PATH\.$")

    def test_ignored(self):
        """Started with SIGINT ignored, as by `nohup' or in a shell's background: stays ignored."""
        process = self.start("--run", "serial", "-t", "i8", "-q", "-i", "-", stdin=subprocess.PIPE,
                             preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(b"\1\1\1", timeout=cli.PATIENCE)
        self.assertEqual((process.returncode, out, err), (0, b"3\n", b""))


def usual_signals():
    """What bash starts in the background ignores some; and no file of the memory is wanted."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in range(1, 32):
        if number not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(number, signal.SIG_DFL)


def is_writing(pid, pipe):
    """Its main thread is blocked in write() to this pipe."""
    try:
        with open("/proc/%d/syscall" % pid, encoding="ascii") as file:
            words = file.read().split()
        is_write = words[0] in ("1", "64")  # x86-64, arm64
        return is_write and os.readlink("/proc/%d/fd/%d" % (pid, int(words[1], 16))) == os.readlink("/proc/self/fd/%d" % pipe)
    except (OSError, IndexError):
        return False


class Terminal(cli.Case):
    def on_terminal(self, *args, seconds=0, env=None, out=False):
        """A run that reads standard input for that long, with stderr (and stdout, if `out`) on a terminal: what came on
        the terminal, and on a stdout of its own."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("4H", 24, 80, 0, 0))
        process = subprocess.Popen([cli.REDHOST, *args], env={**self.env, **(env or {})}, cwd=self.cwd,
                                   stdin=subprocess.PIPE, stdout=slave if out else subprocess.PIPE, stderr=slave)
        os.close(slave)
        shown = b""

        def take(wait):
            nonlocal shown
            with contextlib.suppress(OSError):  # where a terminal ends
                while select.select([master], [], [], wait)[0] and (more := os.read(master, 65536)):
                    shown += more

        end = time.monotonic() + seconds
        while time.monotonic() < end:
            process.stdin.write(bytes(1000))
            process.stdin.flush()
            take(0.05)
        process.stdin.write(b"\1")
        process.stdin.close()
        printed = b"" if out else process.stdout.read()
        process.wait(timeout=cli.PATIENCE)
        take(0.1)
        os.close(master)
        if not out:
            process.stdout.close()
        self.assertEqual(process.returncode, 0, shown)
        return shown.decode(), printed.decode()

    SLOW = ["--run", "serial", "-t", "i8", "-i", "-"]

    def test_progress(self):
        shown, printed = self.on_terminal(*self.SLOW, "--no-check", seconds=1.8)
        self.assertIn("result     1\n", printed)
        self.assertNotIn("\x1b", printed)
        self.assertNotIn("\n", shown)  # one line, rewritten
        lines = shown.split("\r\x1b[K")
        self.assertEqual((lines[0], lines[-1]), ("", ""), "the line is not gone at the end")
        self.assertTrue(any(re.fullmatch(r"reading [0-9.]+ MB", line) for line in lines), lines)
        self.assertLessEqual(len(lines), 14)  # from 1 s on, ten times a second at most

    def test_no_progress(self):
        for args, seconds, env in (([*self.SLOW], 0.3, None),  # under a second
                                   ([*self.SLOW, "-q"], 1.4, None), ([*self.SLOW, "--progress=never"], 1.4, None)):
            shown, printed = self.on_terminal(*args, seconds=seconds, env=env)
            self.assertEqual(shown, "", args)
            self.assertTrue(printed)

    def slow_without_terminal(self, *args):
        process = self.start(*self.SLOW, *args, stdin=subprocess.PIPE)
        end = time.monotonic() + 1.4
        while time.monotonic() < end:
            process.stdin.write(bytes(1000))
            process.stdin.flush()
            time.sleep(0.05)
        out, err = process.communicate(b"\1", timeout=cli.PATIENCE)
        self.assertEqual(process.returncode, 0)
        self.assertIn("result     1\n", out.decode())
        return err.decode()

    def test_not_without_terminal(self):
        self.assertEqual(self.slow_without_terminal(), "")

    def test_always(self):
        self.assertRegex(self.slow_without_terminal("--progress=always"), r"reading [0-9.]+ MB")

    def test_color(self):
        plain = self.good("--list").out
        self.assertNotIn("\x1b", plain)
        for args, env in ((["--color=always"], {}), ([], {"CLICOLOR_FORCE": "1"}),
                          (["--color=always"], {"NO_COLOR": "1", "TERM": "dumb"})):
            colored = self.good("--list", *args, env=env).out
            self.assertIn("\x1b[", colored)
            self.assertEqual(ESCAPE.sub("", colored), plain)  # never the only carrier
        for args, env in ((["--color=never"], {"CLICOLOR_FORCE": "1"}), ([], {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}),
                          ([], {"CLICOLOR_FORCE": "0"}), ([], {"CLICOLOR": "1"})):
            self.assertEqual(self.good("--list", *args, env=env).out, plain)
        self.assertNotIn("\x1b", self.good("--list", "--json", "--color=always").out)
        self.assertNotIn("\x1b", self.good("--list", "-q", "--color=always").out)

    def test_color_on_terminal(self):
        """The terminal of mpirun leads to a file or a pipe as well."""
        for args, env, colored in (([], {}, True), ([], {"TERM": "dumb"}, False), ([], {"NO_COLOR": "1"}, False),
                                   ([], {"OMPI_COMM_WORLD_LOCAL_RANK": "0"}, False), ([], {"MPI_LOCALRANKID": "1"}, False),
                                   (["--color=always"], {"OMPI_COMM_WORLD_LOCAL_RANK": "0"}, True),
                                   ([], {"CLICOLOR": "0"}, False), (["--color=never"], {}, False),
                                   (["--color=always"], {"TERM": "dumb"}, True), (["--color=auto"], {}, True)):
            shown, _ = self.on_terminal(*self.SLOW, *args, env=env, out=True)
            self.assertEqual("\x1b[" in shown, colored, (args, env, shown))
            self.assertIn("result     1\r\n", ESCAPE.sub("", shown))

    def test_standard_input_is_a_terminal(self):
        master, slave = pty.openpty()
        self.addCleanup(os.close, master)
        self.addCleanup(os.close, slave)
        self.bad(6, "-: |terminal", "--run", "serial", "-i", "-", stdin=slave)
