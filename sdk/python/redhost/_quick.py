"""One call on the whole of a plain array, which is what most calls are: nothing is made anew but the answer."""
import array
import ctypes as c
import os
import sys
import threading
from typing import Any, Callable, Dict, Optional, Set, Tuple

from . import _abi, _handle
from ._arrays import Buffer, get_buffer, PLAIN, release_buffer

# Up to here a device with memory of its own cannot win, and looking for one would take longer than the reduction.
NATIVE_BYTES = 16 << 20

LETTERS: Dict[bytes, str] = {b"b": "i8", b"B": "u8", b"h": "i16", b"H": "u16", b"i": "i32", b"I": "u32", b"q": "i64",
                             b"Q": "u64", b"e": "f16", b"f": "f32", b"d": "f64"}
LETTERS[b"l"], LETTERS[b"L"] = ("i64", "u64") if c.sizeof(c.c_long) == 8 else ("i32", "u32")


class Slot:
    """What the calls of a thread use, one at a time."""

    def __init__(self) -> None:
        self.view = Buffer()
        self.view_at = c.addressof(self.view)
        self.error = _abi.Error()
        self.result = _abi.Result(struct_size=c.sizeof(_abi.Result))
        self.calls: Dict[Tuple[str, type, bytes], Callable[[int, int], Any]] = {}


def _place(result: _abi.Result) -> Tuple[Any, str]:
    """Where the answer stands, and its type."""
    if result.indexed:
        return c.c_uint64.from_buffer(result, _abi.Result.index.offset), "i64"
    name = _abi.TYPES[result.type]
    kind: Any = c.c_double if name[0] == "f" else c.c_int64 if name[0] == "i" else c.c_uint64
    return kind.from_buffer(result, _abi.Result.value.offset), name


def _caller(slot: Slot, op: str, letter: str, scalar: Callable[[str], Any]) -> Callable[[int, int], Any]:
    """What reduces the bytes at an address by one operator, with all that it needs in its own variables."""
    request = _abi.Request(struct_size=c.sizeof(_abi.Request), unchecked=1, type=_abi.NUMBERS[letter], op=op.encode(),
                           strategy=b"native")
    run, handle = _handle.library().rh_reduce, _handle.handle().address
    request_at, result_at, error_at = c.addressof(request), c.addressof(slot.result), c.addressof(slot.error)
    shift = _abi.SIZES[_abi.NUMBERS[letter]].bit_length() - 1
    most = 0 if os.environ.get("REDHOST_DEVICE") else NATIVE_BYTES
    number: Any = None
    convert: Any = None

    def call(at: int, n_bytes: int) -> Any:
        nonlocal number, convert
        if not 0 < n_bytes <= most:
            return None
        request.n = n_bytes >> shift
        request.data = at
        if run(handle, request_at, result_at, error_at):
            return None
        if convert is None:
            number, name = _place(slot.result)
            convert = scalar("?" if op in ("any", "all") else name)
        return convert(number.value)
    return call


class _Thread(threading.local):
    def __init__(self) -> None:
        self.slot: Optional[Slot] = Slot()


_thread = _Thread()
_others = (array.array, memoryview, bytes, bytearray)
_plain: Set[type] = set(_others)
# Who has the answer for whole arrays of classes whose memory is a device's.
on_device: Dict[type, Callable[[str, Any], Any]] = {}


def python_scalar(name: str) -> Any:
    """Python's own numbers."""
    return {"f": float, "?": bool}.get(name[0], int)


def numpy_scalar(name: str) -> Any:
    """NumPy's scalars."""
    return getattr(sys.modules["numpy"], {"f": "float", "i": "int", "u": "uint", "?": "bool_"}[name[0]] + name[1:])


def know_numpy(np: Any) -> None:
    """From now on arrays of NumPy are plain."""
    _plain.add(np.ndarray)


def _new(slot: Slot, op: str, x: Any, letter: bytes) -> Callable[[int, int], Any]:
    name = LETTERS.get(letter)
    if name is None:
        return lambda at, n_bytes: None
    return _caller(slot, op, name, python_scalar if type(x) in _others else numpy_scalar)


def quick(op: str, x: Any) -> Any:
    """The answer, or None: the long way has it, or says what is wrong."""
    kind = type(x)
    if kind not in _plain:
        elsewhere = on_device.get(kind)
        return elsewhere(op, x) if elsewhere else None
    slot = _thread.slot
    if slot is None:  # a signal's handler calls amid a call
        return None
    _thread.slot = None
    try:
        get_buffer(x, slot.view_at, PLAIN)
        try:
            view = slot.view
            letter = view.format
            key = (op, kind, letter)
            call = slot.calls.get(key)
            if call is None:
                call = slot.calls[key] = _new(slot, op, x, letter)
            return call(view.buf, view.len)
        finally:
            release_buffer(slot.view_at)
    except (BufferError, ValueError):
        return None
    finally:
        _thread.slot = slot


def forget() -> None:
    """The handles of before fork() are the parent's."""
    _thread.slot = Slot()


_handle.in_child.append(forget)
