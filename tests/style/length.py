"""length.py ROOT: no function is longer than a screen."""
import sources

MOST = 60


def functions(source):
    """(line, lines, head) of each function: a brace on the outermost level behind a closing parenthesis, and its end.
    extern "C" opens no level; preprocessor lines are left out, as they may hold half a brace pair."""
    text = sources.bare(source).replace('extern "" {', "           ")
    depth, start, head, found, continued = 0, 0, "", [], False
    for number, line in enumerate(text.split("\n"), 1):
        directive = continued or line.lstrip().startswith("#")
        continued = directive and line.endswith("\\")
        if directive:
            continue
        for char in line:
            if char == "{":
                if depth == 0:
                    start = number if head.rstrip().endswith(")") else 0
                depth += 1
            elif char == "}":
                depth -= 1
                if depth == 0:
                    if start:
                        first = start - head.strip().count("\n")
                        found.append((first, number - first + 1, " ".join(head.split())))
                    head = ""
            elif depth == 0:
                head = "" if char == ";" else head + char
        if depth == 0:
            head += "\n"
    return found


def check(root):
    complaints = []
    for path in sources.files(root, ["host", "plugins", "sdk"], (".c", ".h")):
        for line, lines, head in functions(sources.read(root, path)):
            if lines > MOST:
                complaints.append(f"{path}:{line}: {lines} lines, {MOST} at most: {head}")
    return complaints


if __name__ == "__main__":
    sources.main(check)
