"""Reductions of large arrays, each checked where asked, by OpenCL or on the CPU.

>>> from array import array
>>> import redhost
>>> redhost.sum(array("d", [1, 2, 3]))
6.0
"""
from ._errors import (AxisError, Cancelled, Declined, DeviceError, Error, FileError, InstallError, NoMemory, NotAssociative,
                      PluginError, UsageError, WrongResult)
from ._handle import version
from ._reduce import Groups, Result, Values
from ._words import (all, amax, any, argmax, argmin, asum, count, dot, max, mean, meanvar, min, norm, prod, reduce, std, sum,
                     var)

__version__ = "0.1.0"
__all__ = [
    "AxisError", "Cancelled", "Declined", "DeviceError", "Error", "FileError", "Groups", "InstallError", "NoMemory",
    "NotAssociative", "PluginError", "Result", "UsageError", "Values", "WrongResult", "all", "amax", "any", "argmax",
    "argmin", "asum", "count", "dot", "max", "mean", "meanvar", "min", "norm", "prod", "reduce", "std", "sum", "var",
    "version"]
