"""What every test of the command line needs: redhost, run in an environment of its own, and judged."""

import json
import os
import re
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time
import unittest

REDHOST = os.path.realpath(os.environ.get("REDHOST", shutil.which("redhost") or "redhost"))
HERE = os.path.dirname(os.path.realpath(__file__))
DATA = os.environ.get("REDHOST_TEST_DATA", os.path.join(HERE, "..", "data"))
ZOO = os.environ.get("REDHOST_TEST_ZOO", "")
FOREIGN = os.environ.get("REDHOST_TEST_FOREIGN", "")  # a library of functions
PLUGINS = os.environ.get("REDHOST_TEST_PLUGINS", os.path.join(os.path.dirname(REDHOST), "..", "lib", "redhost-1"))
DRIVERS = os.environ.get("REDHOST_TEST_DRIVERS", "")  # libraries to be preloaded, and a driver
WHOLE = os.environ.get("REDHOST_TEST_EXTENT") == "all"  # the nightly run
NO_PLATFORM = {"OCL_ICD_VENDORS": "/proc/nonexistent", "OCL_ICD_FILENAMES": ""}  # Khronos's loader reads both

OPS = "sum prod min max argmin argmax and or xor asum amax argamax".split()
TYPES = "i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64".split()
PATIENCE = 300  # seconds: ends what hangs, and nothing else on a machine that is busy with other things
PROMPT = 45  # seconds: what does not wait for anything ends sooner, on a busy machine too, and what waits for a hang takes 60 or more


def clean_environment(home, **more):
    """Nothing of the person's settings; their OpenCL and sanitizer settings stay."""
    env = {key: value for key, value in os.environ.items()
           if not re.match(r"REDHOST|XDG_|LC_|LANG|NO_COLOR|CLICOLOR", key)}
    # What is chosen must not depend on this machine's speed.
    env.update(HOME=home, XDG_CACHE_HOME=os.path.join(home, "cache"), TERM="xterm", REDHOST_NO_MEASURE="1")
    if os.environ.get("REDHOST_TEST_DEVICE"):  # for scripts/check-device
        env["REDHOST_DEVICE"] = os.environ["REDHOST_TEST_DEVICE"]
    # What PoCL compiles is kept from test to test: it is redhost's own cache that is looked at here.
    env.setdefault("POCL_CACHE_DIR", os.path.join(home, "pocl"))
    os.makedirs(env["POCL_CACHE_DIR"], exist_ok=True)
    env.setdefault("POCL_MEMORY_LIMIT", "1")  # GiB: calibration and cold inputs fill a fourth of the device's memory
    env.update(more)
    return {key: value for key, value in env.items() if value is not None}


SHARED = re.compile(r"(?:--(size|type|op|data|cache|max-time|strategy|budget|isolate)|-([nts]))(=?)(.*)", re.S)


def last_of_each(args):
    """Tests that share options replace some of them: redhost takes each once."""
    words, kept = list(args), []
    while words:
        match = SHARED.fullmatch(os.fsdecode(words[0]))
        name, taken = None, 1
        if match and (match[2] or match[3] or not match[4]):
            name = match[1] or {"n": "size", "t": "type", "s": "strategy"}[match[2]]
            taken = 2 if not match[3] and not match[4] and name != "isolate" else 1
            kept = [(other, option) for other, option in kept if other != name]
        kept.append((name, words[:taken]))
        if words[0] == "--":
            taken, kept[-1] = len(words), (None, words)
        words = words[taken:]
    return [word for _, option in kept for word in option]


PROGRAMS = os.environ.get("REDHOST_TEST_PROGRAMS") or tempfile.mkdtemp(prefix="redhost-programs-")


def share_programs(cache_home):
    """In this cache, programs are those that any test compiled."""
    os.makedirs(os.path.join(cache_home, "redhost"))
    os.symlink(PROGRAMS, os.path.join(cache_home, "redhost", "bin"))


