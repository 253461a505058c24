"""Peer programs against the protocol of docs/extend/peers.md: this plays redhost's side.

    python3 test_peers.py                     builds what REDHOST_TEST_PEERS names into REDHOST_TEST_PEERS_DIR first
    REDHOST_PEER=PROGRAM python3 test_peers.py   any program, on any machine: nothing but Python is needed
"""
import functools
import json
import math
import os
import random
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INTEGERS = {"i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q"}
FLOATS = {"f16": "e", "f32": "f", "f64": "d"}
CODES = {**INTEGERS, **FLOATS}
OPS = ["sum", "prod", "min", "max", "argmin", "argmax", "and", "or", "xor", "affine", "asum", "amax", "argamax"]
SIZES = [1, 2, 1000, 70001]  # the last is worth several threads
COPIES = 3
# Peers whose index of the best need not be the first of equal elements, unlike redhost's: docs/extend/peers.md.
ANY_OF_EQUALS = {"clblast"}
PATIENCE = 120


class Program:
    """A peer program, with its channel and the file that its data stand in."""

    def __init__(self, path):
        ours, theirs = socket.socketpair()
        theirs = self.up(theirs.detach())
        self.data = os.memfd_create("data")
        data = self.up(os.dup(self.data))
        nothing = os.open(os.devnull, os.O_RDWR)
        self.pid = os.posix_spawn(path, [path], os.environ, setpgroup=0, file_actions=[
            (os.POSIX_SPAWN_DUP2, nothing, 0), (os.POSIX_SPAWN_DUP2, nothing, 1), (os.POSIX_SPAWN_DUP2, nothing, 3),
            (os.POSIX_SPAWN_DUP2, theirs, 4), (os.POSIX_SPAWN_DUP2, data, 5)])
        for fd in (theirs, data, nothing):
            os.close(fd)
        self.channel = ours
        self.rest = b""

    @staticmethod
    def up(fd):
        """Above the numbers that are given a meaning."""
        import fcntl
        moved = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 20)
        os.close(fd)
        return moved

    def hear(self):
        end = time.monotonic() + PATIENCE
        while b"\n" not in self.rest:
            if not select.select([self.channel], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError("no answer")
            more = self.channel.recv(65536)
            if not more:
                raise AssertionError(f"it is gone: {os.waitpid(self.pid, 0)[1]}")
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode("ascii")

    def ask(self, line):
        self.channel.sendall(line.encode() + b"\n")
        return self.hear()

    def fill(self, data):
        os.ftruncate(self.data, 0)
        os.pwrite(self.data, data, 0)

    def end(self):
        """Its exit status once the channel is closed."""
        self.channel.close()
        os.close(self.data)
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return status
            time.sleep(0.01)
        os.killpg(self.pid, signal.SIGKILL)
        raise AssertionError("it did not end with its channel")


def random_data(kind, n):
    """Few different values, so that there are ties; both signs; the least integer, whose magnitude is special."""
    if kind in FLOATS:
        return [random.randrange(-40, 41) / 8 for _ in range(n)]
    bits = 8 * struct.calcsize(CODES[kind])
    low = -(1 << (bits - 1)) if kind[0] == "i" else 0
    return [low + random.randrange(200) * ((1 << bits) // 200 or 1) for _ in range(n)]


def wrapped(value, signed):
    value %= 1 << 64
    return value - (1 << 64) if signed and value >> 63 else value


def expected(op, kind, data):
    """(value, index or None, the error that is allowed)."""
    magnitudes = [abs(x) for x in data]
    signed = kind[0] == "i"
    if op in ("sum", "asum"):
        values = magnitudes if op == "asum" else data
        if kind in INTEGERS:
            return wrapped(sum(values), signed and op == "sum"), None, 0
        return math.fsum(values), None, math.fsum(magnitudes) * (1e-12 if kind == "f64" else 1e-5)
    if op == "prod":
        if kind in INTEGERS:
            product = 1
            for x in data:
                product = product * x % (1 << 64)
            return wrapped(product, signed), None, 0
        return math.prod(data), None, abs(math.prod(data)) * 1e-3
    if op in ("and", "or", "xor"):
        value = -1 if op == "and" else 0
        for x in data:
            value = value & x if op == "and" else value | x if op == "or" else value ^ x
        return value, None, 0
    values = magnitudes if op in ("amax", "argamax") else data
    best = min(values) if op in ("min", "argmin") else max(values)
    return best, values.index(best) if op.startswith("arg") else None, 0


@functools.cache
def programs():
    given = os.environ.get("REDHOST_PEER")
    if given:
        return [os.path.abspath(given)]
    command = [os.path.join(ROOT, "scripts", "peers"), "--into", os.environ["REDHOST_TEST_PEERS_DIR"],
               *os.environ["REDHOST_TEST_PEERS"].split()]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    sys.stderr.write(done.stderr)
    if done.returncode:
        raise AssertionError("scripts/peers failed")
    options = done.stdout.split()
    if not options or not all(option.startswith("--peer=/") for option in options):
        raise AssertionError(f"scripts/peers printed {done.stdout!r}")
    return [option[len("--peer="):] for option in options]


class Peers(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.programs = programs()

    def start(self, path):
        program = Program(path)
        self.assertEqual(program.hear(), "redhost-peer 1", path)
        names = []
        while True:
            words = program.hear().split(" ", 2)
            if words == ["ready"]:
                break
            self.assertEqual(words[0], "peer")
            names.append(words[1])
        self.assertTrue(names)
        return program, names

    def check_taken(self, what, answer, op, kind, data, wanted=None):
        words = answer.split(" ")
        self.assertEqual(words[0], "taken", f"{what}: {answer}")
        seconds, clock, value = float(words[1]), words[2], float(words[3]) if kind in FLOATS else int(words[3])
        self.assertTrue(0 < seconds < 10, f"{what}: {answer}")
        self.assertIn(clock, ("device", "host"))
        best, index, allowed = wanted or expected(op, kind, data)
        if math.isfinite(best) and abs(best) < 1e30 and abs(best) > 1e-30 or best == 0:
            self.assertLessEqual(abs(value - best), allowed, f"{what}: {answer}, not {best}")
        self.assertEqual(len(words), 4 if index is None else 5, f"{what}: {answer}")
        if index is None:
            return
        if what.split(" ")[0] in ANY_OF_EQUALS:
            found = data[int(words[4])]
            self.assertEqual(abs(found) if op == "argamax" else found, best, f"{what}: {answer}")
        else:
            self.assertEqual(int(words[4]), index, f"{what}: {answer}")

    def take_all(self, program, name, op, kind, data, wanted=None):
        """Whether it serves this; every kind of sample, more than there are copies."""
        size = struct.calcsize(CODES[kind])
        stride = (len(data) * size + 4095) // 4096 * 4096
        answer = program.ask(f"open {name} {op} {kind} {len(data)} {COPIES} {stride}")
        what = f"{name} {op} {kind} {len(data)}"
        if answer.startswith("declined "):
            return False
        self.assertRegex(answer, r"\Aopened (device|host) [0-9]+( .*)?\Z", what)
        for kind_of_sample, batch in [("device", 5), ("host", 2), ("latency", 1), ("device", 1)]:
            answer = program.ask(f"take {name} {kind_of_sample} {batch}")
            self.check_taken(what, answer, op, kind, data, wanted)
            if kind_of_sample != "device":
                self.assertIn(" host ", answer)
        return True

    def test_values(self):
        for path in self.programs:
            random.seed(1)
            program, names = self.start(path)
            served = {name: set() for name in names}
            for kind in CODES:
                for n in SIZES:
                    data = random_data(kind, n)
                    program.fill(struct.pack(f"{n}{CODES[kind]}", *data))
                    for op in OPS:
                        if op == "prod" and kind in FLOATS and n > 2:
                            continue  # it leaves the range
                        if (kind in FLOATS and op in ("and", "or", "xor")) or op == "affine":
                            wanted = None
                        else:
                            wanted = expected(op, kind, data)
                        for name in names:
                            if self.take_all(program, name, op, kind, data, wanted):
                                served[name].add((op, kind))
                                self.assertEqual(program.ask(f"close {name}"), "closed")
            self.assertEqual(program.end(), 0, path)
            for name, pairs in served.items():
                self.assertTrue(pairs, f"{name} serves nothing")
                print(f"{name}: {len(pairs)} pairs of operator and type", file=sys.stderr)

    def test_peers_are_open_together(self):
        for path in self.programs:
            program, names = self.start(path)
            data = [1.5] * 5000
            program.fill(struct.pack("5000f", *data))
            opened = [name for name in names if self.take_all(program, name, "sum", "f32", data)]
            program.fill(b"")  # what was opened has copies
            for name in opened:
                answer = program.ask(f"take {name} device 4")
                self.check_taken(name, answer, "sum", "f32", data)
            for name in opened:
                self.assertEqual(program.ask(f"close {name}"), "closed")
            self.assertEqual(program.end(), 0)

    def test_questions_that_make_no_sense(self):
        for path in self.programs:
            program, names = self.start(path)
            name = names[0]
            program.fill(struct.pack("2f", 1, 2))
            for line in [f"take {name} device 1", f"open {name} sum f32", "open nobody sum f32 2 1 4096", "what", ""]:
                self.assertRegex(program.ask(line), r"\Afailed .+", f"{path}: {line!r}")
            self.assertRegex(program.ask(f"open {name} sum f99 2 1 4096"), r"\Adeclined .+")
            self.assertRegex(program.ask(f"open {name} affine f32 2 1 4096"), r"\Adeclined .+")
            self.assertRegex(program.ask(f"open {name} sum f32 0 1 4096"), r"\Adeclined .+")
            self.assertRegex(program.ask(f"open {name} sum f32 3 1 4096"), r"\Afailed .+")  # more than the file holds
            self.assertTrue(self.take_all(program, name, "sum", "f32", [1, 2]))
            self.assertEqual(program.end(), 0)

    def test_by_hand(self):
        """Started by somebody who does not know what it is."""
        for path in self.programs:
            done = subprocess.run([path], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("redhost --bench --peer=PROGRAM", done.stderr)


CRASHES = """#!{python}
import os, sys
def say(line): os.write(4, line.encode() + b"\\n")
say("redhost-peer 1"); say("peer fragile it crashes in its first sample"); say("ready")
for line in os.fdopen(os.dup(4)):
    if line.startswith("open"): say("opened host 1")
    elif line.startswith("close"): say("closed")
    else: os.abort()
"""


@unittest.skipUnless("REDHOST" in os.environ, "which redhost to run is not said")
class Benched(unittest.TestCase):
    """Through redhost --bench."""

    def bench(self, *peers):
        command = [os.environ["REDHOST"], "--bench", "-s", "serial", "--op", "sum,argmin", "--type", "f32", "-n", "2^10",
                   "--quick", "--json", *("--peer=" + peer for peer in peers)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)

    def test_rows(self):
        found = programs()
        with tempfile.TemporaryDirectory() as directory:
            fragile = os.path.join(directory, "fragile")
            with open(fragile, "w", encoding="utf-8") as file:
                file.write(CRASHES.format(python=sys.executable))
            os.chmod(fragile, 0o755)
            done = self.bench(*found, fragile)
        rows = json.loads(done.stdout)["results"]
        self.assertTrue(rows, done.stderr)
        status = {(row["strategy"], row["op"]): row["status"] for row in rows}
        self.assertEqual(status["serial", "sum"], "ok")
        self.assertEqual({row["peer"] for row in rows if row["strategy"] == "serial"}, {False})
        self.assertEqual({row["peer"] for row in rows if row["strategy"] != "serial"}, {True})
        for name in ("openmp", "numpy"):
            for op in ("sum", "argmin"):
                if any(key[0] == name for key in status):
                    self.assertEqual(status[name, op], "ok", done.stdout)
        for row in rows:
            if row["strategy"] == "fragile":
                self.assertEqual(row["status"], "failed")
                self.assertRegex(row["reason"], r"peer 'fragile' of /.*/fragile crashed in take \(signal 6\)")
        self.assertIn("fragile", {row["strategy"] for row in rows})

    def test_no_peer(self):
        done = self.bench("/nowhere/peer")
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("peer program /nowhere/peer cannot be started: No such file", done.stderr)
        done = self.bench("/bin/false")
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn("/bin/false ended the process with exit status 1 in its greeting", done.stderr)


class Documented(unittest.TestCase):
    """The example of docs/extend/peers.md is whole: it compiles without a warning, and speaks the protocol."""

    def test_example(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "mine")
            subprocess.run([os.environ.get("CC", "cc"), "-std=gnu11", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
                            "-I", os.path.join(ROOT, "sdk", "peers"), os.path.join(ROOT, "docs", "extend", "peers", "mine.c"), "-o", path], check=True)
            Peers.programs = [path]
            case = Peers()
            case.test_values()
            case.test_peers_are_open_together()
            case.test_questions_that_make_no_sense()


if __name__ == "__main__":
    unittest.main(verbosity=2)
