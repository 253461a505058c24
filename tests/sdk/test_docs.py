"""test_docs.py BUILD CMAKE CC LIBDIR [--update]: the pages for authors and for programs are true.

Code with a file's name stands in that file; `console` blocks are run, one after the other, in one shell; the commands on
files that the pages for users show are run on small ones; every option of redhost that any page shows is one.  What a command prints is compared without its numbers, for times are those of a day.
--update writes what the commands print now, where that differs."""
import glob
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

UPDATE = "--update" in sys.argv
sys.argv = [word for word in sys.argv if word != "--update"]
from installed_tree import CC, HERE, Tree  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(HERE))
PAGES = [os.path.join(ROOT, "docs", name) for name in ("extend/strategy.md", "extend/segments.md", "extend/reading-strategies.md", "program/c.md", "use/own-operator.md")]
BLOCK = re.compile(r"^```(\w*)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?:^|[$|;(] *|do )(?:[\w~./]*/)?redhost( [^|;\n#)]*)", re.MULTILINE)
STEPS = os.path.join(ROOT, "docs", "extend", "strategy")
# Pages with commands on a reader's files, which begin so.
FILES = ("README.md", "docs/use/answers.md", "docs/use/devices-and-ranks.md", "docs/use/first-steps.md", "docs/use/large-files.md",
         "docs/use/numpy.md", "docs/use/operators.md", "docs/use/recipes.md", "docs/use/segments.md")
ON_FILES = re.compile(r"(?:x=\$\()?(?:cat \S+ \| )?redhost (?:\w+\.npy|-i |--merge )")
NOT_HERE = re.compile(r"\.\.\.|-d 0:0,0:1|price|x\.npy --finalize")


def read(path):
    return pathlib.Path(path).read_text(encoding="utf-8")


def blocks(page, language):
    return [match for match in BLOCK.finditer(page) if match.group(1) == language]


def parse_console(text):
    """(command, what it prints) for each."""
    parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    if parts[0]:
        raise ValueError("output before the first command: " + parts[0])
    return list(zip(parts[1::2], parts[2::2]))


def shape(text):
    """Without what differs from day to day and from machine to machine."""
    text = re.sub(r"(?m)^(setup|time|latency) .*$", r"\1", text)
    text = re.sub(r"\b(on|device) +\d+:\d+ .*", r"\1 DEVICE", text)
    text = re.sub(r"(?m)\brun on [^:\n]*:|^on [^,\n]*,", "on DEVICE", text)
    text = re.sub(r"\b(KiB|MiB|GiB)\b", "B", text)
    text = re.sub(r"(?<![\w.])-?\d[\d.]*(e[-+]?\d+)?(?! failed)", "#", text)
    text = re.sub(r"# (ns|us|ms|s)\b", "# s", text)
    return [" ".join(line.split()) for line in text.splitlines()]


def commands_on(page):
    """What follows "redhost" wherever it stands in code."""
    code = [match.group(3) for match in BLOCK.finditer(page)] + re.findall(r"`([^`\n]+)`", BLOCK.sub("", page))
    return [command for text in code for command in COMMAND.findall(text)]


def unknown_options(page, known):
    """Options of redhost, in code, that it does not have."""
    return [word for command in commands_on(page) for word in re.findall(r"(?<=\s)--[\w-]+", command) if word not in known]


def commands_on_files(page):
    """Commands on a reader's files; of a table's cell also each option alone that follows a command."""
    text = read(os.path.join(ROOT, page))
    lines = [line.split("  #")[0].strip() for block in BLOCK.finditer(text) for line in block.group(3).splitlines()]
    for line in BLOCK.sub("", text).splitlines():
        command = "redhost x.npy" if page.endswith(("numpy.md", "recipes.md")) else ""
        for piece in re.findall(r"`([^`]+)`", line):
            piece = piece.replace("\\|", "|")
            if piece.startswith("redhost "):
                command = " ".join(piece.split()[:2])
            elif command and re.match(r"--[a-z]+ |x\.npy,", piece):
                of = "redhost g.npy" if re.match(r"--op (and|or|xor)$", piece) else command
                piece = (of if piece.startswith("--") else "redhost") + " " + piece
            lines.append(piece)
    return [line for line in lines if ON_FILES.match(line) and not NOT_HERE.search(line)]


