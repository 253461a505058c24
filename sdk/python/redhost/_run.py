"""From arguments to an answer: operands, axes, groups, and what comes back."""
import ctypes as c
import time
from functools import partial
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Tuple

from . import _abi, _handle, _layout, _quick
from ._arrays import loaded_numpy, numpy, Operand, operand, packed, type_name
from ._errors import UsageError
from ._reduce import (call, COMMUTES, Groups, kinds_of, make_request, MASK, of_bar, PLAIN, Result, scalars, SHORT, Texts, Values,
                      Way)

NAMES = {"f": "float", "i": "int", "u": "uint"}


class Words(NamedTuple):
    """NumPy's words, and redhost's own for groups."""

    axis: Any = None
    dtype: Any = None
    out: Any = None
    keepdims: bool = False
    initial: Any = None
    where: Any = None
    by: Any = None
    offsets: Any = None
    full: bool = False


def numpy_type(name: str) -> str:
    """NumPy's name of a type of redhost's."""
    return NAMES[name[0]] + name[1:]


def as_number(value: Any, what: str) -> Any:
    """A Python int or float of any number."""
    if hasattr(value, "__index__"):
        return value.__index__()
    if hasattr(value, "__float__") and not isinstance(value, (str, bytes)):
        return float(value)
    raise TypeError(f"{what} is a number, and this is {type(value).__name__}")


def gather(x: Any, texts: Texts, words: Words) -> Tuple[List[Operand], Texts]:
    """The operands, with the mask as the last one, and the texts that go with them."""
    # A tuple has an array in each place; one of numbers, such as a shape, is an array itself.
    given = x if isinstance(x, tuple) and not all(isinstance(one, (int, float)) for one in x) else (x,)
    operands = [operand(each) for each in given]
    np = loaded_numpy()
    if np is not None:
        _quick.know_numpy(np)
    masks = [] if words.where is None or words.where is True or isinstance(words.where, str) else [words.where]
    masks += [~np.ma.getmaskarray(each) for each in given if np is not None and isinstance(each, np.ma.MaskedArray)]
    where = texts.where
    if isinstance(words.where, str):
        where = f"({words.where}) && {where}" if where else words.where
    if masks:
        together = masks[0]
        for mask in masks[1:]:
            together = together & mask
        operands.append(_mask(together))
        where = f"{MASK} && ({where})" if where else MASK
    if words.dtype is not None:
        name = type_name(words.dtype)
        if len(given) > 1 or _abi.TYPES[operands[0].type] != name:
            texts = texts._replace(map=f"({name})({texts.map or 'x'})")
    if words.initial is not None:
        texts = texts._replace(initial="redhost_initial",
                               let=texts.let + (("redhost_initial", as_number(words.initial, "initial")),))
    # In an expression u8 and u16 are i32, as in C, and their sums would be signed.
    if (where or texts.initial) and texts.map is None and texts.op in ("sum", "prod") and _abi.TYPES[operands[0].type] in (
            "u8", "u16"):
        texts = texts._replace(map="(u32)x")
    return operands, texts._replace(where=where)


def _mask(mask: Any) -> Operand:
    made = operand(mask)
    if not made.is_bool and _abi.TYPES[made.type] != "u8":
        raise TypeError("where= is an array of booleans, or an expression such as 'x > 0'")
    return made


def _segmentation(layout: _layout.Layout, reduced: int) -> Tuple[_abi.Segmentation, List[Any]]:
    n = len(layout.axes)
    lengths, strides = (c.c_uint64 * n)(), (c.c_uint64 * n)()
    bits = 0
    for k, (length, stride, is_reduced) in enumerate(layout.axes):
        lengths[k], strides[k] = length, stride
        bits |= int(is_reduced) << k
    if not bits:
        raise UsageError("no axis is reduced")
    return _abi.Segmentation(struct_size=c.sizeof(_abi.Segmentation), n_axes=n, reduced=bits,
                             lengths=c.addressof(lengths), strides=c.addressof(strides)), [lengths, strides]


class Again(NamedTuple):
    """A reduction along axes as the library was asked for it, for other arrays of that type, shape and strides: to ask anew
    takes twice as long as to reduce a megabyte."""

    run: Callable[[Any], Any]
    operand: Operand
    shaped: Callable[[Any], Any]
    alive: Tuple[Any, ...]


