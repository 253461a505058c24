"""The structs of redhost/redhost.h in ctypes; tests/python/test_layout.py compares them with the header."""
import ctypes as c
from typing import Dict, Tuple

TYPES = ("", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "f32", "f64")
SIZES = (0, 1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8)
NUMBERS: Dict[str, int] = {name: k for k, name in enumerate(TYPES) if name}
MOST_AXES = 8
MOST_OPERANDS = 8


class Error(c.Structure):
    _fields_ = [("status", c.c_int32), ("cl_code", c.c_int32), ("message", c.c_char * 1024)]


LOG = c.CFUNCTYPE(None, c.c_void_p, c.c_uint32, c.c_char_p)
PROGRESS = c.CFUNCTYPE(c.c_int, c.c_void_p, c.c_char_p, c.c_uint64, c.c_uint64)


class Reporter(c.Structure):
    _fields_ = [("user", c.c_void_p), ("log", LOG), ("progress", PROGRESS)]


class Options(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32), ("no_cache", c.c_uint32), ("device", c.c_char_p), ("plugin_file", c.c_char_p),
        ("plugin_path", c.c_char_p), ("cache_dir", c.c_char_p), ("program", c.c_char_p), ("reporter", Reporter),
        ("queue", c.c_void_p), ("no_measure", c.c_uint32), ("reserved", c.c_uint32), ("kept_setups", c.c_uint32),
        ("reserved_kept", c.c_uint32)]


class Setting(c.Structure):
    _fields_ = [("key", c.c_char_p), ("value", c.c_char_p)]


class Input(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", c.c_uint32), ("reserved", c.c_uint32), ("data", c.c_void_p)]


class Number(c.Union):
    _fields_ = [("i", c.c_int64), ("u", c.c_uint64), ("f", c.c_double)]


class Constant(c.Structure):
    _fields_ = [("name", c.c_char_p), ("is_float", c.c_uint32), ("reserved", c.c_uint32), ("value", Number)]


class Segmentation(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32), ("n_axes", c.c_uint32), ("reduced", c.c_uint32), ("reserved", c.c_uint32),
        ("lengths", c.c_void_p), ("strides", c.c_void_p), ("length", c.c_uint64), ("starts", c.c_void_p),
        ("stops", c.c_void_p), ("n_segments", c.c_uint64)]


class Output(c.Structure):
    _fields_ = [("name", c.c_char_p), ("type", c.c_uint32), ("reserved", c.c_uint32), ("data", c.c_void_p),
                ("n", c.c_uint64)]


class Request(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32), ("type", c.c_uint32), ("unchecked", c.c_uint32), ("data_on_device", c.c_uint32),
        ("strategy", c.c_char_p), ("op", c.c_char_p), ("data", c.c_void_p), ("n", c.c_uint64),
        ("settings", c.POINTER(Setting)), ("n_settings", c.c_uint64), ("inputs", c.POINTER(Input)),
        ("n_inputs", c.c_uint64), ("map", c.c_char_p), ("reduce", c.c_char_p), ("identity", c.c_char_p),
        ("finalize", c.c_char_p), ("constants", c.POINTER(Constant)), ("n_constants", c.c_uint64),
        ("commutes", c.c_uint32), ("unchecked_op", c.c_uint32), ("where", c.c_char_p), ("accuracy", c.c_uint32),
        ("result_on_device", c.c_uint32), ("segments", c.POINTER(Segmentation)), ("outputs", c.POINTER(Output)),
        ("n_outputs", c.c_uint64), ("initial", c.c_char_p)]


class Field(c.Structure):
    _fields_ = [("name", c.c_char * 32), ("type", c.c_uint32), ("reserved", c.c_uint32), ("value", Number)]


class Result(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32), ("type", c.c_uint32), ("indexed", c.c_uint32), ("reserved", c.c_uint32),
        ("value", Number), ("index", c.c_uint64), ("strategy", c.c_char * 64), ("n_fields", c.c_uint32),
        ("fields_reserved", c.c_uint32), ("fields", Field * 16), ("bound", c.c_double)]


class CallSpec(c.Structure):
    _fields_ = [
        ("struct_size", c.c_uint32), ("n_operands", c.c_uint32), ("n", c.c_uint64), ("arrays", c.c_void_p),
        ("buffers", c.c_void_p), ("first", c.c_void_p), ("values", c.c_void_p), ("index", c.c_uint64),
        ("outputs", c.POINTER(Output)), ("n_outputs", c.c_uint64)]


NO_INDEX = 2**64 - 1

_p = c.c_void_p
SIGNATURES: Dict[str, Tuple[object, ...]] = {
    "rh_open": (c.c_int32, _p, _p, _p),
    "rh_close": (None, _p),
    "rh_reduce": (c.c_int32, _p, _p, _p, _p),
    "rh_reduce_part": (c.c_int32, _p, _p, c.c_uint64, c.c_uint64, _p, _p, _p),
    "rh_merge_parts": (c.c_int32, _p, _p, _p, c.c_uint64, _p, _p, _p),
    "rh_part_result": (c.c_int32, _p, _p, c.c_uint64, _p, _p),
    "rh_part_free": (None, _p),
    "rh_prepare": (c.c_int32, _p, _p, _p, _p),
    "rh_prepared_run": (c.c_int32, _p, _p, c.c_uint64, _p, _p),
    "rh_prepared_call": (c.c_int32, _p, _p, _p, _p),
    "rh_prepared_set_constants": (c.c_int32, _p, _p, c.c_uint64, _p),
    "rh_prepared_forget": (None, _p),
    "rh_prepared_destroy": (None, _p),
    "rh_version": (c.c_char_p,),
    "rh_status_name": (c.c_char_p, c.c_int32),
}


def declare(library: c.CDLL) -> None:
    """Says what the functions take, so that ctypes converts nothing wrongly."""
    for name, (result, *arguments) in SIGNATURES.items():
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
