"""layers.py ROOT: includes run downward only.

    cli > tools > library > choose > engine > operators > core

Only host/core/cl calls OpenCL.  host/core is the minimal host: discover, dispatch, validate.  It builds and passes its tests without what stands above it.  The library is
all but tools and cli.  plug, cl, operation and data do not know each other; records knows base, what the figures of choose/measure are, and how choose/tunedb passes keys of JSON.
A folder has one header for others, and may have internal.h for itself.  No two files of host/ call each other.  Everything may use the SDK's headers.  Plugins use those, their own kernels and their own files (plugins/NAME.c and plugins/NAME/) only, and the host knows no plugin.
"""
import os
import re

import sources

BELOW_TOOLS = ("core/*", "operators/*", "engine/*", "choose/*", "library")
# Each folder of host/ that has sources, and those that it may include besides itself; NAME/* is all folders below NAME, and NAME.
BELOW = {
    "core/base": (),
    "core/child": ("core/base",),
    "core/cl": ("core/base",),
    "core/data": ("core/base",),
    "core/operation": ("core/base",),
    "core/plug": ("core/child", "core/base"),
    "core/check": ("core/operation", "core/data", "core/cl", "core/base"),
    "core/run": ("core/*",),
    "operators/expr": ("core/operation", "core/base"),
    "operators/custom": ("core/*", "operators/expr"),
    "operators/algebra": ("core/*", "operators/custom"),
    "operators/catalog": ("core/*", "operators/custom"),
    "operators/foreign": ("core/plug", "core/base"),
    "engine/io": ("core/data", "core/base"),
    "engine/ranks": ("core/*", "operators/custom"),
    "engine/partial": ("core/*", "operators/custom", "engine/ranks"),
    "engine/segments": ("core/*", "operators/custom", "engine/io"),
    "engine/reduction": ("core/*", "operators/custom", "engine/*"),
    "choose/tunedb": ("engine/segments", "core/operation", "core/plug", "core/cl", "core/base"),
    "choose/measure": ("core/*", "operators/*", "engine/segments"),
    "choose": ("core/*", "operators/*", "engine/*", "choose/*"),
    "library": ("core/*", "operators/*", "engine/*", "choose/*"),
    "tools/records": ("core/base", "choose/measure", "choose/tunedb"),
    "tools/plot": ("core/child", "core/base", "tools/records"),
    "tools/isolate": BELOW_TOOLS + ("tools/records",),
    "tools/bench": BELOW_TOOLS + ("tools/isolate", "tools/records"),
    "tools/tune": BELOW_TOOLS + ("tools/bench", "tools/isolate", "tools/records"),
    "tools/verify": BELOW_TOOLS,
    "cli": BELOW_TOOLS + ("tools/*",),
}
OWN_KERNELS = {"prelude.cl.h", "calibration.cl.h", "expressions.cl.h", "rows.cl.h"}
# Loading code at run time stays in one place; path.c asks where the library lies.
MAY_LOAD = {"host/core/base/dl.c", "host/core/base/path.c"}

# OpenCL is opened at run time, by opencl.c, and called there and beside it.
OPENCL = re.compile(r"\b(cl[A-Z]\w*(?=\()|rh_cl\.[A-Z]\w*)")
CALLS_OPENCL = "host/core/cl/"

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">]+)[">]', re.MULTILINE)


def includes(root, path):
    """(line, quoted, name) for each #include."""
    text = sources.uncommented(sources.read(root, path))
    return [(text.count("\n", 0, m.start(2)) + 1, m.group(1) == '"', m.group(2)) for m in INCLUDE.finditer(text)]


def layer(path):
    """The folder below host/ that a file stands in; None for what stands elsewhere."""
    return os.path.dirname(path)[len("host/"):] if path.startswith("host/") else None


def may_use(mine, theirs):
    return any(theirs == name or (name.endswith("/*") and (theirs + "/").startswith(name[:-1])) for name in (mine, *BELOW[mine]))


def wrong_in_host(path, quoted, name):
    mine = layer(path)
    if mine not in BELOW:
        return "is in no layer that tests/style/layers.py knows"
    if name == "dlfcn.h" and path not in MAY_LOAD:
        return "loads code; only host/core/base/dl.c does"
    if name.endswith(".cl.h") and name not in OWN_KERNELS:
        return "includes a plugin's kernel"
    if not quoted or name in OWN_KERNELS:
        return None
    target = os.path.normpath(os.path.join(os.path.dirname(path), name))
    theirs = layer(target)
    if theirs is None:
        return "includes something that is neither in host/ nor <redhost/...>"
    if not may_use(mine, theirs):
        return f"{mine} must not use {theirs}"
    if theirs != mine and os.path.basename(name) == "internal.h":
        return f"internal.h is for {theirs} alone"
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
        return None if name in ("plugin.h", "kit.h", "redhost.h", "exact_lanes.h", "exact_state.h", "control.h") else "a public header includes public headers"
    return "a public header uses the C library only" if "/" in name else None


def circles(root):
    """Two files of which each calls the other are one, or a part of one belongs to the other."""
    defined, named = sources.calls(root, "host")
    below = {path: {defined[name] for name in names if name in defined} - {path} for path, names in named.items()}
    return [f"{path}: calls {other}, which calls it: one of them must not know the other"
            for path in below for other in sorted(below[path]) if path < other and path in below[other]]


def opencl(root):
    complaints = []
    for path in sources.files(root, ["host"], (".c", ".h")):
        for number, line in enumerate(sources.bare(sources.read(root, path)).split("\n"), 1):
            found = OPENCL.search(line)
            if found and (found.group().startswith("cl") or not path.startswith(CALLS_OPENCL)):
                complaints.append(f"{path}:{number}: {found.group()}: only {CALLS_OPENCL} calls OpenCL, through the table of core/cl")
    return complaints


def check(root):
    rules = {"host": wrong_in_host, "plugins": wrong_in_plugin, "sdk": wrong_in_sdk, "transports": wrong_in_transport}
    complaints = []
    for path in sources.files(root, rules, (".c", ".h", ".cpp", ".hpp", ".cu")):
        rule = rules[path.split("/")[0]]
        for line, quoted, name in includes(root, path):
            why = rule(path, quoted, name)
            if why:
                complaints.append(f"{path}:{line}: {name}: {why}")
    return complaints + opencl(root) + circles(root)


if __name__ == "__main__":
    sources.main(check)