MOST_KNOWN = 64
_known: Dict[Any, Again] = {}


def _key(x: Any, texts: Texts, words: Words, way: Way) -> Any:
    """What all calls of one kind have in common; None where there is more to a call than an array of NumPy and its axes."""
    np = loaded_numpy()
    axis = words.axis
    if np is None or type(x) is not np.ndarray or type(axis) not in (int, tuple) or texts.let or way != PLAIN:
        return None
    _, dtype, out, keepdims, initial, where, by, offsets, full = words
    if not (dtype is out is initial is where is by is offsets is None) or full or not x.flags.aligned:
        return None
    return texts, x.dtype, x.shape, x.strides, axis, keepdims


class Job:
    """One reduction on its way."""

    def __init__(self, texts: Texts, operands: List[Operand], way: Way) -> None:
        self.texts, self.operands, self.way = texts, operands, way
        self.of_numpy = any(o.of_numpy for o in operands)
        self.result: Optional[_abi.Result] = None
        self.bound: Optional[float] = None  # of one number that was checked
        self.again: Optional[Again] = None

    def whole(self, operands: List[Operand], n: int) -> Any:
        """One value."""
        if n and operands[0].queue is not None:
            from . import _device
            self.result = _device.call(self.texts, operands, n, self.way)
            return scalars(self.result, True)
        request, _alive = make_request(self.texts, operands, n, self.way)
        self.result = call(request, self.way, n * sum(o.itemsize for o in operands))
        if (self.way.check or self.way.exact) and not self.result.n_fields:
            self.bound = self.result.bound
        return scalars(self.result, self.of_numpy)

    def segments(self, operands: List[Operand], n: int, segmentation: _abi.Segmentation, count: int,
                 key: Tuple[Any, ...] = ()) -> Any:
        """An array of values in the library's order, or Values of some."""
        np = numpy()
        kinds = kinds_of(self.texts, tuple(o.type for o in operands), self.way)
        arrays = [np.empty(count, numpy_type(kind)) for _, kind in kinds]
        outputs = (_abi.Output * len(arrays))()
        for k, array in enumerate(arrays):
            outputs[k].type, outputs[k].n = _abi.NUMBERS[kinds[k][1]], count
            outputs[k].data = array.__array_interface__["data"][0]
        if operands[0].queue is not None:
            from . import _device
            self.result = _device.call(self.texts, operands, n, self.way, segmentation, key, outputs)
        else:
            request, _alive = make_request(self.texts, operands, n, self.way)
            request.segments, request.outputs = c.pointer(segmentation), outputs
            request.n_outputs = len(arrays)
            n_bytes = n * sum(o.itemsize for o in operands)
            self.result = call(request, self.way, n_bytes)
            if len(arrays) == 1 == len(operands) and n_bytes < SHORT:
                empty = partial(np.empty, count, arrays[0].dtype)
                self.again = Again(_quick.again(request, empty), operands[0]._replace(owner=None), lambda one: one,
                                   (request, outputs, _alive, segmentation))
        return arrays[0] if len(arrays) == 1 else Values([name for name, _ in kinds], arrays)

    def in_order(self) -> bool:
        """Does the order of the elements matter?"""
        import re
        texts = " ".join(filter(None, (self.texts.map, self.texts.where)))
        commutes = self.texts.op is not None and all(op.strip() in COMMUTES for op in self.texts.op.split(","))
        return not commutes or re.search(r"\b[in]\b", texts) is not None


def each(value: Any, change: Callable[[Any], Any]) -> Any:
    """The change of a value, or of each of several."""
    return Values(value.names, [change(one) for one in value]) if isinstance(value, Values) else change(value)


def _empty(job: Job, reduced: Tuple[int, ...], shape: Tuple[int, ...]) -> Any:
    kept = tuple(length for k, length in enumerate(shape) if k not in reduced)
    if not kept:
        return job.whole(job.operands, 0)
    np = numpy()
    if 0 in kept:
        if any(shape[k] == 0 for k in reduced):
            job.whole(job.operands, 0)  # is it defined?
        kinds = kinds_of(job.texts, tuple(o.type for o in job.operands), job.way)
        arrays = [np.empty(kept, numpy_type(kind)) for _, kind in kinds]
        return arrays[0] if len(arrays) == 1 else Values([name for name, _ in kinds], arrays)
    job.of_numpy = True
    return each(job.whole(job.operands, 0), lambda one: np.full(kept, one))


