"""Reads sdk/include/redhost/plugin.h: what it defines, in its order, each with its comment.  For abi-reference and for
tests/sdk/test_abi.py, which checks that nothing escapes this reader: structs have no gap that it does not know."""
import re

HEADING = re.compile(r"/\* ---- (.*?) ----(.*?)\*/", re.DOTALL)
COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
DEFINE = re.compile(r"#define (RH_\w+)[ \t]+(\S[^\n]*)")
LIST = re.compile(r"#define RH_(\w+)_LIST\(X\)\s*\\\n((?:[^\n]*\\\n)*[^\n]*)")
STRUCT = re.compile(r"(?:typedef )?struct (\w+) \{(.*?)\n\}[^;]*;", re.DOTALL)
ENUM = re.compile(r"enum \{([^}#]*)\};")
FUNCTION = re.compile(r"\(\*(\w+)\)\s*\(")


class Field:
    def __init__(self, name, declaration, doc):
        self.name, self.declaration, self.doc = name, declaration, doc
        self.is_function = "(*" in declaration


class Struct:
    def __init__(self, name, fields, doc):
        self.name, self.fields, self.doc = name, fields, doc


class Rows:
    """An X-macro list: rows of strings."""
    def __init__(self, name, rows, doc):
        self.name, self.rows, self.doc = name, rows, doc


class Constant:
    """before: the comment above it, which speaks for those that follow too."""
    def __init__(self, name, value, doc="", before=""):
        self.name, self.value, self.doc, self.before = name, value, doc, before


class Section:
    def __init__(self, title, doc):
        self.title, self.doc, self.items = title, doc, []


def plain(comment):
    """A comment's text without what makes it a comment."""
    first, *rest = comment.strip().split("\n")
    return "\n".join([first.rstrip()] + [re.sub(r"^\s*\*? ?", "", line).rstrip() for line in rest]).strip()


def one_line(comment):
    return " ".join(plain(comment).split())


def without_comments(text):
    return COMMENT.sub(" ", text)


def names_of(declaration):
    """`uint64_t first, n` declares two; a pointer to a function one."""
    function = FUNCTION.search(declaration)
    if function:
        return [function.group(1)]
    return [re.search(r"(\w+)(\[\w+\])?$", part.strip()).group(1) for part in declaration.split(",")]


def single(declaration, name):
    """The declaration of one of several names: `uint64_t first, n` gives `uint64_t n`."""
    if "(*" in declaration or "," not in declaration:
        return declaration
    parts = [part.strip() for part in declaration.split(",")]
    base = re.match(r"(.*?)\**\w+(\[\w+\])?$", parts[0]).group(1)
    return next(part if part is parts[0] else base + part for part in parts
                if re.fullmatch(r"(.*\W)?" + name + r"(\[\w+\])?", part))


def parse_fields(body):
    fields, before, at, last = [], "", 0, []
    token = re.compile(r"/\*(.*?)\*/|([^;/]+);", re.DOTALL)
    for match in token.finditer(body):
        between = body[at:match.start()]
        if between.strip():
            raise ValueError(f"cannot read {between.strip()!r}")
        at = match.end()
        if match.group(1) is not None:
            text = one_line(match.group(1))
            if last and "\n" not in between:
                for field in last:
                    field.doc = (field.doc + " " + text).strip()
            else:
                before, last = (before + " " + text).strip(), []
            continue
        declaration = " ".join(match.group(2).split())
        last = [Field(name, single(declaration, name), before) for name in names_of(declaration)]
        fields += last
        before = ""
    if body[at:].strip():
        raise ValueError(f"cannot read {body[at:].strip()!r}")
    return fields


def parse_rows(text):
    rows = re.findall(r"X\(((?:[^()\"]|\"[^\"]*\")*)\)", text.replace("\\\n", "\n"))
    return [[cell.strip('"') for cell in re.findall(r'\s*("[^"]*"|[^,]*[^,\s])', row)] for row in rows]


