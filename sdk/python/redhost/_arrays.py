"""Operands: what redhost reads, from whatever holds numbers, without NumPy where that is not needed."""
import array
import ctypes as c
import sys
from typing import Any, Callable, List, NamedTuple, NoReturn, Optional, Tuple

from ._abi import NUMBERS, SIZES, TYPES

SIGNED, UNSIGNED = {1: "i8", 2: "i16", 4: "i32", 8: "i64"}, {1: "u8", 2: "u16", 4: "u32", 8: "u64"}
FLOATS = {2: "f16", 4: "f32", 8: "f64"}


class Operand(NamedTuple):
    """Numbers of one type in memory.  Strides count bytes; `owner` keeps the memory."""

    at: int
    type: int
    is_bool: bool
    shape: Tuple[int, ...]
    strides: Tuple[int, ...]
    owner: Any
    of_numpy: bool
    queue: Optional[Any] = None  # PyOpenCL's, where `at` is a cl_mem and `first` counts elements in it
    first: int = 0

    @property
    def size(self) -> int:
        """How many elements."""
        n = 1
        for length in self.shape:
            n *= length
        return n

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return SIZES[self.type]


def numpy() -> Any:
    """NumPy, imported now if nobody has done so."""
    try:
        import numpy as np
    except ImportError:
        raise TypeError("this needs NumPy, which is not installed: pip install numpy, or give an array.array, bytes or a "
                        "memoryview and reduce all of it") from None
    return np


def loaded_numpy() -> Any:
    """NumPy if the program uses it, else None."""
    return sys.modules.get("numpy")


def c_strides(shape: Tuple[int, ...], itemsize: int) -> Tuple[int, ...]:
    """Those of an array in C order."""
    strides: List[int] = []
    for length in reversed(shape):
        strides.insert(0, itemsize)
        itemsize *= max(length, 1)
    return tuple(strides)


_INSTEAD = {
    "O": "an array of Python objects; convert it to numbers first, as by x.astype(float)",
    "U": "an array of strings; convert it to numbers first, as by x.astype(float)",
    "S": "an array of byte strings; convert it to numbers first, as by x.astype(float)",
    "M": "an array of dates; reduce x.view('i8') and give the result its unit back",
    "m": "an array of time differences; reduce x.view('i8') and give the result its unit back",
    "c": "complex numbers; reduce x.real and x.imag",
    "g": "floats of more than 64 bits; convert them, as by x.astype('f8')",
    "V": "an array of records; reduce one of its fields, as x['name']",
}


def refuse(kind: str, what: object) -> NoReturn:
    """Raises the TypeError that says what to do instead."""
    raise TypeError(f"redhost reduces integers, floats and booleans, and this is {_INSTEAD.get(kind, what)}")


def _type_of(kind: str, itemsize: int, what: Callable[[], str]) -> Tuple[int, bool]:
    if kind == "b":
        return NUMBERS["u8"], True
    name = {"i": SIGNED, "u": UNSIGNED, "f": FLOATS}.get(kind, {}).get(itemsize)
    if name is None:
        refuse("g" if kind == "f" else kind, what())
    return NUMBERS[name], False


_KINDS = {"?": "b", **dict.fromkeys("bhilqn", "i"), **dict.fromkeys("BHILQN", "u"), **dict.fromkeys("efdg", "f"),
          "O": "O", "c": "S", "s": "S", "p": "S", "u": "U", "w": "U", "Z": "c", "T": "V", "x": "V"}


def _of_numpy(x: Any, np: Any) -> Operand:
    dtype = x.dtype
    number, is_bool = _type_of(dtype.kind, dtype.itemsize, lambda: f"of type {dtype}")
    if not dtype.isnative or not x.flags.aligned:
        x = np.array(x, dtype.newbyteorder("="), order="K", subok=False)
    return Operand(x.__array_interface__["data"][0], number, is_bool, x.shape, x.strides, x, True)


class Buffer(c.Structure):
    """CPython's Py_buffer."""

    _fields_ = [("buf", c.c_void_p), ("obj", c.c_void_p), ("len", c.c_ssize_t), ("itemsize", c.c_ssize_t),
                ("readonly", c.c_int), ("ndim", c.c_int), ("format", c.c_char_p), ("shape", c.c_void_p),
                ("strides", c.c_void_p), ("suboffsets", c.c_void_p), ("internal", c.c_void_p)]


