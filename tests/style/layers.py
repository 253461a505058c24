"""layers.py ROOT: includes run downward only.

    cli > tools: {verify, tune > bench > isolate, plot} > records > measure
        > core: library > choose > {scale, algebra > {operators, cl}, tunedb > {plug, cl}}, scale > reduce > {catalog > {plug > child, operators > {expr, operation}}, cl, io} > base

host/core is the library: it includes nothing of host/tools or host/cli.  plug, cl and io do not know each other, and records knows nothing of the core but base, and of measure what its figures are.
No two files of host/ call each other.  Everything may use the SDK's headers.  Plugins use those, their own kernels and their own files (plugins/NAME.c and plugins/NAME/) only, and the host knows no plugin.
"""
import os
import re

import sources

CORE = {"base", "expr", "operation", "operators", "algebra", "catalog", "child", "io", "plug", "cl", "tunedb", "reduce", "choose", "scale", "library"}
# Each folder of host/core and host/tools, and those that it may include besides itself.
BELOW = {
    "cli": CORE | {"records", "measure", "isolate", "bench", "tune", "verify", "plot"},
    "verify": CORE,
    "tune": CORE | {"bench", "isolate", "measure", "records"},
    "bench": CORE | {"isolate", "measure", "records"},
    "isolate": CORE | {"measure", "records"},
    "plot": {"records", "child", "base"},
    "measure": CORE,
    "records": {"measure", "base"},
    "library": {"operation", "catalog", "scale", "choose", "reduce", "operators", "tunedb", "plug", "cl", "io", "base"},
    "scale": {"operation", "reduce", "catalog", "operators", "plug", "cl", "io", "base"},
    "choose": {"operation", "scale", "reduce", "algebra", "operators", "tunedb", "plug", "cl", "io", "base"},
    "reduce": {"operation", "catalog", "operators", "plug", "child", "cl", "io", "base"},
    "algebra": {"operation", "operators", "expr", "cl", "base"},
    "catalog": {"operation", "operators", "plug", "base"},
    "operators": {"operation", "expr", "base"},
    "operation": {"base"},
    "expr": {"base"},
    "tunedb": {"plug", "cl", "base"},
    "plug": {"child", "base"},
    "child": {"base"},
    "cl": {"base"},
    "io": {"base"},
    "base": set(),
}
OWN_KERNELS = {"prelude.cl.h", "calibration.cl.h", "expressions.cl.h"}
# Loading code at run time stays in one place; path.c asks where the library lies.
MAY_LOAD = {"host/core/plug/dl.c", "host/core/base/path.c", "host/core/cl/nvml.c"}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def includes(root, path):
    """(line, quoted, name) for each #include."""
    text = sources.uncommented(sources.read(root, path))
    return [(text.count("\n", 0, m.start(2)) + 1, m.group(1) == '"', m.group(2)) for m in INCLUDE.finditer(text)]


def layer(path):
    parts = path.split("/")
    if parts[:2] == ["host", "cli"] and len(parts) > 2:
        return "cli"
    return parts[2] if parts[0] == "host" and parts[1] in ("core", "tools") and len(parts) > 3 else None


def wrong_in_host(path, quoted, name):
    mine = layer(path)
    if mine not in BELOW:
        return "is in no layer that tests/style/layers.py knows"
    if name == "dlfcn.h" and path not in MAY_LOAD:
        return "loads code; only host/core/plug/dl.c and host/core/cl/nvml.c do"
    if name.endswith(".cl.h") and name not in OWN_KERNELS:
        return "includes a plugin's kernel"
    if not quoted or name in OWN_KERNELS:
        return None
    target = os.path.normpath(os.path.join(os.path.dirname(path), name))
    theirs = layer(target)
    if theirs is None:
        return "includes something that is neither in host/ nor <redhost/...>"
    if theirs != mine and theirs not in BELOW[mine]:
        return f"{mine} must not use {theirs}"
    return None


def is_own_file(path, name):
    """plugins/NAME.c includes "NAME/part.h"; what stands in plugins/NAME/, "part.h"."""
    own = os.path.splitext(path)[0] if path.count("/") == 1 else os.path.dirname(path)
    target = os.path.normpath(os.path.join(os.path.dirname(path), name))
    return path.startswith("plugins/") and os.path.dirname(target) == own and target.endswith(".h")


def wrong_in_plugin(path, quoted, name):
    if quoted:
        if re.fullmatch(r"[a-z0-9_]+\.cl\.h", name) or is_own_file(path, name):
            return None
        return "a plugin includes <redhost/...>, its own kernels and its own files"
    if "/" in name and not name.startswith("redhost/"):
        return "a plugin uses <redhost/...> and the C library"
    return "a plugin loads no code" if name == "dlfcn.h" else None


def wrong_in_transport(path, quoted, name):
    """A transport opens its library by dlopen, and has none of its headers; sockets are the C library's."""
    if quoted:
        return "a transport includes its own files" if "/" in name else None
    known = "/" not in name or name == "redhost/transport.h" or re.match(r"(sys|net|netinet|arpa)/", name)
    return None if known else "a transport uses <redhost/transport.h> and the C library"


def wrong_in_peer(quoted, name):
    """A program that is compared with redhost has nothing of it but how to talk to it."""
    if quoted:
        return "a peer includes peer.h, its own files and its libraries" if "/" in name else None
    return "a peer uses nothing of redhost" if name.startswith("redhost/") else None


def wrong_in_sdk(path, quoted, name):
    if path.startswith("sdk/peers/"):
        return wrong_in_peer(quoted, name)
    if path.startswith("sdk/transport/"):
        return wrong_in_transport(path, quoted, name)
    if not path.startswith("sdk/include/"):
        return wrong_in_plugin(path, quoted, name)
    if quoted:
        return None if name in ("plugin.h", "kit.h", "redhost.h", "draft/plugin.h", "../plugin.h") else "a public header includes public headers"
    return "a public header uses the C library only" if "/" in name else None


def circles(root):
    """Two files of which each calls the other are one, or a part of one belongs to the other."""
    defined, named = sources.calls(root, "host")
    below = {path: {defined[name] for name in names if name in defined} - {path} for path, names in named.items()}
    return [f"{path}: calls {other}, which calls it: one of them must not know the other"
            for path in below for other in sorted(below[path]) if path < other and path in below[other]]


def check(root):
    rules = {"host": wrong_in_host, "plugins": wrong_in_plugin, "sdk": wrong_in_sdk, "transports": wrong_in_transport}
    complaints = []
    for path in sources.files(root, rules, (".c", ".h", ".cpp", ".hpp", ".cu")):
        rule = rules[path.split("/")[0]]
        for line, quoted, name in includes(root, path):
            why = rule(path, quoted, name)
            if why:
                complaints.append(f"{path}:{line}: {name}: {why}")
    return complaints + circles(root)


if __name__ == "__main__":
    sources.main(check)
