"""form.py ROOT: lines have at most 100 columns, a declaration is not split for its comment, and a statement does one thing."""
import re

import sources

MOST = 100
FOLDERS = ["host", "sdk", "plugins", "kernels", "tests", "lab"]
FROZEN = "tests/sdk/abi-1.0/"  # the source of a binary that is kept
TEXTS = (".c", ".h", ".cl", ".cpp", ".hpp", ".cu")
# What may stand before a statement and is no part of it.
HEAD = re.compile(r"\s*(?:else\b|do\b|(?:if|while|for|switch|\w+_foreach|[A-Z][A-Z_]+)\s*(?=\()|case\b[^:?]*:|default\s*:)")
DECLARATION = re.compile(r"\s*(?:typedef|extern|static|const|struct|enum|union|unsigned|register|volatile|_Alignas|_Atomic)\b|"
                         r"\s*(?:\w+[\s*]+)+\w+\s*(?:[=,\[(:]|$)")
# A type or an open parenthesis alone, and below it the rest with a comment that found no room.
SPLIT = re.compile(r"^([ \t]*)((?:(?:static|const|unsigned|struct|long)[ ]+)*\w+(?:[ ]\*+)?|[^\n/]*\()\n[ \t]+\**[\w)][^\n;{}]*[;,][ \t]*/\*", re.MULTILINE)


def without_directives(text):
    """Preprocessor lines, which may hold half a statement, become blank."""
    out, continued = [], False
    for line in text.split("\n"):
        directive = continued or line.lstrip().startswith("#")
        continued = directive and line.endswith("\\")
        out.append(" " * len(line) if directive else line)
    return "\n".join(out)


def same_length(match):
    return re.sub(r"[^\n]", " ", match.group()) if match.group().startswith("/") else '"' + re.sub(r"[^\n]", "_", match.group()[1:-1]) + '"'


def statements(source):
    """(start, end) of each statement, its ; left out.  Braces of initialisers belong to it."""
    text = without_directives(sources.NOISE.sub(same_length, source))
    start, depth, inside = 0, 0, []
    for k, char in enumerate(text):
        if char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "{":
            before = text[start:k]
            if depth or re.search(r"=|\breturn\b|\benum\b", re.sub(r"\(.*\)", "", before, flags=re.DOTALL)):
                inside.append(depth)
                depth += 1
            else:  # behind a struct's members stands the rest of its declaration
                inside.append((start,) if re.search(r"\b(?:struct|union)\b[^()]*$", before) else None)
                start = k + 1
        elif char == "}":
            opened = inside.pop() if inside else None
            if isinstance(opened, int):
                depth = opened
            else:
                start = opened[0] if opened else k + 1
        elif char == ";" and depth == 0:
            yield text, start, k
            start = k + 1


def beyond(text, start, end):
    """Where the statement itself begins, behind if (...), else and the like."""
    while True:
        match = HEAD.match(text, start, end)
        if not match:
            return start + len(text[start:end]) - len(text[start:end].lstrip())
        start = match.end()
        if text[start:start + 1] == "(":
            depth = 0
            while start < end:
                depth += {"(": 1, ")": -1}.get(text[start], 0)
                start += 1
                if depth == 0:
                    break


def outermost(text, start, end, wanted):
    """The places of the wanted characters outside of all brackets."""
    depth, found = 0, []
    for k in range(start, end):
        if text[k] in "([{":
            depth += 1
        elif text[k] in ")]}":
            depth -= 1
        elif depth == 0 and text[k] in wanted:
            found.append(k)
    return found


def wrong_statements(source):
    """(offset, what) of each statement that is two."""
    for text, start, end in statements(source):
        first = beyond(text, start, end)
        whole = text[first:end]
        if DECLARATION.match(whole) and not whole.startswith(("return", "goto")):
            continue
        if outermost(text, first, end, ","):
            yield first, end, "a comma joins two statements"
        marks = outermost(text, first, end, "?=")
        if marks and text[marks[0]] == "?" and not whole.startswith("return"):
            yield first, end, "a conditional expression stands for an if"


def check(root):
    complaints = []
    for path in sources.files(root, FOLDERS, TEXTS):
        if path.startswith(FROZEN):
            continue
        source = sources.read(root, path)
        for number, line in enumerate(source.split("\n"), 1):
            if len(line) > MOST:
                complaints.append(f"{path}:{number}: {len(line)} columns, {MOST} at most")
        if not path.endswith((".c", ".h")):
            continue
        for match in SPLIT.finditer(source):
            complaints.append(f"{path}:{source.count(chr(10), 0, match.start()) + 1}: split by its comment, which belongs above it")
        for first, _, what in wrong_statements(source):
            complaints.append(f"{path}:{source.count(chr(10), 0, first) + 1}: {what}")
    return complaints


if __name__ == "__main__":
    sources.main(check)