def _along(job: Job, words: Words) -> Any:
    job.operands = _layout.broadcast(job.operands)
    shape = job.operands[0].shape
    reduced = _layout.normal_axes(words.axis, len(shape))
    if 0 in shape:
        value = _empty(job, reduced, shape)
    elif not reduced and shape:
        job.operands = [one_by_one(o) for o in job.operands]
        return _along(job, words._replace(axis=-1, keepdims=False))
    else:
        layout = _layout.lay_out(job.operands, reduced, job.in_order())
        if not layout.axes:
            value = job.whole(layout.operands, layout.n)
        else:
            segmentation, _alive = _segmentation(layout, len(shape))
            count = 1
            for length in layout.kept:
                count *= length
            found = job.segments(layout.operands, layout.n, segmentation, count, tuple(layout.axes))

            def shaped(one: Any) -> Any:
                made = _layout.in_shape(one, layout, reduced, len(shape), words.keepdims)
                return made if layout.kept or words.keepdims else made[()]
            if job.again:
                job.again = job.again._replace(shaped=shaped, alive=(*job.again.alive, _alive))
            return each(found, shaped)
    if words.keepdims:
        lengths = [1 if k in reduced else length for k, length in enumerate(shape)]
        value = each(value, lambda one: numpy().reshape(one, lengths))
    return value


def one_by_one(o: Operand) -> Operand:
    """Every element by itself: along one more axis, of length 1."""
    return o._replace(shape=o.shape + (1,), strides=o.strides + (o.itemsize,),
                      owner=o.owner[..., None] if o.of_numpy and o.queue is None else o.owner)


def _by_offsets(job: Job, offsets: Any) -> Any:
    np = numpy()
    job.operands = [packed(o) for o in _layout.broadcast(job.operands)]
    n = job.operands[0].size
    made = _layout.offsets_of(offsets, n)
    at = made.__array_interface__["data"][0]
    segmentation = _abi.Segmentation(struct_size=c.sizeof(_abi.Segmentation), starts=at, stops=at + 8,
                                     n_segments=made.size - 1)
    if made.size == 1:
        job.of_numpy = True
        kinds = kinds_of(job.texts, tuple(o.type for o in job.operands), job.way)
        return np.empty(0, numpy_type(kinds[0][1]))
    return job.segments(job.operands, n, segmentation, made.size - 1)


def _by_labels(job: Job, by: Any) -> Groups:
    np = numpy()
    labels = np.asarray(by)
    job.operands = [packed(o) for o in _layout.broadcast(job.operands)]
    if labels.shape != job.operands[0].shape:
        raise UsageError(f"by= has a label for each element: its shape is {labels.shape}, and the array's "
                         f"{job.operands[0].shape}")
    labels = labels.reshape(-1)
    is_in_order = False
    if (labels[1:1000] >= labels[:-1][:999]).all():  # else there is no need to look at all of them
        starts = _runs(labels, np)
        firsts = labels[starts]
        is_in_order = (firsts[1:] > firsts[:-1]).all()
    if not is_in_order:
        counted = _counted(labels, np)
        if counted:
            firsts, starts, place = counted
            job.operands = [place(o) for o in job.operands]
        else:
            order = np.argsort(labels, kind="stable")
            labels = labels[order]
            job.operands = [_permuted(o, order) for o in job.operands]
            starts = _runs(labels, np)
            firsts = labels[starts]
    offsets = np.empty(starts.size + 1, np.uint64)
    offsets[:-1], offsets[-1] = starts, labels.size
    return Groups(firsts, _by_offsets(job, offsets))


def _runs(labels: Any, np: Any) -> Any:
    if labels.size == 0:
        return np.empty(0, np.intp)
    changes = labels[1:] != labels[:-1]
    if labels.dtype.kind == "f":
        changes &= ~(np.isnan(labels[1:]) & np.isnan(labels[:-1]))
    return np.concatenate(([0], np.flatnonzero(changes) + 1))


