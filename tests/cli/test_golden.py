"""Command lines and their output: golden/*.txt.

    # a comment
    $ redhost --run serial -n 10 -q | cat      a command for sh, in a copy of tests/data
    5.3519010543823242                         what it prints on standard output
    2> redhost: some sentence.                 and on standard error
    exit 1                                     and its exit status: if it is not 0, or not 2 where standard error has a line

A case ends where the next begins, or a comment after an empty line.  In expected lines `...` stands for anything, and alone on a line for any lines; <number> <time> <size> <device> <plugins>
<name> for what their names say.  REDHOST_GOLDEN_UPDATE=1 rewrites the cases that fail; read the diff.
"""

import difflib
import glob
import os
import re
import shutil
import subprocess
import unittest

import redhost_cli as cli

NUMBER = r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?"
PATTERNS = {
    "<number>": NUMBER,
    "<time>": NUMBER + r" (?:ns|us|ms|s)",
    # A busy machine takes a single sample, which has no spread.
    "<spread>": r"(?: \+-" + NUMBER + " %)?",
    "<samples>": "(?:1 sample|" + NUMBER + " samples)",
    "<size>": NUMBER + r" (?:B|KiB|MiB|GiB)",
    "<device>": r"[0-9]+:[0-9]+ +[^ ,][^,]*?",
    "<name>": r"\S.*?",
    "<plugins>": "",  # known when the tests are set up
    "...": r".*",
}
TOKEN = re.compile("|".join(re.escape(token) for token in PATTERNS))


class Golden:
    """One command and its expected output."""

    def __init__(self, notes, command):
        self.notes, self.command, self.out, self.err, self.code = notes, command, [], [], None

    def text(self):
        usual = self.code == (2 if self.err else 0)
        return "".join(line + "\n" for line in [*self.notes, "$ " + self.command, *self.out,
                                                *("2>" + (" " + line if line else "") for line in self.err),
                                                *([] if usual else ["exit %d" % self.code])])


def read_cases(path):
    cases, notes = [], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file.read().splitlines(), 1):
            if line.startswith("$ "):
                cases.append(Golden(notes, line[2:]))
                notes = []
            elif notes or line.startswith("#") and (not cases or cases[-1].out[-1:] == [""]):
                notes.append(line)
            elif not cases:
                raise ValueError("%s:%d: neither a command nor a comment" % (path, number))
            elif re.fullmatch(r"exit [0-9]+", line):
                cases[-1].code = int(line[5:])
            elif line.startswith("2>"):
                cases[-1].err.append(line[3:])
            else:
                cases[-1].out.append(line)
    for case, following in zip(cases, [*cases[1:], None]):
        if following and case.out and not case.out[-1]:  # what separates the two is no output
            following.notes.insert(0, case.out.pop())
        if case.code is None:
            case.code = 2 if case.err else 0
    return cases


def line_pattern(line):
    at, pattern = 0, ""
    for token in TOKEN.finditer(line):
        pattern += re.escape(line[at:token.start()]) + PATTERNS[token.group()]
        at = token.end()
    return pattern + re.escape(line[at:])


def matches(expected, text):
    pattern = "".join("(?:.*\n)*?" if line == "..." else line_pattern(line) + "\n" for line in expected)
    return re.fullmatch(pattern, text) is not None


def generalise(line):
    """What differs from machine to machine, in the words of the expected lines."""
    line = re.sub(PATTERNS["<plugins>"] or "$^", "<plugins>", line)
    line = re.sub(r"\b(on|device) ( *)[0-9]+:[0-9]+ [^,(\n]*[^,( \n]", r"\1 \2<device>", line)
    line = re.sub(NUMBER + r" (ns|us|ms|s)\b", "<time>", line)
    line = re.sub(r" \+-%s %%" % NUMBER, "<spread>", line)
    line = re.sub(NUMBER + r" samples?\b", "<samples>", line)
    line = re.sub(NUMBER + r" (Gelem/s|GB/s|ulp|%)", r"<number> \1", line)
    return re.sub(r"(error|at most|h =|depth) %s" % NUMBER, r"\1 <number>", line)


def updated(expected, text):
    """The actual lines; an expected line that matches one stays."""
    left, lines = list(expected), []
    for line in text.splitlines():
        kept = next((old for old in left if old != "..." and re.fullmatch(line_pattern(old), line)), None)
        if kept is not None:
            left.remove(kept)
        lines.append(kept if kept is not None else generalise(line))
    return lines


UPDATE = bool(os.environ.get("REDHOST_GOLDEN_UPDATE"))


class GoldenTest(cli.Case):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shutil.copytree(cli.DATA, cls.cwd, dirs_exist_ok=True)
        program, plugins = cls.copy_of_tree(cls, "tree")
        PATTERNS["<plugins>"] = re.escape(os.path.realpath(plugins))
        del cls.env["POCL_MEMORY_LIMIT"]  # devices are shown as they are
        cls.env["PATH"] = os.path.dirname(program) + ":" + cls.env["PATH"]

    def run_case(self, case):
        done = subprocess.run(["/bin/sh", "-c", case.command], env=self.env, cwd=self.cwd, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=cli.PATIENCE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def check_file(self, path):
        cases = read_cases(path)
        self.assertTrue(cases, "%s holds no case" % path)
        changed = False
        self.env["XDG_CACHE_HOME"] = os.path.join(self.home, os.path.basename(path))  # each file from an empty cache
        for case in cases:
            code, out, err = self.run_case(case)
            if code == case.code and matches(case.out, out) and matches(case.err, err):
                continue
            if UPDATE:
                changed = True
                case.code, case.out, case.err = code, updated(case.out, out), updated(case.err, err)
                continue
            actual = Golden([], case.command)  # in the words of the expected lines where they match
            actual.code, actual.out, actual.err = code, updated(case.out, out), updated(case.err, err)
            expected = "\n".join(case.text().splitlines()[len(case.notes):])
            with self.subTest(command=case.command):
                self.fail("%s\n%s" % (os.path.basename(path), "\n".join(
                    difflib.unified_diff(expected.splitlines(), actual.text().splitlines(), "expected", "actual",
                                         lineterm="", n=100))))
        if changed:
            cli.write(path, "".join(case.text() for case in cases))


for golden in sorted(glob.glob(os.path.join(cli.HERE, "golden", "*.txt"))):
    setattr(GoldenTest, "test_" + os.path.basename(golden)[:-4].replace("-", "_"), lambda self, path=golden: self.check_file(path))


class MatcherTest(unittest.TestCase):
    """The patterns can fail."""

    def test_matching(self):
        self.assertTrue(matches(["a <number> b"], "a 1.5e-07 b\n"))
        self.assertFalse(matches(["a <number> b"], "a x b\n"))
        self.assertFalse(matches(["a"], "a\nb\n"))
        self.assertFalse(matches(["a", "b"], "a\n"))
        self.assertFalse(matches([], "a\n"))
        self.assertFalse(matches(["a.c"], "abc\n"))
        self.assertTrue(matches(["a", "...", "c"], "a\nb\nb\nc\n"))
        self.assertTrue(matches(["a", "...", "c"], "a\nc\n"))
        self.assertFalse(matches(["a", "...", "c"], "a\nb\n"))
        self.assertFalse(matches(["on <device>"], "on the host\n"))
        self.assertTrue(matches(["took <time>"], "took 1.5 ms\n"))
        self.assertFalse(matches(["took <time>"], "took 1,5 ms\n"))
