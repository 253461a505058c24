"""The faults of the zoo, and the test of --verify that catches each.

A source says it in the comment of a fault, or in its summary: `V56: what is wrong', or `V31 timeout: what is wrong' where the expected verdict is
another than `fail'.  caught-by.txt has a row for what no such comment is about."""

import collections
import os
import re

HERE = os.path.dirname(os.path.realpath(__file__))

Row = collections.namedtuple("Row", "plugin test verdicts does")
KIND = re.compile(r"^(?:KIND|BUT_[A-Z]+|(?:RIGHT|OWN|CANONICAL|SERVES)_(?:BUT|AS)(?:_FOR)?|IN_[A-Z]+|ON_HOST|PROBE|OPEN|GATHER|ABORT|CLOSE|VARIANT)\((?:\n *)?(\w+)(,\s*\"[^\"]*\")?", re.M)
SAID = re.compile(r"(?:/\* |\")(V\d\d)(?: ([a-z|]+))?: ((?:.|\n)*?)(?:\*/|\")")


def sources():
    """The source of each FOLDER/NAME, and what stands there of it: a source may have many."""
    found = {}
    for at, _, names in os.walk(HERE):
        for name in names:
            if name.endswith(".c"):
                folder = os.path.relpath(at, HERE)
                with open(os.path.join(at, name), encoding="utf-8") as source:
                    text = source.read()
                kinds = list(KIND.finditer(text))
                if len(kinds) < 2:
                    found[folder + "/" + name[:-2]] = name[:-2], text
                for before, match in zip([0] + [kind.end() for kind in kinds], kinds if len(kinds) > 1 else []):
                    file = match.group(1) if match.group().startswith("VARIANT") else name[:-2]
                    found.setdefault(folder + "/" + match.group(1), (file, text[before:match.start()] + (match.group(2) or "")))
    return found


def table():
    """A row for each; two for what is named twice."""
    rows = []
    with open(os.path.join(HERE, "caught-by.txt"), encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                plugin, test, verdicts, does = line.split(None, 3)
                rows.append(Row(plugin, test, set(verdicts.split("|")), does.strip()))
    for plugin, (_, text) in sources().items():
        for test, verdicts, does in SAID.findall(text)[-1:]:
            rows.append(Row(plugin, test, set((verdicts or "fail").split("|")), re.sub(r"\s*\n \*\s*", " ", does).strip()))
    return sorted(rows)


if __name__ == "__main__":
    for row in table():
        print("%-32s %s  %-12s %s" % (row.plugin, row.test, "|".join(sorted(row.verdicts)), row.does))
