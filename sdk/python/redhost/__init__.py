"""Reductions of large arrays, each checked where asked, by OpenCL or on the CPU.

>>> from array import array
>>> import redhost
>>> redhost.sum(array("d", [1, 2, 3]))
6.0
"""
from typing import TYPE_CHECKING

from ._errors import (AxisError, Cancelled, Declined, DeviceError, Error, FileError, InstallError, NoMemory, NotAssociative,
                      PluginError, UsageError, WrongResult)
from ._handle import version
from ._reduce import Groups, Result, Values
from ._words import (all, amax, any, argmax, argmin, asum, count, dot, max, mean, meanvar, min, norm, prod, reduce, std, sum,
                     var)

if TYPE_CHECKING:
    from ._nan import nanargmax, nanargmin, nanmax, nanmean, nanmin, nanprod, nanstd, nansum, nanvar
    from ._partial import Partial, partial
    from ._prepared import Prepared, prepare
    from ._program import bench, compare, devices, operators, plot, strategies, tune, verify_op

__version__ = "0.1.0"
__all__ = [
    "AxisError", "Cancelled", "Declined", "DeviceError", "Error", "FileError", "Groups", "InstallError", "NoMemory",
    "NotAssociative", "Partial", "PluginError", "Prepared", "Result", "UsageError", "Values", "WrongResult", "all", "amax",
    "any", "argmax", "argmin", "asum", "bench", "compare", "count", "devices", "dot", "max", "mean", "meanvar", "min",
    "nanargmax", "nanargmin", "nanmax", "nanmean", "nanmin", "nanprod", "nanstd", "nansum", "nanvar", "norm", "operators",
    "partial", "plot", "prepare", "prod", "reduce", "std", "strategies", "sum", "tune", "var", "verify_op", "version"]

# What the first sum does not need is imported when it is asked for.
_LATER = {name: module for module, names in (
    ("_nan", "nanargmax nanargmin nanmax nanmean nanmin nanprod nanstd nansum nanvar"), ("_partial", "Partial partial"),
    ("_prepared", "Prepared prepare"), ("_program", "bench compare devices operators plot strategies tune verify_op"))
    for name in names.split()}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'redhost' has no attribute {name!r}")
    from importlib import import_module
    value: object = getattr(import_module("." + _LATER[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return sorted(__all__)
