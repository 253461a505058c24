"""What goes wrong, as exceptions with the library's sentence."""
import sys
from typing import Dict, NoReturn, Optional, Type


class Error(Exception):
    """A call failed.  `status` is the library's number for why: see RH_STATUS_LIST in redhost/plugin.h."""

    status = -6

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        if status:
            self.status = status


class UsageError(Error, ValueError):
    """A name, size, shape or expression is malformed or unknown, or the operator has no answer for no elements."""

    status = -20


class Declined(Error):
    """The strategy cannot serve this problem here."""

    status = 1


class DeviceError(Error, RuntimeError):
    """There is no such device, it cannot hold the problem, or OpenCL failed."""

    status = -21


class PluginError(Error, RuntimeError):
    """A plugin or an operator cannot be loaded, or misbehaves."""

    status = -22


class NotAssociative(PluginError):
    """An operator breaks a law that its strategies rely on; the sentence has a counterexample."""


class FileError(Error, OSError):
    """A file, or a partial's bytes, cannot be read or written."""

    status = -23


class WrongResult(Error, ArithmeticError):
    """The check found the strategy's answer to be wrong."""

    status = -24


class NoMemory(Error, MemoryError):
    """There is not enough memory."""

    status = -2


class Cancelled(Error):
    """The call was cancelled."""

    status = -5


class AxisError(UsageError, IndexError):
    """An axis that the array does not have."""


_of_numpy: Optional[Type[AxisError]] = None


def axis_error(message: str) -> AxisError:
    """An AxisError that is NumPy's, too, where NumPy is in use."""
    global _of_numpy
    np = sys.modules.get("numpy")
    if np is None:
        return AxisError(message)
    if _of_numpy is None:
        theirs = getattr(np, "exceptions", np).AxisError
        _of_numpy = type("AxisError", (AxisError, theirs), {
            "__module__": "redhost", "__doc__": AxisError.__doc__, "__reduce__": lambda self: (axis_error, (str(self),))})
    return _of_numpy(message)


class InstallError(Error, ImportError):
    """The library or the program is not where it should be."""

    status = -23


_BY_STATUS: Dict[int, Type[Error]] = {
    1: Declined, -1: UsageError, -2: NoMemory, -3: DeviceError, -4: DeviceError, -5: Cancelled, -20: UsageError,
    -21: DeviceError, -22: PluginError, -23: FileError, -24: WrongResult}


# How the library's sentences about broken operators say it.
_LAWS = ("is not associative", "is not neutral", "does not commute")


def fail(status: int, message: bytes) -> NoReturn:
    """Raises the exception of a status."""
    text = message.decode("utf-8", "replace")
    kind = _BY_STATUS.get(status, Error)
    if kind is PluginError and any(law in text for law in _LAWS):
        kind = NotAssociative
    raise kind(text, status)


for _each in list(globals().values()):  # tracebacks name them as callers do
    if isinstance(_each, type) and issubclass(_each, Error):
        _each.__module__ = "redhost"