def make_files(folder):
    """What the pages call their files: x.npy and so on, of 8000 elements; raw data."""
    try:
        import numpy
    except ImportError as error:
        raise unittest.SkipTest("needs NumPy") from error
    x = numpy.linspace(0.1, 1.1, 8000).astype("f4")
    for name in ("x", "y", "w", "huge", "big", "jan", "feb"):
        numpy.save(os.path.join(folder, name + ".npy"), numpy.arange(44640) % 5 + 1.0 if name in ("jan", "feb") else x)
    for name in ("m", "g"):
        numpy.save(os.path.join(folder, name + ".npy"), numpy.arange(8000) % 2)
    for name, array in {"t": x.reshape(20, 20, 20), "o": numpy.array([0, 10, 10, 8000]), "a": numpy.array([7, 0]),
                        "b": numpy.array([7000, 8000]), "labels": numpy.arange(8000) // 1000}.items():
        numpy.save(os.path.join(folder, name + ".npy"), array)
    x.tofile(os.path.join(folder, "x.bin"))


class Docs(Tree):
    MOVED_TO = ".local"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.environment.pop("PKG_CONFIG_PATH")
        cls.environment.update(HOME=cls.root, LC_ALL="C", CC=CC)
        cls.pages = {path: read(path) for path in PAGES}

    def test_code_is_that_of_the_files(self):
        code = [block for page in self.pages.values() for language in ("c", "cl", "cmake") for block in blocks(page, language)]
        self.assertGreater(len(code), 8)
        for block in code:
            with self.subTest(file=block.group(2)):
                self.assertIn(block.group(3), read(os.path.join(ROOT, block.group(2))))

    def test_every_step_is_right(self):
        for step in sorted(os.listdir(STEPS)):
            build = os.path.join(self.root, "step-" + step)
            self.call([self.redhost, "--new-plugin", "swift", build])
            for name in ("swift.c", "swift.cl"):
                pathlib.Path(os.path.join(build, name)).write_text(read(os.path.join(STEPS, step, name)), encoding="utf-8")
            self.call(["make", "-C", build, "CFLAGS=-O2 -Wall -Wextra -Wpedantic -Werror"],
                      env={"PKG_CONFIG_PATH": os.path.join(self.lib, "pkgconfig")})
            if step == "order":
                self.keeps_the_order(os.path.join(build, "swift.so"))
                continue
            for finish, op, kind, sizes in (("host", "sum", "f32", (0, 1, 31, 1000003)), ("device", "sum", "f32", (1, 100003)),
                                            ("host", "argmin", "f64", (15, 10007)), ("device", "max", "f16", (47, 10007)),
                                            ("host", "xor", "u8", (1, 100003))):
                for size in sizes:
                    with self.subTest(step=step, op=op, type=kind, n=size, finish=finish):
                        self.call([self.redhost, "--plugin", os.path.join(build, "swift.so"), "--run", "swift", "--op", op, "-t", kind,
                                   "-n", str(size), "--data", "hash", "-p", "finish=" + finish])

    def test_a_strategy_in_cpp(self):
        """kahan.cpp keeps the depth that it claims, which is less than what an element passes through, and declines the rest."""
        plugin = os.path.join(self.root, "kahan.so")
        self.call(["c++", "-std=c++20", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-Wl,-z,defs,-z,relro,-z,now",
                   "-I", os.path.join(self.root, self.MOVED_TO, "include"), os.path.join(ROOT, "docs", "extend", "cpp", "kahan.cpp"), "-o", plugin])
        run = ["--plugin", plugin, "--run", "kahan", "--json"]
        for kind, n, data in (("f32", 1 << 23, "loguniform"), ("f32", 100003, "cancel"), ("f64", 1000003, "huge"), ("f32", 0, "zeros"), ("f64", 1, "two")):
            with self.subTest(type=kind, n=n, data=data):
                check = json.loads(self.call([self.redhost, *run, "-t", kind, "-n", str(n), "--data", data]))["results"][0]["check"]
                self.assertTrue(check["ok"])
                self.assertLessEqual(check["depth"], 7)
        for more in (["-t", "i32"], ["-t", "f16"], ["--op", "max"]):
            self.assertEqual(self.tried(*run, *more, "-n", "9").returncode, 4)
        self.call([self.redhost, "--verify", plugin, "--quick"])

    def keeps_the_order(self, plugin):
        """It makes the promise of the canonical order and keeps it: the bits are those of native."""
        self.assertTrue(self.info(plugin)["canonical_order"])
        self.call([self.redhost, "--verify", plugin, "--quick", "--include", "V20,V27-V29,V41-V45,V50,V52,V65"])
        for op, kind, n in (("sum", "f32", 1000003), ("prod", "f64", 100003), ("asum", "f16", 4097)):
            with self.subTest(op=op, type=kind, n=n):
                run = ["--plugin", plugin, "--op", op, "-t", kind, "-n", str(n), "-q", "--run"]
                self.assertEqual(self.call([self.redhost, *run, "swift"]), self.call([self.redhost, *run, "native"]))

    @unittest.skipUnless(shutil.which("rustc"), "needs a compiler for Rust")
    def test_a_strategy_in_rust(self):
        plugin = os.path.join(self.root, "kahan-rust.so")
        subprocess.run(["rustc", "--edition", "2021", "-O", "--crate-type", "cdylib", "-C", "panic=abort",
                        os.path.join(ROOT, "docs", "extend", "rust", "kahan.rs"), "-o", plugin], check=True)
        self.call([self.redhost, "--verify", "--quick", plugin])
        self.assertIn("(h = 3)", self.call([self.redhost, "--plugin", plugin, "--run", "kahan", "-n", "100003", "--data", "cancel"]))

    def info(self, plugin):
        return json.loads(self.call([self.redhost, "--plugin", plugin, "--info", "swift", "--json"]))["strategies"][0]

    def run_all(self, commands):
        """What each prints, both streams, in one shell."""
        script = ["cd ~", "exec </dev/null"]
        for k, command in enumerate(commands):
            script.append(f"{{ {command}\n}} >$OUT/{k} 2>&1")
        out = tempfile.mkdtemp(dir=self.root)
        environment = {**self.environment, "OUT": out}
        del environment["XDG_DATA_HOME"]  # what the page installs for its reader is not for the other tests
        subprocess.run(["bash", "-c", "\n".join(script)], env=environment, check=False)
        return [read(os.path.join(out, str(k))).replace(self.root, "/home/you") for k in range(len(commands))]

    def test_commands_print_what_is_shown(self):
        for path, page in self.pages.items():
            shown = [pair for block in blocks(page, "console") for pair in parse_console(block.group(3))]
            self.assertGreater(len(shown), 3)
            # Times are not compared, so a small size shows the same.
            printed = self.run_all([command if UPDATE else command.replace("2^24", "2^16") for command, _ in shown])
            if UPDATE:
                self.update(path, printed)
                continue
            for (command, expected), actual in zip(shown, printed):
                with self.subTest(command=command):
                    self.assertEqual(shape(expected), shape(actual))

    def update(self, path, printed):
        left = list(printed)

        def fill(block):
            if block.group(1) != "console":
                return block.group(0)
            text = ""
            for command, shown in parse_console(block.group(3)):
                now = left.pop(0)
                text += f"$ {command}\n" + (shown if shape(shown) == shape(now) else now)
            return f"```console\n{text}```"
        pathlib.Path(path).write_text(BLOCK.sub(fill, self.pages[path]), encoding="utf-8")

    def test_commands_on_files(self):
        folder = tempfile.mkdtemp(dir=self.root)
        make_files(folder)
        environment = {**self.environment, "REDHOST_NO_MEASURE": "1", "PATH": os.path.dirname(self.redhost) + ":" + self.environment["PATH"]}
        commands = {command.replace("1e9", "4000").replace("2e9", "8000"): page for page in FILES for command in commands_on_files(page)}
        self.assertGreater(len(commands), 60)
        for command, page in commands.items():
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  timeout=60, check=False)
            with self.subTest(page=page, command=command):
                self.assertEqual((done.returncode, "redhost:" in done.stderr), (0, False), done.stderr)

    def known_options(self):
        # --probe, --work, --sample, --trial and --look are for redhost itself.
        return set(re.findall(r"--[\w-]+", self.call([self.redhost, "--help", "all"]))) | {"--probe", "--work", "--sample", "--trial", "--look"}

    def test_options_that_pages_show(self):
        pages = [os.path.join(ROOT, "README.md"), os.path.join(ROOT, "sdk", "template", "README.md")]
        pages += glob.glob(os.path.join(ROOT, "docs", "*", "*.md"))
        known = self.known_options()
        for path in pages:
            with self.subTest(page=path):
                self.assertEqual(unknown_options(read(path), known), [])

    def test_options_that_pages_show_together(self):
        """Options are checked against the mode before --quiet and --verbose are refused, so that refusal means that they are right."""
        pages = [os.path.join(ROOT, name) for name in ("README.md", "docs/extend/strategy.md", "docs/program/c.md", "docs/use/numpy.md", "docs/use/own-operator.md")]
        commands = [re.split(r" (?:&&|2>|\$\(|for |another )", command)[0] for path in pages for command in commands_on(read(path))]
        commands = [command for command in commands if " -" in command and not re.match(" --(new-plugin|new-operator|help|probe|info$)", command)]
        self.assertGreater(len(commands), 30)
        for command in commands:
            with self.subTest(command=command):
                self.assertIn("--quiet and --verbose are mutually exclusive", self.refusal(command))
        self.assertIn("--once cannot be used with --run", self.refusal(" --run swift --once"))

    def refusal(self, command):
        return self.tried(*shlex.split(command), "-q", "-v", stdin=subprocess.DEVNULL, timeout=60).stderr

    def test_promises_name_tests_that_there_are(self):
        """The table's V-numbers are those of verify.md, and of the program."""
        table = self.pages[PAGES[0]].split("## What each promise means")[1]
        numbers = set(re.findall(r"\bV\d\d\b", table))
        self.assertGreater(len(numbers), 20)
        self.assertLessEqual(numbers, set(re.findall(r"\bV\d\d\b", read(os.path.join(ROOT, "docs", "extend", "verify.md")))))
        promises = re.findall(r"define (RH_KEEPS_ORDER|RH_CANONICAL_ORDER|RH_SERVES_LAYOUTS|RH_ROUNDS_ONCE|RH_KEEPS_FP_CONTROL|RH_BITS_\w+|RH_PLUGIN_UNLOADABLE|RH_PARAM_\w+)",
                              read(os.path.join(ROOT, "sdk", "include", "redhost", "plugin.h")))
        self.assertEqual([name for name in promises if name not in table], [])

    def test_that_it_can_fail(self):
        self.assertEqual(unknown_options("```\n$ redhost --runs x | sort --unique\n```\nand `redhost --lost`", {"--run"}),
                         ["--runs", "--lost"])
        self.assertNotEqual(shape("result 1\ncheck exact 1 equal ok\n"), shape("result 1\ncheck exact 1 equal WRONG\n"))
        self.assertEqual(shape("time 1.5 ms\nresult 8390991\n"), shape("time 17 us +-3 %\nresult -83.5e-7\n"))
        self.assertNotEqual(shape("57 tests in 1 s: 57 passed, 0 failed\n"), shape("57 tests in 1 s: 56 passed, 1 failed\n"))
        with self.assertRaises(ValueError):
            parse_console("text\n$ x\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
