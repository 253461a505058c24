"""One call on the whole of a plain array, which is what most calls are, by sdk/python/call.c."""
import array
import ctypes as c
import os
import sys
import threading
from typing import Any, Callable, Dict, Optional, Tuple

from . import _abi, _handle, _install

NATIVE_BYTES = 16 << 20  # an expression of more may be worth a device
_MOST_BYTES = 1 << 30  # a tenth of a second, which nobody interrupts; what takes longer goes the long way, which can be
_NAMES = {"f": "float", "i": "int", "u": "uint"}


def numpy_scalar(name: str) -> Any:
    """NumPy's scalars, by redhost's name of a type, or `?`."""
    return getattr(sys.modules["numpy"], "bool_" if name == "?" else _NAMES[name[0]] + name[1:])


_beside: Any = None
_looking = threading.Lock()


def _found() -> Any:
    """What sdk/python has in C, if the prefix has it."""
    global _beside
    if _beside is None:
        path = _install.beside_python()
        with _looking:
            if path and _beside is None:
                _beside = _declared(c.PyDLL(path))
    return _beside


def _declared(found: c.PyDLL) -> c.PyDLL:
    found.redhost_python_class.argtypes = [c.py_object, c.py_object, c.py_object, c.c_void_p]
    found.redhost_python_library.argtypes = [c.c_void_p, c.c_void_p, c.c_int64]
    found.redhost_python_call.argtypes = [c.py_object]
    found.redhost_python_prepared.argtypes = [c.c_void_p, c.c_void_p, c.c_uint32]
    found.redhost_python_close.argtypes = [c.py_object]
    found.redhost_python_again.argtypes = [c.c_void_p, c.py_object]
    for made in (found.redhost_python_call, found.redhost_python_prepared, found.redhost_python_again):
        made.restype = c.py_object
    for kind in (array.array, memoryview, bytes, bytearray):
        found.redhost_python_class(kind, None, None, None)
    return found


def beside(name: str) -> Any:
    """A function of it that is called without Python's lock, or None."""
    return getattr(c.CDLL(_install.beside_python()), name) if _found() else None


def _is_without_lock() -> bool:
    """Is this a Python whose threads run at the same time?"""
    return "t" in getattr(sys, "abiflags", "")


def know_numpy(np: Any) -> None:
    """From now on arrays of NumPy are plain."""
    global _numpy
    found = _found()
    if _numpy is None and found is not None:
        _numpy = np
        scalars = tuple(numpy_scalar(name or "?") for name in _abi.TYPES)
        cells = tuple(np.zeros((), scalar) for scalar in scalars)
        at = (c.c_void_p * len(cells))(*[cell.ctypes.data for cell in cells])
        has_lock = not _is_without_lock()
        found.redhost_python_class(np.ndarray, scalars, cells if has_lock else None, at)


_numpy: Any = None
_open: Optional[int] = None  # the handle that it has


def _address(name: str) -> Optional[int]:
    return c.cast(getattr(_handle.library(), name), c.c_void_p).value


def ready(address: Optional[int]) -> None:
    """The default device's handle is open, or with None of no use any more."""
    global _open
    found = _found()
    if found is not None and address != _open:
        _open = address
        most = 0 if os.environ.get("REDHOST_DEVICE") else _MOST_BYTES
        found.redhost_python_library(_address("rh_reduce"), address, most)


def _nothing(_x: Any) -> Any:
    return None


class _Calls(Dict[str, Callable[[Any], Any]]):
    """By an operator's name what reduces an array, or gives None."""

    def __missing__(self, op: str) -> Callable[[Any], Any]:
        found = _found()
        call: Callable[[Any], Any] = _nothing if found is None else found.redhost_python_call(op.encode())
        self[op] = call
        return call


calls = _Calls()
# By class of arrays whose memory is a device's, what reduces one by an operator.
on_device: Dict[type, Callable[[str, Any], Any]] = {}


def quick(op: str, x: Any) -> Any:
    """The answer, or None: the long way has it, or says what is wrong."""
    value = calls[op](x)
    if value is None and on_device and type(x) in on_device:
        return on_device[type(x)](op, x)
    return value


def again(request: Any, empty: Callable[[], Any]) -> Callable[[Any], Any]:
    """What asks the same of another array of NumPy, of the same type, shape and strides, and gives the array of results that
    `empty` made, or None.  What the request points to lives as long as that."""
    found = _found()
    made: Callable[[Any], Any] = _nothing if found is None else found.redhost_python_again(c.addressof(request), empty)
    return made


def of_prepared(address: int, type_number: int) -> Tuple[Callable[[Any], Any], Callable[[], None]]:
    """What runs a prepared reduction of one plain array, or gives None; and what is to be called before it is destroyed."""
    found = _found()
    if found is None:
        return _nothing, lambda: None
    if "numpy" in sys.modules:
        know_numpy(sys.modules["numpy"])
    call = found.redhost_python_prepared(_address("rh_prepared_run"), address, type_number)


    def close() -> None:
        found.redhost_python_close(call.__self__)
    return call, close


_handle.in_child.append(lambda: ready(None))
