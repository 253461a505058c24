"""unused.py ROOT: every function of host/ that other files can call is called by one.

One that only its own file calls is static, unless a test looks at it.  One that nobody calls goes.
"""
import collections
import re

import sources

PUBLIC = "sdk/include/redhost/redhost.h"
PASTED = re.compile(r"\b(rh_\w*)\s*##")


def check(root):
    defined, named = sources.calls(root, "host")
    host = "\n".join(sources.read(root, path) for path in sources.files(root, ["host"], (".c", ".h")))
    tests = "\n".join(sources.read(root, path) for path in sources.files(root, ["tests"], (".c", ".h")))
    spoken = set(re.findall(r"\brh_\w+", tests))
    for path in sources.files(root, ["sdk/include"], (".h",)):
        spoken |= set(re.findall(r"\brh_\w+", sources.read(root, path)) if path == PUBLIC else ())
    for path in sources.files(root, ["host"], (".h",)):
        names = collections.Counter(re.findall(r"\brh_\w+", sources.bare(sources.read(root, path))))
        spoken |= {name for name, times in names.items() if times > 1}  # declared, and called by an inline function
    pasted = tuple(PASTED.findall(host))
    complaints = []
    for name, path in sorted(defined.items()):
        if name in spoken or name.startswith(pasted) or any(name in names for other, names in named.items() if other != path):
            continue
        why = "only its own file calls it: make it static" if named[path][name] > 1 else "nothing calls it"
        complaints.append(f"{path}: {name}(): {why}")
    return complaints


if __name__ == "__main__":
    sources.main(check)