def _counted(labels: Any, np: Any) -> Optional[Tuple[Any, Any, Callable[[Operand], Operand]]]:
    """Integers that are close together, by counting, which takes a tenth of the time of sorting: the labels that there are,
    where their elements begin, and what puts an operand in that order; or None."""
    count = _quick.beside("redhost_python_count")
    if count is None or labels.dtype.kind not in "iu":
        return None
    least, most = int(labels.min()), int(labels.max())
    if most - least >= 4 * labels.size or not -2**63 <= least <= most < 2**63:
        return None
    numbers = np.array(labels, np.int64)  # a copy: another thread may change theirs meanwhile
    counts = np.zeros(most - least + 1, np.uint64)
    count(c.c_void_p(numbers.ctypes.data), c.c_uint64(labels.size), c.c_int64(least), c.c_void_p(counts.ctypes.data))
    begins = np.cumsum(counts) - counts
    there = np.flatnonzero(counts)

    def place(o: Operand) -> Operand:
        following, made = begins.copy(), np.empty(labels.size, f"u{o.itemsize}")
        _quick.beside("redhost_python_place")(
            c.c_void_p(numbers.ctypes.data), c.c_uint64(labels.size), c.c_int64(least), c.c_void_p(following.ctypes.data),
            c.c_uint32(o.itemsize), c.c_void_p(o.at), c.c_void_p(made.ctypes.data))
        return o._replace(at=made.ctypes.data, shape=(labels.size,), strides=(o.itemsize,), owner=made)
    return (there + least).astype(labels.dtype), begins[there], place


def _permuted(o: Operand, order: Any) -> Operand:
    np = numpy()
    have = o.owner if o.of_numpy else np.frombuffer((c.c_char * (o.size * o.itemsize)).from_address(o.at),
                                                    numpy_type(_abi.TYPES[o.type]))
    made = operand(np.ascontiguousarray(have).reshape(-1)[order])
    return made._replace(is_bool=o.is_bool)


def run(x: Any, texts: Texts, words: Words, way: Way, finish: Optional[Callable[[Any, Operand], Any]] = None) -> Any:
    """The answer in NumPy's shape; `finish` changes each value, given the first operand."""
    key = _key(x, texts, words, way)
    again = _known.get(key) if key else None
    made = again.run(x) if again else None
    if again and made is not None:
        value = again.shaped(made)
        return finish(value, again.operand) if finish else value
    operands, texts = gather(x, texts, words)
    job = Job(texts, operands, way)
    begin = time.perf_counter()
    _handle.thread.progress = of_bar(way.progress)
    try:
        if any(o.queue is not None for o in operands):
            from . import _device
            _device.check(operands)
            if words.by is not None or words.offsets is not None:
                raise UsageError("groups of arrays of PyOpenCL are not served: bring them to the host, as by x.get()")
        if words.by is not None or words.offsets is not None:
            if words.axis is not None or words.keepdims:
                raise UsageError("by= and offsets= make groups of all elements, without axis= and keepdims=")
            value = _by_labels(job, words.by) if words.offsets is None else _by_offsets(job, words.offsets)
        else:
            value = _along(job, words)
    finally:
        _handle.thread.progress = None
    seconds = time.perf_counter() - begin
    if key and job.again and job.again.operand.at == x.__array_interface__["data"][0]:
        if len(_known) >= MOST_KNOWN:
            _known.clear()
        _known[key] = job.again
    raw = value
    if isinstance(value, Groups):
        value = Groups(value.labels, finish(value.values, operands[0]) if finish else value.values)
    elif finish:
        value = finish(value, operands[0])
    if words.out is not None:
        value = _into(words.out, value)
    if not words.full:
        return value
    strategy = job.result.strategy.decode() if job.result is not None else ""
    bound = None if job.bound is None or isinstance(value, Values) else job.bound + _changed(raw, value)
    return Result(value, strategy, seconds, "ok" if way.check or way.exact else "none", bound)


def _changed(raw: Any, value: Any) -> float:
    """What a conversion of the library's answer cost, to a float of fewer digits."""
    if not isinstance(value, float) and getattr(getattr(value, "dtype", None), "kind", "") != "f":
        return 0.0
    by = abs(float(raw) - float(value))
    return by if by == by else 0.0


def _into(out: Any, value: Any) -> Any:
    np = numpy()
    if not isinstance(out, np.ndarray):
        raise TypeError("return arrays must be of ArrayType")
    shape = np.shape(value)
    if out.shape != shape:
        raise UsageError(f"output array has shape {out.shape}, and the result {shape}")
    np.copyto(out, value, casting="same_kind")
    return out
