"""Makes the k-th call of each function fail, and checks how redhost reacts.

Right is: the answer of the undisturbed run, bit for bit (with a word on standard error where strategies are missing or
another one was taken); or one sentence and a documented exit status.  Anything else is printed, with the command that
shows it again, and the exit status is 1.

    sweep.py [--most K] [--scenario NAME]... [--function PATTERN]... [--jobs N]

Without --most: 200 where REDHOST_TEST_EXTENT is all, else a few calls of each function."""

import argparse
import array
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "cli"))
from redhost_cli import REDHOST, clean_environment  # noqa: E402

FAULTS = os.environ["REDHOST_TEST_FAULTS"]  # the library that is preloaded
USER = os.environ.get("REDHOST_TEST_LIBRARY_USER", "")  # a program that uses the library
PATIENCE = 120  # seconds; a run takes a fraction of one



def functions():
    """Those that the library makes fail."""
    here = os.path.dirname(os.path.realpath(__file__))
    text = "".join(open(os.path.join(here, name), encoding="utf-8").read() for name in ("fail_libc.c", "fail_cl.c"))
    return re.findall(r"(?m)^(?:FAILS|MAKES)\([^,]*, (\w+)|^(?:RETURNS|OPENS|STATUS|RELEASE)\((\w+)|NO_MEMORY\(\"(\w+)|fault_is_due\(\"(\w+)", text)


FUNCTIONS = ["".join(names) for names in functions()]

# Words of the command line; "@" is the file of data.
BENCH = "--bench -s cascade,native -n 2^10 --seed 1 --quick --samples=2:3".split()
SCENARIOS = {
    "list": ["--list", "-q"],
    "cascade": ["--run", "cascade", "-i", "@", "-q"],
    "native": ["--run", "native", "-i", "@", "-q"],
    "auto": ["--run", "auto", "-i", "@"],
    "isolated": ["--run", "cascade", "--isolate=always", "-i", "@", "-q"],
    "bench": BENCH,
    "library": None,
}
PROCESS_OF = {"list": ["-", "--probe"], "auto": ["-", "--probe"], "cascade": ["-", "--probe"], "native": ["-", "--probe"],
              "isolated": ["-", "--probe", "--work"], "library": ["-", "--probe"], "bench": ["-"]}

# Run in every build: calls that each caused a bug once, and their neighbours.
SMALL = {
    ("list", "-"): "open:1 open:4 fstat:2 fstatat:3 scandirat:1 realpath:1 malloc:3 strdup:4 calloc:2 pipe2:1 socketpair:1 "
                   "memfd_create:1 posix_spawn:1 write:1 clGetDeviceInfo:3 clGetDeviceInfo:20 clGetPlatformIDs:1 clGetDeviceIDs:1",
    ("list", "--probe"): "malloc:2 malloc:40 open:5 fstat:3 pread:4 dlopen:4 calloc:3",
    ("cascade", "-"): "open:2 asprintf:2 realpath:2 fcntl:1 fcntl:2 fcntl:3 lstat:1 lstat:5 clGetDeviceInfo:25 clCreateBuffer:1 clSetKernelArg:1 clFinish:1",
    ("auto", "-"): "clGetDeviceInfo:25 open:4 fstatat:9 fopen:1 read:1",
    ("auto", "--probe"): "open:9 pread:6 dlopen:3",
    ("isolated", "--work"): "malloc:2 mmap:1 clCreateContext:1 clEnqueueReadBuffer:1",
    ("library", "-"): "malloc:5 open:3 clGetDeviceInfo:9 clBuildProgram:1 clEnqueueNDRangeKernel:2",
    ("bench", "-"): "clSetKernelArg:1 clSetKernelArg:2 clSetKernelArg:3 clGetDeviceInfo:1 clGetDeviceInfo:2 clGetPlatformIDs:1 "
                    "clGetDeviceIDs:1",
}

Case = collections.namedtuple("Case", "scenario process function k times")
Outcome = collections.namedtuple("Outcome", "code out err injected")


def command(case, place):
    if case.scenario == "library":
        return [USER]
    return [REDHOST] + [os.path.join(place, "data.npy") if word == "@" else word for word in SCENARIOS[case.scenario]]


def faults(case, log=None):
    env = {"LD_PRELOAD": FAULTS, "REDHOST_FAULT": "%s:%d:%d" % (case.function, case.k, case.times),
           "REDHOST_FAULT_IN": case.process}
    if log:
        env["REDHOST_FAULT_LOG"] = log
    return env


def run(case, place, disturbed=True):
    """One run in its own home directory."""
    with tempfile.TemporaryDirectory(dir=place) as home:
        log = os.path.join(home, "injected")
        env = clean_environment(home, POCL_CACHE_DIR=os.path.join(place, "pocl"),
                                REDHOST_CACHE_DIR=os.path.join(place if case.k % 2 else home, "cache"))
        if disturbed:
            env.update(faults(case, log))
        try:
            done = subprocess.run(command(case, place), env=env, cwd=home, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=PATIENCE)
            code, out, err = done.returncode, done.stdout.decode(), done.stderr.decode()
        except subprocess.TimeoutExpired as late:
            code, out, err = "hang", (late.stdout or b"").decode(), (late.stderr or b"").decode()
        injected = 0
        if os.path.exists(log):
            with open(log) as file:
                injected = len(file.readlines())
        return Outcome(code, out, err, injected)


