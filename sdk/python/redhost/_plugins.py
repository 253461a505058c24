"""Where the plugins of other packages are.

A package names itself by an entry point of the group `redhost.plugins`, whose value is a folder of site-packages, and has its
plugins in that folder's `plugins-1`.  The names are read from the packages' metadata; nothing of theirs is imported.
"""
import os
import sys
from typing import Dict, Iterator, List

GROUP = "redhost.plugins"


def _metadata() -> Iterator[str]:
    """The .dist-info folders that speak of the group.  importlib.metadata alone takes longer to import than all of redhost."""
    for place in sys.path:
        try:
            with os.scandir(place or ".") as entries:
                names = sorted(entry.path for entry in entries if entry.name.endswith((".dist-info", ".egg-info")))
        except OSError:
            continue
        for name in names:
            try:
                with open(os.path.join(name, "entry_points.txt"), "rb") as file:
                    if GROUP.encode() in file.read():
                        yield name
            except OSError:
                pass


def folders() -> List[str]:
    """The folders to search, in the order of sys.path."""
    found: List[str] = []
    for name in _metadata():
        from importlib.metadata import Distribution
        from pathlib import Path
        distribution = Distribution.at(Path(name))
        for entry in distribution.entry_points:
            if entry.group == GROUP:
                found.append(str(distribution.locate_file(os.path.join(*entry.value.split("."), "plugins-1"))))
    return found


def environment() -> Dict[str, str]:
    """This process's environment, in which the program redhost searches them too."""
    given = os.environ.get("REDHOST_PLUGIN_PATH")
    path = ":".join(([given] if given else []) + folders())
    return {**os.environ, "REDHOST_PLUGIN_PATH": path} if path else dict(os.environ)
