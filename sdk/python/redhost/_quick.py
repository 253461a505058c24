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
        self.calls: Dict[Tuple[str, Any, bytes], Call] = {}


class Call:
    """A request for one operator on one type, and what makes Python's number of the answer."""

    def __init__(self, slot: Slot, op: str, letter: str, scalar: Callable[[str], Any]) -> None:
        self.op, self.scalar, self.size = op, scalar, _abi.SIZES[_abi.NUMBERS[letter]]
        self.request = _abi.Request(struct_size=c.sizeof(_abi.Request), unchecked=1, type=_abi.NUMBERS[letter],
                                    op=op.encode(), strategy=b"native")
        self.arguments = (c.addressof(self.request), c.addressof(slot.result), c.addressof(slot.error))
        self.handle: Optional[int] = None  # looked up at the first call
        self.run: Any = None
        self.most = NATIVE_BYTES
        self.number: Any = None
        self.convert: Any = None

    def settle(self, slot: Slot) -> Any:
        """Where the answer stands, and its type, which the first answer tells."""
        result = slot.result
        if result.indexed:
            self.number = c.c_uint64.from_buffer(result, _abi.Result.index.offset)
            self.convert = self.scalar("i64")
            return self.convert
        name = _abi.TYPES[result.type]
        place: Any = c.c_double if name[0] == "f" else c.c_int64 if name[0] == "i" else c.c_uint64
        self.number = place.from_buffer(result, _abi.Result.value.offset)
        self.convert = self.truth if self.op in ("any", "all") else self.scalar(name)
        return self.convert

    @property
    def truth(self) -> Any:
        """What any and all give."""
        return bool if self.scalar is python_scalar else sys.modules["numpy"].bool_


class _Thread(threading.local):
    def __init__(self) -> None:
        self.slot: Optional[Slot] = Slot()


_thread = _Thread()
_others = (array.array, memoryview, bytes, bytearray)
_plain: Set[type] = set(_others)


def python_scalar(name: str) -> Any:
    """Python's own numbers."""
    return float if name[0] == "f" else int


def numpy_scalar(name: str) -> Any:
    """NumPy's scalars."""
    return getattr(sys.modules["numpy"], {"f": "float", "i": "int", "u": "uint"}[name[0]] + name[1:])


def know_numpy(np: Any) -> None:
    """From now on arrays of NumPy are plain."""
    _plain.add(np.ndarray)


def _ready(call: Call) -> None:
    call.run = _handle.library().rh_reduce
    call.handle = _handle.handle().address
    if os.environ.get("REDHOST_DEVICE"):
        call.most = 0


def _call(slot: Slot, op: str, x: Any) -> Any:
    view = slot.view
    key = (op, type(x), view.format)
    call = slot.calls.get(key)
    if call is None:
        letter = LETTERS.get(view.format)
        if letter is None:
            return None
        call = slot.calls[key] = Call(slot, op, letter, python_scalar if type(x) in _others else numpy_scalar)
    n = view.len
    if call.handle is None:
        _ready(call)
    if n > call.most or n == 0:
        return None
    request, at = call.request, view.buf
    request.n = n // call.size
    request.data = at
    if at % call.size or call.run(call.handle, *call.arguments):
        return None
    convert = call.convert or call.settle(slot)
    return convert(call.number.value)


def quick(op: str, x: Any) -> Any:
    """The answer, or None: the long way has it, or says what is wrong."""
    if type(x) not in _plain:
        return None
    slot = _thread.slot
    if slot is None:  # a signal's handler calls amid a call
        return None
    _thread.slot = None
    try:
        get_buffer(x, slot.view_at, PLAIN)
        try:
            return _call(slot, op, x)
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
