"""pages.py ROOT: pages for readers say what holds, and lead where they say.

A page of docs/, the README and what comes with templates hold no diary (commits, "before"), name no machine that the list of
machines in docs/results/README.md lacks, and have one sentence a line, of at most 200 columns.  Every link leads to a file
and to a heading of it; those of docs/ stay in docs/, which is installed as it is.  A table is in one piece.  Sources name
pages that there are.  What was tried and measured on the way is in lab/notes, where it is dated.
"""
import os
import re

import sources

WIDTH = 200
MACHINES = "docs/results/README.md"
GENERATED = ("docs/extend/abi.md", MACHINES)
DIARY = re.compile(r"\bcommit [0-9a-f]{7,}|\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,9}\b(?=[,.) ])|\bbefore it, with\b|"
                   r"\bon another day\b|\bin turns with the build\b|\bwas measured again\b|\bused to be\b|\bso far it was\b", re.IGNORECASE)
MACHINE = re.compile(r"\b(?:[AHB][12]00|Zen \d|Xeon)\b")
ENDS = re.compile(r"(?<![ (]i\.e)(?<!e\.g)(?<! [A-Z])(?<!^\d)(?<! vs)[.?!]['\")*]*\s+(?=[A-Z`\"*\[(])")
LINK = re.compile(r"\]\(([^)\s]+)\)")
NAMED = re.compile(r"\b(?:docs|lab/notes|tests)/[\w/-]+\.md\b")
NAMING = (".c", ".h", ".cl", ".py", ".sh", ".txt", ".md")
TORN = re.compile(r"^\|.*\n\n\|.*\n(?!\|-)", re.MULTILINE)
FENCE = re.compile(r"^ *```")


def prose(text):
    """(number, line) of what is neither code nor a table."""
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            code = not code
        elif not code and not line.lstrip().startswith("|"):
            yield number, line


def outside_code(text):
    """(number, line), tables too, without what stands in backquotes."""
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        if FENCE.match(line):
            code = not code
        elif not code:
            yield number, re.sub(r"`[^`]*`", "`code`", line)


def anchors(text):
    """The names of the headings, as they are made for links."""
    heads = [match.group(1) for _, line in prose(text) if (match := re.match(r"#+ (.*)", line))]
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def broken_links(root, path):
    for number, line in outside_code(sources.read(root, path)):
        for target in LINK.findall(line):
            if re.match(r"\w+:", target):
                continue
            name, _, anchor = target.partition("#")
            full = os.path.normpath(os.path.join(os.path.dirname(path), name)) if name else path
            if not os.path.exists(os.path.join(root, full)):
                yield f"{path}:{number}: leads nowhere: {target}"
            elif path.startswith("docs/") and not full.startswith("docs/"):
                yield f"{path}:{number}: leads out of docs/, which is installed alone: {target}"
            elif anchor and full.endswith(".md") and anchor not in anchors(sources.read(root, full)):
                yield f"{path}:{number}: {full} has no heading {anchor}"


def wording(path, text, machines):
    for number, line in prose(text):
        if len(line) > WIDTH:
            yield f"{path}:{number}: {len(line)} columns, {WIDTH} at most"
        if path not in GENERATED and not line.startswith("#") and ENDS.search(re.sub(r"`[^`]*`", "`code`", line)):
            yield f"{path}:{number}: one sentence a line: {line.strip()[:60]}"
    for torn in TORN.finditer(text):
        yield f"{path}:{text.count(chr(10), 0, torn.start()) + 2}: an empty line within a table"
    for number, line in outside_code(text):
        found = DIARY.search(line)
        if found:
            yield f"{path}:{number}: a diary's word, for lab/notes: {found.group()}"
        for name in MACHINE.findall(line):
            if name not in machines:
                yield f"{path}:{number}: {MACHINES} does not list this machine: {name}"


def unknown_pages(root):
    """Pages that sources name, and that there are not."""
    for path in sources.files(root, ["host", "kernels", "plugins", "sdk", "tests", "scripts", "docs"], NAMING):
        for number, line in enumerate(sources.read(root, path).split("\n"), 1):
            for name in NAMED.findall(line):
                if path not in ("tests/style/pages.py", "tests/style/test_rules.py") and not os.path.exists(os.path.join(root, name)):
                    yield f"{path}:{number}: there is no {name}"


def check(root):
    pages = sources.files(root, ["docs", "sdk"], (".md",)) + ["README.md"]
    complaints = []
    for path in pages:
        if path != MACHINES:
            complaints += wording(path, sources.read(root, path), sources.read(root, MACHINES))
        complaints += broken_links(root, path)
    for path in ("CONTRIBUTING.md", "CHANGELOG.md"):
        complaints += [c for c in wording(path, sources.read(root, path), "") if " columns, " in c]
        complaints += broken_links(root, path)
    return complaints + list(unknown_pages(root))


if __name__ == "__main__":
    sources.main(check)