def essence(case, out):
    """The part of the output that must be the same in every run: no times, no device."""
    return "\n".join(re.sub(r" {2,}on .*", "", line) for line in out.split("\n")
                     if not re.match(r"(time|setup|latency|check) ", line))


def judge(case, got, expected):
    """A word for the outcome; outcomes that begin with BAD are failures."""
    sentence = re.search(r"(^|\n)(redhost|library): [^\n]+[.?]\n\Z", got.err)
    if got.code == "hang" or got.code < 0:
        return "BAD %s" % ("hangs" if got.code == "hang" else "signal %d" % -got.code)
    if got.code == 0:
        if case.scenario == "bench":
            return "measured"
        if essence(case, got.out) == essence(case, expected.out):
            return "right, with a word" if sentence else "right"
        fewer = set(got.out.split("\n")) <= set(expected.out.split("\n"))
        if case.scenario == "list":
            return ("fewer, with a word" if sentence else "BAD fewer, without a word") if fewer else "BAD list"
        result = [re.findall(r"^result.*", text, re.M) for text in (got.out, expected.out)]
        if case.scenario == "auto" and sentence and same_number(*result):
            return "another, with a word"
        return "BAD answer"
    if got.code in (1, 2) or got.code > 7:
        return "BAD exit status %d" % got.code
    if not sentence:
        return "BAD exit status %d without a sentence" % got.code
    return "sentence, %d" % got.code


def same_number(*results):
    """Another strategy may round in another way."""
    numbers = [float(one[0].split()[1]) for one in results if one]
    return len(numbers) == 2 and abs(numbers[0] - numbers[1]) < 1e-3 * (1 + abs(numbers[1]))


class Sweep:
    def __init__(self, place, most, jobs, everything):
        self.place, self.most, self.everything = place, most, everything
        self.counts = collections.defaultdict(collections.Counter)
        self.bad = []
        self.expected = {}
        self.pool = concurrent.futures.ThreadPoolExecutor(jobs)

    def prepare(self, scenario):
        if scenario == "bench":  # its times differ; what it says of failures is what is looked at
            self.expected[scenario] = None
            return
        for _ in range(2):  # the first fills the caches
            one = run(Case(scenario, "-", "none", 1, 1), self.place, disturbed=False)
        if one.code != 0 or one.err:
            sys.exit("%s fails undisturbed: %r" % (scenario, one))
        self.expected[scenario] = one

    def one(self, case):
        """0 if there is no such call."""
        got = run(case, self.place)
        if got.injected:
            self.note(case, got, judge(case, got, self.expected[case.scenario]))
        return got.injected

    def function(self, scenario, process, function):
        for k in range(1, self.most + 1):
            for times in (1, 0):
                if not self.one(Case(scenario, process, function, k, times)):
                    return

    def note(self, case, got, word):
        self.counts[case.scenario][word] += 1
        if word.startswith("BAD"):
            self.bad.append((case, word))
            how = " ".join("%s=%s" % pair for pair in sorted(faults(case).items()))
            print("%s\n  %s %s\n  %s" % (word, how, " ".join(command(case, "DIR")), got.err.strip()[-300:].replace("\n", "\n  ")),
                  flush=True)

    def all(self, scenarios, functions):
        for scenario in scenarios:
            self.prepare(scenario)
        tasks = [] if self.everything else [
            self.pool.submit(self.one, Case(scenario, process, one.split(":")[0], int(one.split(":")[1]), 1))
            for (scenario, process), words in SMALL.items() for one in words.split()]
        tasks += [] if not self.everything else [self.pool.submit(self.function, scenario, process, function) for scenario in scenarios
                 for process in PROCESS_OF[scenario] for function in functions
                 if not (function.startswith("cl") and function[2:3].isupper() and process == "--probe")]
        for task in tasks:
            task.result()
        for scenario, counts in self.counts.items():
            print("%-9s %5d  %s" % (scenario, sum(counts.values()),
                                    "; ".join("%d %s" % (n, word) for word, n in sorted(counts.items()))))
        print("%d runs, %d wrong" % (sum(sum(c.values()) for c in self.counts.values()), len(self.bad)))
        return 1 if self.bad else 0


def write_data(path, n=70001):
    """Sums of these differ in their last bits with every order."""
    numbers = array.array("f", (random.Random(7).gauss(0, 1) * 10 ** (k % 5) for k in range(n)))
    random.Random(8).shuffle(numbers)
    header = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d,), }" % n).ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + numbers.tobytes())


def main():
    extent = os.environ.get("REDHOST_TEST_EXTENT")
    parser = argparse.ArgumentParser()
    parser.add_argument("--most", type=int)
    parser.add_argument("--scenario", action="append")
    parser.add_argument("--function", action="append")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="redhost-faults-") as place:
        write_data(os.path.join(place, "data.npy"))
        sweep = Sweep(place, asked.most or 200, asked.jobs, asked.most or extent == "all")
        scenarios = asked.scenario or [name for name in SCENARIOS if name != "library" or USER]
        sys.exit(sweep.all(scenarios, asked.function or FUNCTIONS))


if __name__ == "__main__":
    main()
