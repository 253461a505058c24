"""loader.py ROOT: no way of loading that breaks what is loaded, and no child that is forked.

RTLD_DEEPBIND puts a library's own malloc and sanitizer beside the program's; dlmopen gives it another C library; a child
that is forked after OpenCL was used hangs in the driver.  One file may fork: it says why that is early enough.
"""
import re

import sources

FORBIDDEN = re.compile(r"\b(RTLD_DEEPBIND|RTLD_GLOBAL|dlmopen|v?fork(?=\s*\()|rfork(?=\s*\()|daemon(?=\s*\())")
FORKS = "host/core/child/guard.c"
FOLDERS = ["host", "plugins", "sdk"]


def check(root):
    complaints = []
    for path in sources.files(root, FOLDERS, (".c", ".h")):
        for number, line in enumerate(sources.bare(sources.read(root, path)).split("\n"), 1):
            found = FORBIDDEN.search(line)
            if found and not (path == FORKS and found.group() == "fork"):
                complaints.append(f"{path}:{number}: {found.group()}: {line.strip()}")
    return complaints


if __name__ == "__main__":
    sources.main(check)