get_buffer = c.pythonapi.PyObject_GetBuffer
get_buffer.argtypes, get_buffer.restype = [c.py_object, c.c_void_p, c.c_int], c.c_int
release_buffer = c.pythonapi.PyBuffer_Release
release_buffer.argtypes, release_buffer.restype = [c.c_void_p], None
RECORDS = 0x4 | 0x8 | 0x10  # PyBUF_RECORDS_RO: any strides


class _Held:
    """A buffer that is released when nobody needs it any more."""

    def __init__(self, x: object, source: memoryview) -> None:
        self.view, self.source = Buffer(), source
        get_buffer(x, c.addressof(self.view), RECORDS)

    def __del__(self) -> None:
        release_buffer(c.addressof(self.view))


def _swapped(view: memoryview, number: int) -> array.array:  # type: ignore[type-arg]
    code = {1: "B", 2: "H", 4: "I", 8: "Q"}[SIZES[number]]
    numbers = array.array(code, view.tobytes())
    numbers.byteswap()
    return numbers


def _of_buffer(x: object, view: memoryview) -> Operand:
    order, code = "@", view.format
    if code[:1] in tuple("@=<>!^"):
        order, code = code[0], code[1:]
    kind = _KINDS.get(code[:1], "") if len(code) == 1 or code[:1] in tuple("TZ") else "V"
    number, is_bool = _type_of(kind, view.itemsize, lambda: f"a buffer of format '{view.format}'")
    shape, strides = view.shape or (), view.strides or ()
    if order in ">!" and view.itemsize > 1 and sys.byteorder == "little":
        copy = _swapped(view, number)
        return Operand(copy.buffer_info()[0], number, is_bool, shape, c_strides(shape, view.itemsize), copy, False)
    held = _Held(x, view)
    operand = Operand(held.view.buf or 0, number, is_bool, shape, strides, held, False)
    return operand if operand.at % view.itemsize == 0 else packed(operand)


