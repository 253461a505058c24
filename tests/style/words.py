"""words.py ROOT: nothing is left for later in the sources, and no test relies on a file that somebody may make."""
import re

import sources

# Spelt so that this file does not hold them.
LATER = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")
# In the root directory anybody's container may have one; below /proc nobody can make one.
NOWHERE = re.compile(r"(?<!/proc)(?<![\w.-])/non" r"existent\b")
FOLDERS = ["host", "kernels", "plugins", "sdk", "tests", "scripts", "docs"]
SUFFIXES = (".c", ".h", ".cl", ".py", ".sh", ".cmake", ".txt", ".md", ".in", "Makefile", "/run", "/test")


def check(root):
    complaints = []
    for path in sources.files(root, FOLDERS, SUFFIXES):
        for number, line in enumerate(sources.read(root, path).split("\n"), 1):
            if LATER.search(line):
                complaints.append(f"{path}:{number}: {line.strip()}")
            if path.startswith("tests/") and NOWHERE.search(line):
                complaints.append(f"{path}:{number}: may exist; nothing can below /proc: {line.strip()}")
    return complaints


if __name__ == "__main__":
    sources.main(check)
