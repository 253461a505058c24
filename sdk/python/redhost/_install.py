"""Where the library and the program are.

One prefix has both, laid out as `cmake --install` makes it: REDHOST_PREFIX, an installed or a built tree, or else the
folder _redhost of this package.
"""
import os

from ._errors import InstallError


def prefix() -> str:
    """The prefix, which may not be there."""
    given = os.environ.get("REDHOST_PREFIX")
    return os.path.abspath(given) if given else os.path.join(os.path.dirname(os.path.abspath(__file__)), "_redhost")


def _found(places: "tuple[str, ...]", what: str) -> str:
    for place in places:
        path = os.path.join(prefix(), place)
        if os.path.exists(path):
            return path
    where = "REDHOST_PREFIX" if os.environ.get("REDHOST_PREFIX") else "the installed package"
    raise InstallError(f"{os.path.join(prefix(), places[0])}: {where} has no {what}; install redhost again, or set "
                       "REDHOST_PREFIX to a tree that has it")


def library() -> str:
    """The path of libredhost."""
    return _found(("lib/libredhost.so.0", "lib/libredhost.so", "lib64/libredhost.so.0"), "library")


def program() -> str:
    """The path of the program redhost."""
    return _found(("bin/redhost",), "program")


def beside_python() -> str:
    """The path of what calls the library without ctypes, or nothing: a prefix that is not of a wheel may be without it."""
    path = os.path.join(prefix(), "lib", "redhost-python.so")
    return path if os.path.exists(path) else ""
