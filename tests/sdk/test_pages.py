"""test_pages.py REDHOST PAGE: the manual page and the completions, written from the table of options that --help shows."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

REDHOST, MANUAL = (os.path.abspath(path) for path in sys.argv[1:3])


def output(*words):
    return subprocess.run([REDHOST, *words], capture_output=True, text=True, check=True).stdout


HELP = output("--help", "all")
OPTIONS = re.findall(r"^  (?:-\w, |    )(--[\w-]+)", HELP, re.MULTILINE)
LETTERS = re.findall(r"^  (-\w), --", HELP, re.MULTILINE)


def words(option):
    """The words that the help lists for an option, without remarks."""
    listed = re.search(r"--%s=\S+\s+([^\[]+) \[" % option, HELP).group(1)
    return re.sub(r"\([^)]*\)", "", listed).split()


OPS, TYPES = output("--ops", "-q").split(), words("type")


class Pages(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="redhost-pages-")
        self.addCleanup(temporary.cleanup)
        self.folder = temporary.name

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        pathlib.Path(path).write_text(text, encoding="utf-8")
        return path

    def need(self, program):
        if not shutil.which(program):
            self.skipTest(program + " is not here")

    def test_the_help_was_read(self):
        self.assertGreater(len(OPTIONS), 20)
        self.assertIn("sum", OPS)
        self.assertIn("f16", TYPES)

    # ---- The manual page ----

    def test_everything_is_in_the_manual(self):
        page = re.sub(r"\\f[BIR]", "", pathlib.Path(MANUAL).read_text(encoding="utf-8")).replace("\\-", "-")
        for option in OPTIONS + LETTERS:
            self.assertRegex(page, r"(?m)(^|, )%s(\[?=|,|$)" % option)
        for variable in re.findall(r"\b[A-Z]+_[A-Z_]+\b", HELP.split("Environment:")[1]):
            self.assertIn(variable, page)
        for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES"):
            self.assertIn(".SH " + heading + "\n", page)

    def test_groff_is_content(self):
        self.need("groff")
        done = subprocess.run(["groff", "-ww", "-man", "-Tutf8", MANUAL], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_mandoc_is_content(self):
        self.need("mandoc")
        done = subprocess.run(["mandoc", "-T", "lint", "-W", "warning", MANUAL],
                              capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    # ---- bash: the function itself is called, as readline would ----

    def bash(self, *words):
        """The completions of the last word.  As in bash, = ends a word and is one."""
        split = []
        for word in words:
            option, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            split += [option, *([equals, value] if equals and value else [equals] if equals else [])]
        script = self.file("try", 'set -u; PATH="$(dirname "$1"):$PATH"; source "$2"; shift 2\n'
                           'COMP_WORDS=(redhost "$@"); COMP_CWORD=$#; COMPREPLY=()\n'
                           '_redhost redhost "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD-1]}" || exit 1\n'
                           'printf "%s\\n" "${COMPREPLY[@]-}"\n')
        done = subprocess.run(["bash", script, REDHOST, self.file("redhost", output("--completion=bash")), *split],
                              capture_output=True, text=True, check=False, cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line for line in done.stdout.splitlines() if line]

    def test_bash_reads_it(self):
        path = self.file("redhost", output("--completion=bash"))
        subprocess.run(["bash", "-n", path], check=True)
        registered = subprocess.run(["bash", "-c", 'source "$0"; complete -p redhost', path], capture_output=True, text=True, check=True)
        self.assertIn("-F _redhost redhost", registered.stdout)

    def test_bash_options(self):
        self.assertEqual(sorted(self.bash("--")), sorted(OPTIONS))
        self.assertEqual(self.bash("--new"), ["--new-plugin", "--new-operator", "--new-transport"])
        self.assertEqual(self.bash("--run", "cascade", "--no-c"), [option for option in OPTIONS if option.startswith("--no-c")])

    def test_bash_words(self):
        self.assertEqual(self.bash("--op", ""), OPS)
        self.assertEqual(self.bash("--op", "arg"), [op for op in OPS if op.startswith("arg")])
        self.assertEqual(self.bash("--op=pro"), ["prod"])
        self.assertEqual(self.bash("--op="), OPS)
        self.assertEqual(self.bash("-t", "f"), ["f16", "f32", "f64"])
        self.assertEqual(self.bash("--completion", ""), ["bash", "zsh", "fish"])
        self.assertEqual(self.bash("--color=n"), ["never"])
        self.assertEqual(self.bash("-n", ""), [])
        self.assertEqual(self.bash("--isolate="), ["auto", "always", "never"])
        self.assertEqual(self.bash("--isolate=ne"), ["never"])
        self.assertEqual(self.bash("--isolate", ""), [])  # a word of its own would be another option's

    def test_bash_strategies(self):
        names = output("--list", "-q").split()
        self.assertEqual(self.bash("--run", ""), ["auto", *names])
        self.assertEqual(self.bash("-r", "casc"), ["cascade"])
        self.assertEqual(self.bash("--info", "au"), [])

    def test_bash_files(self):
        self.file("a file.npy", "")
        os.mkdir(os.path.join(self.folder, "a folder"))
        self.assertEqual(sorted(self.bash("-i", "a")), ["a file.npy", "a folder"])
        self.assertEqual(self.bash("--cache-dir", "a"), ["a folder"])
        self.assertEqual(self.bash("--new-plugin", "mine", "a"), ["a folder"])
        self.assertEqual(sorted(self.bash("--verify", "a")),
                         sorted(["a file.npy", "a folder", *(name for name in output("--list", "-q").split() if name[0] == "a")]))

    # ---- zsh, fish ----

    def test_zsh_reads_it(self):
        self.need("zsh")
        path = self.file("_redhost", output("--completion=zsh"))
        subprocess.run(["zsh", "-n", path], check=True)
        # As from a function directory, where compinit finds it.
        script = ("fpath=(%s $fpath); autoload -Uz compinit; compinit -u -D; print ${_comps[redhost]}" % self.folder)
        done = subprocess.run(["zsh", "-fc", script], capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "_redhost\n")

    def test_zsh_lists_all(self):
        text = output("--completion=zsh")
        for option in OPTIONS:
            self.assertRegex(text, r"[',{]%s\b" % option)

    def test_fish(self):
        self.need("fish")
        path = self.file("redhost.fish", output("--completion=fish"))
        subprocess.run(["fish", "-n", path], check=True)

        def offers(line):
            done = subprocess.run(["fish", "--no-config", "-c", f'source {path}; complete -C "{line}"'], capture_output=True, text=True,
                                  check=True, env={**os.environ, "HOME": self.folder,
                                                   "PATH": os.path.dirname(REDHOST) + ":" + os.environ["PATH"]})
            return [row.split("\t")[0] for row in done.stdout.splitlines()]
        # With a word and without: fish offers both.
        self.assertEqual(sorted(offers("redhost --")), sorted([*OPTIONS, "--isolate="]))
        self.assertEqual(sorted(offers("redhost --isolate=")), ["--isolate=always", "--isolate=auto", "--isolate=never"])
        self.assertEqual(sorted(offers("redhost --op ")), sorted(OPS))
        self.assertEqual(offers("redhost --run casc"), ["cascade"])

    def test_other_shells_are_refused(self):
        done = subprocess.run([REDHOST, "--completion", "tcsh"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_names_are_those_of_the_program(self):
        """The words in the table, which the completions offer, are those that the program takes."""
        for option, words in (("--op", OPS), ("--type", TYPES)):
            done = subprocess.run([REDHOST, "--run", "serial", option, "?"], capture_output=True, text=True, check=False)
            self.assertIn("Known: " + " ".join(words) + ".", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