def npy(kind, data, shape):
    """A file in NumPy's format, in C order; kind: one of TYPES."""
    name = kind[0] + str(int(kind[1:]) // 8)
    header = "{'descr': '<%s', 'fortran_order': False, 'shape': %s, }" % (name, shape)
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data


def read(path):
    with open(path, "rb") as file:
        return file.read()


def text(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data if isinstance(data, bytes) else data.encode())


def needs(file):
    return unittest.skipUnless(os.path.exists(file), "%s is not built" % (os.path.basename(file) or "the zoo"))


def preloaded(name):
    """The environment in which the driver calls one of DRIVERS first, also where redhost has sanitizers."""
    return {"LD_PRELOAD": os.path.join(DRIVERS, name),
            "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}


class Done:
    """What came out of one call."""

    def __init__(self, args, code, out, err, seconds, processor_s):
        self.args, self.code, self.out, self.err, self.seconds = args, code, out, err, seconds
        self.processor_s = processor_s  # of all its processes, which a busy machine hardly changes

    def __str__(self):
        return "redhost %s: exit %s\n--- stdout\n%s--- stderr\n%s" % (
            " ".join(map(repr, self.args)), self.code, self.out, self.err)


def no_constants(name):
    raise ValueError("%s is not JSON" % name)


class Case(unittest.TestCase):
    """A home, a cache and a working directory for each class."""

    # Where most programs are used once, none is stored: PoCL compiles every kernel once more for that.
    uses_programs_once = False

    @classmethod
    def setUpClass(cls):
        cls.home = tempfile.mkdtemp(prefix="redhost-cli-")
        cls.addClassCleanup(shutil.rmtree, cls.home, ignore_errors=True)
        os.chmod(cls.home, 0o755)
        cls.env = clean_environment(cls.home)
        share_programs(cls.env["XDG_CACHE_HOME"])
        if cls.uses_programs_once:
            cls.env["REDHOST_NO_CACHE"] = "1"
            cls.env.pop("POCL_WORK_GROUP_SPECIALIZATION", None)
        cls.cwd = os.path.join(cls.home, "work")
        os.mkdir(cls.cwd)

    def path(self, name):
        return os.path.join(self.cwd, name)

    def write(self, name, data):
        write(self.path(name), data)
        return name

    def cache_files(self, env=None):
        """The same without what redhost remembers of drivers, which says nothing about what it did."""
        return [name for name in self.all_cache_files(env) if not name.startswith("drivers/")]

    def all_cache_files(self, env=None):
        """Relative names of everything that is not a directory below redhost's cache."""
        root = os.path.join((env or self.env)["XDG_CACHE_HOME"], "redhost")
        return sorted(os.path.relpath(os.path.join(at, name), root)
                      for at, _, names in os.walk(root) for name in names)

    def environment(self, args, more):
        """Of a call: what calibrates does so on a device with little memory, in a third of the time, unless a driver is preloaded."""
        env = {**self.env, **(more or {})}
        if DRIVERS and "LD_PRELOAD" not in env and not {"--bench", "--tune"}.isdisjoint(args):
            env.setdefault("REDHOST_OPENCL", os.path.join(DRIVERS, "small_device.so"))
        return env

    def redhost(self, *args, env=None, program=None, **how):
        how.setdefault("stdin", subprocess.DEVNULL)
        if "input" in how:
            del how["stdin"]
        args = args if how.pop("as_typed", False) else last_of_each(args)
        start, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([program or REDHOST, *args], env=self.environment(args, env), cwd=how.pop("cwd", self.cwd),
                              stdout=how.pop("stdout", subprocess.PIPE), stderr=how.pop("stderr", subprocess.PIPE),
                              timeout=how.pop("timeout", PATIENCE), **how)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return Done(args, done.returncode, (done.stdout or b"").decode(), (done.stderr or b"").decode(),
                    time.monotonic() - start, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    def start(self, *args, env=None, **how):
        """A run in the background, which heeds interrupts wherever the tests were started, and ends with the test."""
        how = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
               "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.default_int_handler), **how}
        process = subprocess.Popen([REDHOST, *args], env=self.environment(args, env), cwd=self.cwd, **how)
        self.addCleanup(lambda: [pipe.close() for pipe in (process.stdin, process.stdout, process.stderr) if pipe])
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def interrupted(self, process):
        """What a process writes until Ctrl-C has ended it."""
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, (out, err))
        return out, err

    def wait_until(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            self.assertLess(time.monotonic(), end, "it never came that far")
            time.sleep(0.01)

    def good(self, *args, quiet=True, **how):
        """Exit 0, and with `quiet` nothing on stderr."""
        done = self.redhost(*args, **how)
        self.assertEqual(done.code, 0, done)
        if quiet:
            self.assertEqual(done.err, "", done)
        return done

    def value(self, *args, **how):
        """The one line of a `-q` call."""
        done = self.good(*args, "-q", **how)
        self.assertEqual(done.out.count("\n"), 1, done)
        return done.out.rstrip("\n")

    def json(self, *args, code=0, quiet=True, **how):
        """The document of a run that ends so; where that is good, with `quiet' nothing on stderr."""
        done = self.redhost(*args, "--json", **how)
        self.assertEqual((done.code, done.err if quiet and code == 0 else ""), (code, ""), done)
        document = json.loads(done.out, parse_constant=no_constants)
        self.assertEqual(document["schema"], "redhost/1")
        return document

    def bad(self, code, words, *args, **how):
        """That exit code, nothing on stdout, one sentence on stderr with these words, nothing left behind but the record of a wrong result."""
        def left():
            return [name for name in self.cache_files() if code != 1 or not name.startswith("tuned.")], sorted(os.listdir(self.cwd))
        before = left()
        done = self.redhost(*args, **how)
        self.assertEqual(done.code, code, done)
        self.assertEqual(done.out, "", done)
        self.assertRegex(done.err, r"\Aredhost: [^\n]+[.?]\n\Z", "no sentence: %s" % done)
        self.assertNotRegex(done.err, r"\?\.|[^.]\.\.\n|[\x00-\x08\x0b-\x1f\x7f]", done)
        for word in words.split("|"):
            self.assertIn(word, done.err, done)
        self.assertLess(done.seconds, how.get("timeout", PATIENCE), done)
        self.assertEqual(left(), before, "left something: %s" % done)
        return done

    def copy_of_tree(self, name):
        """redhost, its library and its plugins, elsewhere: the program's path and the plugins' directory.

        Without functions of OpenBLAS, which need not be installed."""
        root = os.path.join(self.home, name)
        binaries = os.path.dirname(REDHOST)
        libraries = os.path.dirname(os.path.realpath(PLUGINS))
        to_libraries = os.path.normpath(os.path.join(root, "bin", os.path.relpath(libraries, binaries)))
        os.makedirs(os.path.join(root, "bin"))
        program = shutil.copy(REDHOST, os.path.join(root, "bin"))
        shutil.copytree(libraries, to_libraries, symlinks=True,
                        ignore=lambda at, names: [n for n in names if n in ("cmake", "pkgconfig") or n.startswith("openblas_")])
        return program, os.path.join(to_libraries, os.path.basename(os.path.realpath(PLUGINS)))


class CacheCase(Case):
    """A cache of its own for each test; file: of the tuning database there."""

    def setUp(self):
        self.env["XDG_CACHE_HOME"] = os.path.join(self.home, self.id().rsplit(".", 1)[1])
        share_programs(self.env["XDG_CACHE_HOME"])
        self.file = os.path.join(self.env["XDG_CACHE_HOME"], "redhost", "tuned.json")


def try_running(command):
    """Does it work at all here?"""
    return subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL).returncode == 0


def reachable_by_all(path):
    """May anybody read `path`, through all its directories?"""
    path = os.path.realpath(path)
    while True:
        wanted = stat.S_IXOTH if os.path.isdir(path) else stat.S_IROTH
        if not os.stat(path).st_mode & wanted:
            return False
        if path == os.path.dirname(path):
            return True
        path = os.path.dirname(path)


def main():
    if not os.access(REDHOST, os.X_OK):
        sys.exit("REDHOST=%s is not a program" % REDHOST)
    unittest.main(verbosity=1)
