"""What redhost/plugin.h promises, as text: one line for each struct, field, constant and list row, by a compiler and by
reading the header.  And what is wrong with such a text, compared with that of an earlier version."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import abi_header  # noqa: E402

# All of the lists that make constants: how their constants are called, and what else a row says.
LISTS = {
    "STATUS": ("%s", None),
    "TYPE": ("RH_TYPE_%s", "%s"),
    "OP": ("RH_OP_%s", "%s"),
    "WHY": ("RH_WHY_%s", None),
}


class Broken(Exception):
    """The header does not compile, or is written in a form that cannot be checked."""


def check_read_all(text, structs):
    """Every struct that the header defines was read."""
    bodies = re.findall(r"\b(?:struct|union)\s+(\w*)\s*\{", abi_header.without_comments(text))
    if bodies != [struct.name for struct in structs]:
        raise Broken("structs %s, but only %s can be read" % (bodies, [struct.name for struct in structs]))


def program(sections, structs):
    """Prints (name, value) pairs that only a compiler knows."""
    values = []
    for struct in structs:
        values.append((f"sizeof {struct.name}", f"sizeof({struct.name})"))
        for field in struct.fields:
            where = f"{struct.name}.{field.name}"
            values += [(f"offsetof {where}", f"offsetof({struct.name}, {field.name})"),
                       (f"sizeof {where}", f"sizeof((({struct.name} *)0)->{field.name})")]
    for constant in abi_header.items(sections, abi_header.Constant):
        if not constant.value.startswith('"'):
            values.append((f"value {constant.name}", constant.name))
    for rows in abi_header.items(sections, abi_header.Rows):
        if rows.name == "LAYOUT":
            continue
        name, extra = LISTS[rows.name]  # a list that is not known here: say what its rows make
        if len({row[1] for row in rows.rows}) != len(rows.rows):
            raise Broken(f"a number stands twice in RH_{rows.name}_LIST")
        for row in rows.rows:
            values.append((f"value {name % row[0]}", name % row[0]))
            if extra:
                values.append((f"extra {name % row[0]}", extra % row[2]))
    lines = "".join(f'  printf("{name}=%lld\\n", (long long)({value}));\n' for name, value in values)
    return "#include <redhost/plugin.h>\n#include <stdio.h>\nint main(void) {\n" + lines + "  return 0;\n}\n"


def ask_compiler(compiler, source, header):
    with tempfile.TemporaryDirectory(prefix="redhost-abi-") as folder:
        os.mkdir(os.path.join(folder, "redhost"))
        for path, text in (("redhost/plugin.h", header), ("abi.c", source)):
            with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run([compiler, "-std=c11", "-I", folder, "-o", os.path.join(folder, "abi"), os.path.join(folder, "abi.c")],
                              capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Broken(next((line for line in done.stderr.splitlines() if "error" in line), done.stderr))
        out = subprocess.run([os.path.join(folder, "abi")], capture_output=True, text=True, check=True).stdout
    return dict(line.split("=") for line in out.splitlines())


def describe(compiler, header):
    """The description of a header, from its text."""
    try:
        sections = abi_header.parse(header)
    except (ValueError, AttributeError, StopIteration) as problem:
        raise Broken(f"cannot be read: {problem}") from problem
    structs = abi_header.items(sections, abi_header.Struct)
    check_read_all(header, structs)
    known = ask_compiler(compiler, program(sections, structs), header)
    pinned = abi_header.layout(sections)
    lines = []
    for struct in structs:
        lines.append(f"struct {struct.name} {known['sizeof ' + struct.name]}")
        end = 0
        for field in struct.fields:
            where = f"{struct.name}.{field.name}"
            at, size = int(known["offsetof " + where]), int(known["sizeof " + where])
            if at != end:
                raise Broken(f"{where} stands at {at}, the field before it ends at {end}: something is hidden in between")
            if (struct.name, field.name) not in pinned:
                raise Broken(f"{where} is not in RH_LAYOUT_LIST")
            end = at + size
            lines.append(f"field {where} {at} {size} {field.declaration}")
        if end != int(known["sizeof " + struct.name]):
            raise Broken(f"{struct.name} is {known['sizeof ' + struct.name]} bytes, its fields end at {end}")
    for name, value in known.items():
        kind, what = name.split(" ")
        if kind == "value":
            extra = known.get(f"extra {what}")
            lines.append(f"constant {what} {value}" + (f" {extra}" if extra else ""))
    lines += [f"constant {constant.name} {constant.value}" for constant in abi_header.items(sections, abi_header.Constant)
              if constant.value.startswith('"')]
    symbol = re.search(r"^extern RH_EXPORT .*;", abi_header.without_comments(header), re.MULTILINE)
    lines.append("symbol " + " ".join(symbol.group(0).split()))
    return lines


# Grows with the ABI itself, and arrays of it have no stride.
GROWS, NEVER_GROWS = "constant RH_ABI_MINOR", "rh_arg"


def complaints(golden, lines):
    """What of `golden` is no longer so, and what was added where nothing may be."""
    have, found = set(lines), []
    now = {line.split()[1]: line for line in lines}
    for line in golden:
        words = line.split()
        if line in have or line.startswith(GROWS):
            continue
        grown = words[0] == "struct" and words[1] != NEVER_GROWS and words[1] in now and \
            int(now[words[1]].split()[2]) > int(words[2])
        if not grown:
            found.append(f"it says `{line}', the header {'`' + now[words[1]] + chr(39) if words[1] in now else 'nothing'}")
    old = {line.split()[1] for line in golden}
    added = [line for line in lines if line.startswith("field") and line.split()[1] not in old]
    minor = next(line for line in lines if line.startswith(GROWS))
    if added and minor in golden:
        found.append(f"`{added[0]}' was added, and RH_ABI_MINOR is what it was")
    return found
