"""What the rules share: walking over sources, and C without its comments and strings."""
import collections
import os
import re
import sys


def files(root, folders, suffixes):
    """Paths below the folders, relative to root, in order."""
    found = []
    for folder in folders:
        for directory, _, names in os.walk(os.path.join(root, folder)):
            found += [os.path.relpath(os.path.join(directory, name), root)
                      for name in names if name.endswith(suffixes)]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


# A comment, a string, a character, in the order in which they can begin.
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)


def blank(match):
    """As many lines as before, and nothing else; of a string, its quotes."""
    text = match.group()
    lines = "\n" * text.count("\n")
    return lines if text.startswith("/") else text[0] + lines + text[0]


def bare(source):
    """The source without comments and without what stands in strings; line numbers stay."""
    return NOISE.sub(blank, source)


def uncommented(source):
    """The source without comments only: the names in #include "..." stay."""
    return NOISE.sub(lambda m: blank(m) if m.group().startswith("/") else m.group(), source)


# The head of a function that other files may call, as clang-format writes it.
DEFINITION = re.compile(r"^(?!static\b|typedef\b|extern\b)[a-z_][\w \n*]*?\b(rh_\w+)\([^;{]*\) \{", re.MULTILINE)


# A variable whose end calls a function.
FINISHED = re.compile(r"\bRH_FINISHED\((rh_\w+)\)")


def calls(root, folder):
    """({function: the file that defines it}, {file: the rh_ names in it, as often as they stand there})."""
    defined, named = {}, {}
    for path in files(root, [folder], (".c",)):
        text = bare(read(root, path))
        defined.update((match.group(1), path) for match in DEFINITION.finditer(text))
        finished = [name + "_finish" for name in FINISHED.findall(text)]
        named[path] = collections.Counter(re.findall(r"\brh_\w+", text) + finished)
    return defined, named


def main(check):
    """Runs check(root), prints what it finds and exits with 1 if that is anything."""
    complaints = check(sys.argv[1])
    for complaint in complaints:
        print(complaint)
    sys.exit(1 if complaints else 0)
