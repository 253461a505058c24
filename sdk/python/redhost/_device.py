"""PyOpenCL's arrays, reduced in their own queue, where they are."""
import ctypes as c
import threading
from typing import Any, Callable, Dict, List, Optional, Tuple

from . import _abi, _handle
from ._arrays import c_strides, Operand, operand
from ._errors import UsageError
from ._quick import numpy_scalar, on_device
from ._reduce import make_request, scalars, Texts, Way, without_values

# What was prepared: for whole arrays of up to a power of two, or for the segments of one layout.
_prepared: Dict[Tuple[Any, ...], int] = {}
MOST = 64
_lock = threading.Lock()


def _forget() -> None:
    global _lock
    _lock = threading.Lock()
    _prepared.clear()
    _quick.clear()


_handle.in_child.append(_forget)


def check(operands: List[Operand]) -> None:
    """Are all in one queue?"""
    on_device[type(operands[0].owner)] = quick
    for o in operands:
        if o.queue is None or o.queue.int_ptr != operands[0].queue.int_ptr:  # type: ignore[union-attr]
            raise UsageError("arrays of PyOpenCL are reduced in their own queue, so all operands, and a mask, are such arrays "
                             "of one queue")


def _setup(texts: Texts, operands: List[Operand], n: int, way: Way, segments: Optional[_abi.Segmentation],
           key: Tuple[Any, ...]) -> int:
    """What was prepared for this, now or before."""
    handle = _handle.handle(queue=operands[0].queue)
    key = (handle.address, without_values(texts), tuple(o.type for o in operands), n, way.strategy, key)
    found = _prepared.get(key)
    if found is None:
        request, _alive = make_request(texts, [o._replace(at=0) for o in operands], n, Way())
        request.data_on_device, request.unchecked = 1, 0
        request.strategy = way.strategy.encode() if way.strategy else None
        if segments is not None:
            request.segments = c.pointer(segments)
        prepared, error = c.c_void_p(), _abi.Error()
        _handle.check(_handle.library().rh_prepare(handle.address, c.byref(request), c.byref(prepared), c.byref(error)), error)
        found = prepared.value or 0
        if len(_prepared) >= MOST:
            _quick.clear()
            _handle.library().rh_prepared_destroy(_prepared.pop(next(iter(_prepared))))
        _prepared[key] = found
    elif texts.let:
        request, _alive = make_request(Texts(let=texts.let), [], 0, Way())
        error = _abi.Error()
        status = _handle.library().rh_prepared_set_constants(found, request.constants, len(texts.let), c.byref(error))
        _handle.check(status, error)
    return found


def call(texts: Texts, operands: List[Operand], n: int, way: Way, segments: Optional[_abi.Segmentation] = None,
         key: Tuple[Any, ...] = (), outputs: Any = None) -> _abi.Result:
    """One reduction of arrays on a device; the values of segments, which `key` tells from others, go to the outputs."""
    if way.check or way.exact:
        raise UsageError("an answer of arrays on a device is not checked, nor exact: bring them to the host, as by x.get()")
    buffers, first = (c.c_void_p * len(operands))(), (c.c_uint64 * len(operands))()
    for k, o in enumerate(operands):
        buffers[k], first[k] = o.at, o.first
    spec = _abi.CallSpec(struct_size=c.sizeof(_abi.CallSpec), n_operands=len(operands), n=n,
                         buffers=c.addressof(buffers), first=c.addressof(first))
    if segments is not None:
        spec.outputs, spec.n_outputs = outputs, len(outputs)
    result, error = _abi.Result(struct_size=c.sizeof(_abi.Result)), _abi.Error()
    with _lock:
        prepared = _setup(texts, operands, n if segments is not None else _most(n), way, segments, key)
        status = _handle.library().rh_prepared_call(prepared, c.byref(spec), c.byref(result), c.byref(error))
    _handle.check(status, error)
    return result


def _most(n: int) -> int:
    return 1 << (n - 1).bit_length()


# One call on the whole of a contiguous array, by an operator alone: what it needs, by operator, type, queue and size.
_quick: Dict[Tuple[Any, ...], Callable[[int, int, int], Any]] = {}


def _caller(op: str, x: Any, most: int) -> Callable[[int, int, int], Any]:
    o = operand(x)
    prepared = _setup(Texts(op=op), [o], most, Way(), None, ())
    buffer, first = (c.c_void_p * 1)(), (c.c_uint64 * 1)()
    spec = _abi.CallSpec(struct_size=c.sizeof(_abi.CallSpec), n_operands=1, buffers=c.addressof(buffer),
                         first=c.addressof(first))
    result, error = _abi.Result(struct_size=c.sizeof(_abi.Result)), _abi.Error()
    run, spec_at, result_at, error_at = (_handle.library().rh_prepared_call, c.addressof(spec), c.addressof(result),
                                         c.addressof(error))

    def once(at: int, begin: int, n: int) -> Any:
        buffer[0], first[0], spec.n = at, begin, n
        _handle.check(run(prepared, spec_at, result_at, error_at), error)
        value = scalars(result, True)
        return value if op not in ("any", "all") else numpy_scalar("?")(value)
    return once


def quick(op: str, x: Any) -> Any:
    """The value of a whole array of PyOpenCL, or None: the long way has it, or says what is wrong."""
    size, itemsize, queue = int(x.size), x.dtype.itemsize, x.queue
    if size < 1 or queue is None or x.dtype.kind not in "iuf" or x.offset % itemsize or x.strides != c_strides(x.shape, itemsize):
        return None
    most = _most(size)
    key = (op, x.dtype, queue.int_ptr, most)
    with _lock:
        once = _quick.get(key)
        if once is None:
            once = _quick[key] = _caller(op, x, most)
        return once(x.base_data.int_ptr, x.offset // itemsize, size)