def packed(operand: Operand) -> Operand:
    """The same elements in C order, copied if they are not so."""
    if operand.strides == c_strides(operand.shape, operand.itemsize) and operand.at % operand.itemsize == 0:
        return operand
    if operand.queue is not None:
        from ._errors import UsageError
        raise UsageError("arrays of PyOpenCL are reduced in place, where strides run forwards, are those of all operands, and "
                         f"keep the elements' order if it matters; for shape {operand.shape} with strides {operand.strides} "
                         "bring the array that this is a view of to the host, as by x.get()")
    if operand.of_numpy:
        np = numpy()
        return _of_numpy(np.array(operand.owner, order="C", copy=True), np)
    size = operand.size * operand.itemsize
    copy = array.array("Q", bytes((size + 15) // 8 * 8))
    start = copy.buffer_info()[0]
    if isinstance(operand.owner, _Held) and operand.owner.source.nbytes == size:
        c.memmove(start, operand.owner.source.tobytes(), size)
    else:
        for k, source in enumerate(_addresses(operand)):
            c.memmove(start + k * operand.itemsize, source, operand.itemsize)
    return operand._replace(at=start, strides=c_strides(operand.shape, operand.itemsize), owner=copy)


def _addresses(operand: Operand) -> List[int]:
    places = [operand.at]
    for length, stride in zip(operand.shape, operand.strides):
        places = [place + k * stride for place in places for k in range(length)]
    return places


def _of_interface(x: Any) -> Operand:
    np = loaded_numpy()
    if np is None:
        np = numpy()
    return _of_numpy(np.asarray(x), np)


class _Tensor(c.Structure):
    _fields_ = [("data", c.c_void_p), ("device_type", c.c_int32), ("device_id", c.c_int32), ("ndim", c.c_int32),
                ("code", c.c_uint8), ("bits", c.c_uint8), ("lanes", c.c_uint16), ("shape", c.POINTER(c.c_int64)),
                ("strides", c.POINTER(c.c_int64)), ("byte_offset", c.c_uint64)]


class _Managed(c.Structure):
    pass


_Managed._fields_ = [("tensor", _Tensor), ("context", c.c_void_p),
                     ("deleter", c.CFUNCTYPE(None, c.POINTER(_Managed)))]


class _Capsule:
    """A DLPack tensor that was taken over, and is given back when nobody needs it any more."""

    def __init__(self, capsule: object) -> None:
        get = c.pythonapi.PyCapsule_GetPointer
        get.argtypes, get.restype = [c.py_object, c.c_char_p], c.c_void_p
        rename = c.pythonapi.PyCapsule_SetName
        rename.argtypes = [c.py_object, c.c_char_p]
        self.managed = _Managed.from_address(get(capsule, b"dltensor"))
        rename(capsule, b"used_dltensor")

    def __del__(self) -> None:
        if hasattr(self, "managed") and self.managed.deleter:
            self.managed.deleter(c.byref(self.managed))


_CUDA = ("this array is in the memory of CUDA, which OpenCL cannot read: copy it to the host, as by x.get(), x.cpu() or "
         "cupy.asnumpy(x)")


def _of_dlpack(x: Any) -> Operand:
    device = x.__dlpack_device__()[0] if hasattr(x, "__dlpack_device__") else 1
    if device in (2, 3, 13):
        raise TypeError(_CUDA)
    if device != 1:
        raise TypeError(f"this array is on a device that redhost cannot read (DLPack's number {int(device)}): copy it to "
                        "the host")
    capsule = _Capsule(x.__dlpack__())
    tensor = capsule.managed.tensor
    kind = {0: "i", 1: "u", 2: "f", 5: "c", 6: "b"}.get(tensor.code, "")
    number, is_bool = _type_of(kind if tensor.lanes == 1 else "", tensor.bits // 8,
                               lambda: f"of DLPack's type {tensor.code} with {tensor.bits} bits")
    shape = tuple(tensor.shape[k] for k in range(tensor.ndim))
    strides = c_strides(shape, SIZES[number])
    if tensor.strides:
        strides = tuple(tensor.strides[k] * SIZES[number] for k in range(tensor.ndim))
    return Operand((tensor.data or 0) + tensor.byte_offset, number, is_bool, shape, strides, capsule, False)


def _of_pyopencl(x: Any) -> Operand:
    number, is_bool = _type_of(x.dtype.kind, x.dtype.itemsize, lambda: f"of type {x.dtype}")
    if x.queue is None:
        raise TypeError("this PyOpenCL array has no queue: give it one, as by x.with_queue(queue)")
    if x.offset % x.dtype.itemsize:
        raise TypeError("this PyOpenCL array begins amid an element of its buffer: copy it first, as by x.copy()")
    at = x.base_data.int_ptr if x.base_data is not None else 0
    return Operand(at, number, is_bool, tuple(x.shape), tuple(x.strides), x, True, x.queue, x.offset // x.dtype.itemsize)


def _of_sequence(x: Any) -> Operand:
    np = numpy()
    try:
        made = np.asarray(x)
    except ValueError as error:
        raise TypeError(f"redhost reduces arrays with rows of one length, and this is none: {error}") from None
    if made.dtype.kind == "O" and isinstance(x, (list, tuple)):
        raise TypeError("redhost reduces arrays of numbers with rows of one length, and these are ragged or objects: "
                        "reduce the concatenation with offsets=")
    return _of_numpy(made, np)


def operand(x: Any) -> Operand:
    """What redhost can read of x, or a TypeError that says what to do."""
    np = loaded_numpy()
    if np is not None and isinstance(x, (np.ndarray, np.generic)):
        return _of_numpy(np.asanyarray(x), np)
    if type(x).__module__.startswith("pyopencl") and hasattr(x, "base_data"):
        return _of_pyopencl(x)
    if hasattr(x, "__cuda_array_interface__"):
        raise TypeError(_CUDA)
    try:
        view = memoryview(x)
    except TypeError:
        pass
    else:
        return _of_buffer(x, view)
    if hasattr(x, "__array_interface__"):
        return _of_interface(x)
    if hasattr(x, "__dlpack__"):
        return _of_dlpack(x)
    return _of_sequence(x)


_LONG = {"bool": "u8", "float16": "f16", "float32": "f32", "float64": "f64",
         **{f"{sign}int{8 * size}": name for sign, names in (("", SIGNED), ("u", UNSIGNED)) for size, name in names.items()}}


def type_name(dtype: Any) -> str:
    """redhost's name of a type: of "float32", "f32", or what numpy.dtype() takes."""
    if isinstance(dtype, str):
        if dtype in ("i8", "u8", "f16"):
            raise TypeError(f"type {dtype!r} has so many bytes in NumPy, and so many bits in redhost: write it as 'int8', "
                            "'int64' or the like")
        if dtype in NUMBERS or dtype in _LONG:
            return _LONG.get(dtype, dtype)
    made = numpy().dtype(dtype)
    return TYPES[_type_of(made.kind, made.itemsize, lambda: f"type {made}")[0]]
