"""messages.py ROOT: the library's messages name no option of the program.

The library is host/ without tools and cli: a C program that reads its messages never typed an option.  What helps a person at the
command line is added by host/cli (hints.c).  Only the arguments that start a child of the program are options.
"""
import re

import sources

STARTS_A_CHILD = {"--probe", "--look", "--work", "--sample", "--trial"}
STRING = re.compile(r'"((?:\\.|[^"\\\n])*)"')
OPTION = re.compile(r"--[a-z][a-z-]+|(?:^|[\s(`'])-[A-Za-z](?=[\s.,;:)`']|$)|\bredhost -|\bthis mode\b")


def check(root):
    complaints = []
    for path in sources.files(root, [f"host/{part}" for part in ("core", "operators", "engine", "choose", "library")], (".c", ".h")):
        for number, line in enumerate(sources.uncommented(sources.read(root, path)).split("\n"), 1):
            for text in STRING.findall(line):
                if OPTION.search(text) and text not in STARTS_A_CHILD:
                    complaints.append(f'{path}:{number}: a message of the library names an option: "{text}"')
    return complaints


if __name__ == "__main__":
    sources.main(check)