def trailing_comment(value):
    comment = COMMENT.search(value)
    return COMMENT.sub("", value).strip(), one_line(comment.group(1)) if comment else ""


def scan(section, text):
    """Everything that a section defines, in the order of its text."""
    found, doc, covered = [], {}, []
    for match in COMMENT.finditer(text):
        doc[match.end()] = match
    def comment_before(start):
        gap = re.search(r"\s*$", text[:start]).start()
        if gap not in doc or text[gap:start].count("\n") != 1:
            return ""
        line = text.rfind("\n", 0, doc[gap].start()) + 1  # one behind a definition belongs to that
        return "" if text[line:doc[gap].start()].strip() else plain(doc[gap].group(1))
    for match in STRUCT.finditer(text):
        found.append((match.start(), Struct(match.group(1), parse_fields(match.group(2)), comment_before(match.start()))))
        covered.append((match.start(), match.end()))
    for match in LIST.finditer(text):
        found.append((match.start(), Rows(match.group(1), parse_rows(match.group(2)), comment_before(match.start()))))
        covered.append((match.start(), match.end()))
    for match in ENUM.finditer(text):
        for name, value in re.findall(r"(RH_\w+) = (\w+)", match.group(1)):
            found.append((match.start(), Constant(name, value)))
    for match in DEFINE.finditer(text):
        if any(begin <= match.start() < end for begin, end in covered) or match.group(1) in ("RH_X", "RH_EXPORT"):
            continue
        whole = match.group(2)
        if "/*" in whole and "*/" not in whole:
            whole = text[match.start(2):text.index("*/", match.start(2)) + 2]
        value, after = trailing_comment(whole)
        found.append((match.start(), Constant(match.group(1), value, after, comment_before(match.start()))))
    section.items = [item for _, item in sorted(found, key=lambda pair: pair[0])]


def parse(text):
    """The sections of the header; the first one has the file's own comment, without its first line."""
    headings = list(HEADING.finditer(text))
    head = COMMENT.search(text)
    sections = [Section("", plain(head.group(1)))]
    scan(sections[0], text[head.end():headings[0].start()])
    for heading, following in zip(headings, headings[1:] + [None]):
        section = Section(heading.group(1), re.sub(r"^\* ", "", plain(heading.group(2))))
        scan(section, text[heading.end():following.start() if following else len(text)])
        sections.append(section)
    return sections


PRELUDE_FUNCTION = re.compile(r"^(?:static inline|__kernel) ([^;{}]*?)\s*\{", re.MULTILINE)
NOT_FOR_KERNELS = {"rh_compose", "rh_vector_of", "rh_operands_of", "rh_map_at", "rh_vector_read", "rh_rows_join"}  # what others in the prelude are made of


def parse_prelude(text):
    """A file of kernels/prelude: the comment it begins with, and (signature, comment) of each function in it."""
    head = COMMENT.match(text)
    comments = {match.end(): match for match in COMMENT.finditer(text)}
    functions = {}
    for match in PRELUDE_FUNCTION.finditer(text):
        signature = " ".join(match.group(1).split())
        comment = comments.get(match.start() - 1)
        name = re.search(r"(\w+)\(", signature).group(1)
        if name not in NOT_FOR_KERNELS and signature not in functions:
            functions[signature] = one_line(comment.group(1)) if comment else ""
    return plain(head.group(1)), list(functions.items())


def as_in_1_0(signature):
    """For all operators that a plugin of 1.0 gets to see, rh_operands is another name of this type."""
    return signature.replace("rh_operands ", "__global const rh_element *")


def items(sections, kind):
    return [item for section in sections for item in section.items if isinstance(item, kind)]


def layout(sections):
    """(struct, field): bytes before it, as the header pins them."""
    rows = next(item.rows for item in items(sections, Rows) if item.name.endswith("LAYOUT"))
    return {(struct, field): int(at) for struct, field, at in rows}
