"""failures.py ROOT: what tests/zoo/failures.md names as a row's test is there, and no row is without one.

In the last column, in backquotes: `cli.NAME Class.test_x` and `sdk.NAME Class.test_x`, of tests/PART/test_NAME.py;
`unit.test_NAME test_x`, of tests/unit/test_NAME.c, and core the same; `V00 FOLDER/NAME`, a row of tests/zoo/faults.py; `style.NAME`.
"""
import os
import re
import sys

import sources

sys.path.append(os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "zoo"))
import faults

PAGE = "tests/zoo/failures.md"
FAULTS = {(row.plugin, row.test) for row in faults.table()}
ROWS = ["F%02d" % number for number in range(1, 54)]


def has(root, path, pattern):
    return os.path.exists(os.path.join(root, path)) and re.search(pattern, sources.read(root, path), re.MULTILINE)


def has_method(root, path, name):
    """Is it a method of that very class?"""
    cls, _, method = name.partition(".")
    return has(root, path, r"^class %s\(.*\n(?:(?!class ).*\n)*?    def %s\(" % (re.escape(cls), re.escape(method)))


def is_there(root, reference):
    word, _, rest = reference.partition(" ")
    if re.fullmatch(r"V\d\d", word):
        return (rest, word) in FAULTS
    part, _, name = word.partition(".")
    if part in ("cli", "sdk"):
        return has_method(root, f"tests/{part}/test_{name}.py", rest)
    if part in ("unit", "core"):
        return has(root, f"tests/{part}/{name}.c", r"^TEST(?:_LOOP)?\(%s[,)]" % re.escape(rest))
    return part == "style" and not rest and has(root, f"tests/style/{name}.py", "")


def check(root):
    complaints, rows = [], []
    for number, line in enumerate(sources.read(root, PAGE).split("\n"), 1):
        cells = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if not re.fullmatch(r"F\d\d", cells[0]):
            continue
        rows.append(cells[0])
        references = re.findall(r"`([^`]+)`", cells[-1])
        if len(cells) != 5 or not references:
            complaints.append(f"{PAGE}:{number}: {cells[0]}: no test, or not five columns")
        complaints += [f"{PAGE}:{number}: {cells[0]}: there is no {reference}"
                       for reference in references if not is_there(root, reference)]
    if rows != ROWS:
        complaints.append(f"{PAGE}: rows are not {ROWS[0]} to {ROWS[-1]}, each once and in order")
    return complaints


if __name__ == "__main__":
    sources.main(check)
