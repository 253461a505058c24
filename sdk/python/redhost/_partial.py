"""Partials: what a run of elements comes to, as bytes that travel."""
import ctypes as c
from typing import Any, Mapping, Optional, Tuple, Type, Union

from . import _abi, _handle
from ._arrays import packed
from ._errors import UsageError
from ._layout import broadcast
from ._reduce import make_request, scalars, strategies_of, Texts, Way
from ._run import gather, Words
from ._words import constants, settings_of


class Partial:
    """What some elements of a whole come to.  It is pickled, and bytes(p) is what `redhost --merge` reads.

    Partial(bytes) has it back.  Bytes of an operator in OpenCL C hold a program, which merging runs: take them from
    nobody whom you do not trust.
    """

    __slots__ = ("_bytes",)

    def __init__(self, data: bytes) -> None:
        self._bytes = bytes(data)

    def merge(self, *others: "Partial") -> "Partial":
        """This and others, in any order and with any gaps, as one."""
        all_of_them = (self, *others)
        for one in all_of_them:
            if not isinstance(one, Partial):
                raise TypeError(f"a Partial is merged with Partials, and this is {type(one).__name__}")
        n = len(all_of_them)
        parts = (c.c_char_p * n)(*[one._bytes for one in all_of_them])
        sizes = (c.c_uint64 * n)(*[len(one._bytes) for one in all_of_them])
        merged, size, error = c.c_void_p(), c.c_uint64(), _abi.Error()
        status = _handle.library().rh_merge_parts(_handle.handle().address, c.addressof(parts), c.addressof(sizes), n,
                                                  c.byref(merged), c.byref(size), c.byref(error))
        _handle.check(status, error)
        return Partial(_taken(merged, size))

    __add__ = merge

    @property
    def value(self) -> Any:
        """The answer, with the bits of one call on the whole; FileError where elements are missing."""
        result, error = _abi.Result(struct_size=c.sizeof(_abi.Result)), _abi.Error()
        status = _handle.library().rh_part_result(_handle.handle().address, self._bytes, len(self._bytes), c.byref(result),
                                                  c.byref(error))
        _handle.check(status, error)
        return scalars(result, False)

    def __bytes__(self) -> bytes:
        return self._bytes

    def __reduce__(self) -> Tuple[Type["Partial"], Tuple[bytes]]:
        return Partial, (self._bytes,)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Partial) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    def __repr__(self) -> str:
        return f"<redhost.Partial of {len(self._bytes)} bytes>"


def _taken(part: c.c_void_p, size: c.c_uint64) -> bytes:
    try:
        return c.string_at(part, size.value)
    finally:
        _handle.library().rh_part_free(part)


def partial(x: Any, op: str = "sum", *, first: int = 0, whole: int = 0, map: Optional[str] = None, where: Any = None,
            reduce: Optional[str] = None, identity: Optional[Union[str, int, float]] = None,
            finalize: Optional[str] = None, let: Optional[Mapping[str, Union[int, float]]] = None, commutes: bool = False,
            strategy: Optional[str] = None, settings: Optional[Mapping[str, object]] = None, device: Optional[str] = None,
            accuracy: Optional[str] = None, check: bool = False) -> Partial:
    """What the elements of x, in C order, come to, as elements first, first + 1, ... of a whole.

    whole: how many elements it has, which maps that use n need.  The other arguments are those of `reduce`.

    >>> from array import array
    >>> p = partial(array("d", [1, 2]), "sum").merge(partial(array("d", [3, 4]), "sum", first=2))
    >>> p.value
    10.0
    """
    if first < 0 or whole < 0:
        raise UsageError("first and whole count elements, from 0")
    texts = Texts(op=None if reduce else op, map=map, reduce=reduce, identity=None if identity is None else str(identity),
                  finalize=finalize, commutes=commutes, let=constants(let), settings=settings_of(settings))
    way = Way(None if strategy == "auto" else strategy, device, check, accuracy == "exact")
    operands, texts = gather(x, texts, Words(where=where))
    operands = [packed(o) for o in broadcast(operands)]
    n = operands[0].size
    request, _alive = make_request(texts, operands, n, way)
    part, size, error = c.c_void_p(), c.c_uint64(), _abi.Error()
    for request.strategy in strategies_of(request, way, n * sum(o.itemsize for o in operands)):
        with _handle.interruptible():
            status = _handle.library().rh_reduce_part(_handle.handle(device).address, c.byref(request), first, whole,
                                                      c.byref(part), c.byref(size), c.byref(error))
        if status != 1:
            break
    _handle.check(status, error)
    return Partial(_taken(part, size))
