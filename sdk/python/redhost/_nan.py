"""The functions that leave out NaN, as those of NumPy's names do."""
from typing import Any, Dict, Optional

from . import _abi, _words
from ._arrays import numpy, operand
from ._errors import UsageError
from ._reduce import Groups, Result
from ._words import Number


def _skip(x: Any, more: Dict[str, Any]) -> Dict[str, Any]:
    """The condition that leaves out NaN, of which integers have none."""
    return {**more, "skip": "!isnan(x)"} if _abi.TYPES[operand(x).type][0] == "f" else more


def nansum(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
           initial: Optional[Number] = None, where: Any = None, **more: Any) -> Any:
    """`sum` of the elements that are not NaN.

    >>> from array import array
    >>> nansum(array("d", [1, float("nan"), 2]))
    3.0
    """
    return _words.sum(x, axis, dtype, out, keepdims, initial, where, **_skip(x, more))


def nanprod(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
            initial: Optional[Number] = None, where: Any = None, **more: Any) -> Any:
    """`prod` of the elements that are not NaN."""
    return _words.prod(x, axis, dtype, out, keepdims, initial, where, **_skip(x, more))


def nanmean(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, where: Any = None,
            **more: Any) -> Any:
    """`mean` of the elements that are not NaN; NaN if there are none."""
    return _words.mean(x, axis, dtype, out, keepdims, where, **_skip(x, more))


def nanvar(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Number = 0, keepdims: bool = False,
           where: Any = None, **more: Any) -> Any:
    """`var` of the elements that are not NaN; NaN if there are none."""
    return _words.var(x, axis, dtype, out, ddof, keepdims, where, **_skip(x, more))


def nanstd(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Number = 0, keepdims: bool = False,
           where: Any = None, **more: Any) -> Any:
    """`std` of the elements that are not NaN; NaN if there are none."""
    return _words.std(x, axis, dtype, out, ddof, keepdims, where, **_skip(x, more))


def _values(found: Any) -> Any:
    """The numbers in an answer of any form."""
    found = found.value if isinstance(found, Result) else found
    return found.values if isinstance(found, Groups) else found


def _with(found: Any, values: Any) -> Any:
    """The same answer with other numbers."""
    if isinstance(found, Result):
        return Result(_with(found.value, values), found.strategy, found.time, found.check, found.bound)
    return found._replace(values=values) if isinstance(found, Groups) else values


def _nan_extreme(op: str, x: Any, axis: Any, out: Any, keepdims: bool, initial: Optional[Number], where: Any,
                 more: Dict[str, Any]) -> Any:
    skipping = _skip(x, more)
    function = getattr(_words, op)
    if skipping is more or initial is not None:
        return function(x, axis, out, keepdims, initial, where, **skipping)
    found = function(x, axis, None, keepdims, None, where, **skipping)
    values = _values(found)
    nothing = float("inf") if op == "min" else float("-inf")
    if (values == nothing).any() if hasattr(values, "any") else values == nothing:  # of nothing, or of infinities only
        rest = {key: word for key, word in more.items() if key in ("by", "offsets")}
        some = _values(_words.sum(x, axis, None, None, keepdims, None, where, map="!isnan(x)", **rest))
        made = numpy().where(some == 0, float("nan"), values).astype(values.dtype)[()] if hasattr(values, "dtype") else (
            values if some else float("nan"))
        found = _with(found, made)
    if out is not None:
        numpy().copyto(out, _values(found), casting="same_kind")
        return _with(found, out)
    return found


def nanmin(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Optional[Number] = None,
           where: Any = None, **more: Any) -> Any:
    """`min` of the elements that are not NaN; NaN if there are none."""
    return _nan_extreme("min", x, axis, out, keepdims, initial, where, more)


def nanmax(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Optional[Number] = None,
           where: Any = None, **more: Any) -> Any:
    """`max` of the elements that are not NaN; NaN if there are none.

    >>> from array import array
    >>> nanmax(array("f", [1, float("nan"), 2]))
    2.0
    """
    return _nan_extreme("max", x, axis, out, keepdims, initial, where, more)


def _nan_index(op: str, x: Any, axis: Any, out: Any, keepdims: bool, where: Any, more: Dict[str, Any]) -> Any:
    found = getattr(_words, op)(x, axis, out, keepdims=keepdims, where=where, **_skip(x, more))
    index = _values(found)
    if (index < 0).any() if hasattr(index, "any") else index < 0:
        raise UsageError("All-NaN slice encountered")
    return found


def nanargmin(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """The index of the first least element that is not NaN; a UsageError, which is a ValueError, if there are none."""
    return _nan_index("argmin", x, axis, out, keepdims, where, more)


def nanargmax(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """The index of the first greatest element that is not NaN; a UsageError, which is a ValueError, if there are none."""
    return _nan_index("argmax", x, axis, out, keepdims, where, more)
