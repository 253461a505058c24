"""PyOpenCL's arrays, reduced in their own queue, where they are."""
import ctypes as c
import threading
from typing import Any, Dict, List, Tuple

from . import _abi, _handle
from ._arrays import c_strides, Operand
from ._errors import UsageError
from ._reduce import make_request, scalars, Texts, Way, without_values

# What was prepared, by queue, texts, types and a size of which the next power of two is the most.
_prepared: Dict[Tuple[Any, ...], int] = {}
MOST = 64
_lock = threading.Lock()


def _forget() -> None:
    global _lock
    _lock = threading.Lock()
    _prepared.clear()


_handle.in_child.append(_forget)


def _check(operands: List[Operand]) -> None:
    first = operands[0]
    for o in operands:
        if o.queue is None or o.queue.int_ptr != first.queue.int_ptr:  # type: ignore[union-attr]
            raise UsageError("arrays of PyOpenCL are reduced in their own queue, so all operands, and a mask, are such arrays "
                             "of one queue")
        if o.strides != c_strides(o.shape, o.itemsize):
            raise UsageError("an array of PyOpenCL is reduced where it is, so it has to be contiguous: copy it first, as by "
                             "x.copy()")
        if o.shape != first.shape:
            raise UsageError(f"arrays of PyOpenCL have one shape, and these {first.shape} and {o.shape}")


def _handle_of(o: Operand) -> _handle.Handle:
    return _handle.handle(queue=o.queue)


def _prepare(texts: Texts, operands: List[Operand], n: int, way: Way) -> int:
    most = 1 << (n - 1).bit_length() if n else 1
    handle = _handle_of(operands[0])
    key = (handle.address, without_values(texts), tuple(o.type for o in operands), most, way.strategy)
    found = _prepared.get(key)
    if found is None:
        request, _alive = make_request(texts, [o._replace(at=0) for o in operands], most, Way())
        request.data_on_device, request.unchecked = 1, 0
        request.strategy = way.strategy.encode() if way.strategy else None
        prepared, error = c.c_void_p(), _abi.Error()
        _handle.check(_handle.library().rh_prepare(handle.address, c.byref(request), c.byref(prepared), c.byref(error)), error)
        found = prepared.value or 0
        if len(_prepared) >= MOST:
            _handle.library().rh_prepared_destroy(_prepared.pop(next(iter(_prepared))))
        _prepared[key] = found
    elif texts.let:
        request, _alive = make_request(Texts(let=texts.let), [], 0, Way())
        error = _abi.Error()
        status = _handle.library().rh_prepared_set_constants(found, request.constants, len(texts.let), c.byref(error))
        _handle.check(status, error)
    return found


def whole(texts: Texts, operands: List[Operand], way: Way) -> Tuple[Any, _abi.Result]:
    """One value of arrays on a device, and the library's result."""
    _check(operands)
    if way.check or way.exact:
        raise UsageError("an answer of arrays on a device is not checked, nor exact: bring them to the host, as by x.get()")
    n = operands[0].size
    buffers, first = (c.c_void_p * len(operands))(), (c.c_uint64 * len(operands))()
    for k, o in enumerate(operands):
        buffers[k], first[k] = o.at, o.first
    spec = _abi.CallSpec(struct_size=c.sizeof(_abi.CallSpec), n_operands=len(operands), n=n,
                         buffers=c.addressof(buffers), first=c.addressof(first))
    result, error = _abi.Result(struct_size=c.sizeof(_abi.Result)), _abi.Error()
    with _lock:
        prepared = _prepare(texts, operands, n, way)
        status = _handle.library().rh_prepared_call(prepared, c.byref(spec), c.byref(result), c.byref(error))
    _handle.check(status, error)
    return scalars(result, True), result
