"""The functions that have NumPy's names, each one request of reduce()."""
import math
from typing import Any, Callable, Dict, Mapping, Optional, Tuple, Union

from . import _abi
from ._arrays import loaded_numpy, numpy, Operand
from ._errors import UsageError
from ._quick import calls, numpy_scalar, on_device, quick
from ._reduce import PLAIN, Progress, Texts, Way
from ._run import as_number, numpy_type, run, Words

Number = Union[int, float]
Finish = Callable[[Any, Operand], Any]
_MORE = frozenset("map let by offsets strategy settings device accuracy check full progress skip finalize".split())


def _cast(value: Any, name: str) -> Any:
    if hasattr(value, "astype"):
        return value.astype(name)
    return {"b": bool, "f": float}.get(name[0], int)(value)


def constants(let: Optional[Mapping[str, Number]]) -> Tuple[Tuple[str, Number], ...]:
    """Named numbers as the library takes them."""
    return tuple((name, as_number(value, f"constant {name}")) for name, value in (let or {}).items())


def _way(strategy: Optional[str], device: Optional[str], accuracy: Optional[str], check: bool, progress: Progress) -> Way:
    if accuracy not in (None, "plain", "exact"):
        raise UsageError(f"accuracy is 'exact' or 'plain', and not {accuracy!r}")
    return Way(None if strategy == "auto" else strategy, device, check, accuracy == "exact", progress)


def settings_of(settings: Optional[Mapping[str, object]]) -> Tuple[Tuple[str, str], ...]:
    """A strategy's parameters as text."""
    return tuple((str(key), str(value)) for key, value in (settings or {}).items())


def _ask(op: str, x: Any, words: Words, more: Dict[str, Any], finish: Optional[Finish] = None) -> Any:
    if not more:
        return run(x, Texts(op=op), words, PLAIN, finish)
    unknown = sorted(set(more) - _MORE)
    if unknown:
        raise TypeError(f"unexpected keyword argument '{unknown[0]}'")
    texts = Texts(op=op, map=more.get("map"), let=constants(more.get("let")), settings=settings_of(more.get("settings")),
                  where=more.get("skip"), finalize=more.get("finalize"))
    way = _way(more.get("strategy"), more.get("device"), more.get("accuracy"), bool(more.get("check")),
               more.get("progress", False))
    words = words._replace(by=more.get("by"), offsets=more.get("offsets"), full=bool(more.get("full")))
    return run(x, texts, words, way, finish)


def _is_plain(axis: Any, out: Any, keepdims: bool, where: Any, more: Dict[str, Any]) -> bool:
    return axis is None and out is None and not keepdims and where is None and not more


def _is_array(x: Any) -> bool:
    """Is it an array of NumPy itself, and not of one of its subclasses?"""
    np = loaded_numpy()
    return np is not None and type(x) is np.ndarray


def reduce(x: Any, op: str = "sum", *, map: Optional[str] = None, where: Any = None, reduce: Optional[str] = None,
           identity: Optional[Union[str, Number]] = None, finalize: Optional[str] = None,
           let: Optional[Mapping[str, Number]] = None, commutes: bool = False, unchecked_op: bool = False, axis: Any = None,
           dtype: Any = None, out: Any = None, keepdims: bool = False, initial: Optional[Number] = None, by: Any = None,
           offsets: Any = None, strategy: Optional[str] = None, settings: Optional[Mapping[str, object]] = None,
           device: Optional[str] = None, accuracy: Optional[str] = None, check: bool = False, full: bool = False,
           progress: Progress = False) -> Any:
    """Reduces an array, or a tuple of arrays, by any operator of the library.

    x: an array of integers, floats or booleans: NumPy's, PyOpenCL's, or whatever has the buffer protocol,
        ``__array_interface__`` or DLPack; or a tuple of up to 8, which expressions call x, y, z, w, v, u, s, r
    op: an operator's name (`redhost.operators()`), a file, or a file's text
    map, where, finalize: expressions; where is an array of booleans, too
    reduce, identity, commutes: an operator of one's own in place of op, which combines values a and b
    let: numbers that expressions name
    axis, dtype, out, keepdims, initial: as NumPy has them
    by: a label for each element; the answer is `Groups(labels, values)`
    offsets: n + 1 integers, by which n groups are cut from x
    strategy, settings: its name and its parameters, in place of the best one's
    device: "gpu", "cpu", an index or a part of a name
    accuracy: "exact": the exact sum, rounded once
    check: compares the answer with an exact reference, which takes longer
    full: a `Result` with strategy, check and time
    progress: True for a bar of tqdm, or a function of (phase, done, total)

    Returns a number, `Values` where the operator has several, or an array where something is left of axes or groups.
    Raises TypeError, which says what to do, for objects, strings and dates, and else a `redhost.Error` with the library's
    sentence.

    >>> from array import array
    >>> reduce((array("d", [1, 2, 3]), array("d", [4, 5, 6])), map="x*y")
    32.0
    >>> reduce(array("i", [3, 1, 2]), reduce="a > b ? a : b", identity="-2147483648", commutes=True)
    3
    """
    way = _way(strategy, device, accuracy, check, progress)
    texts = Texts(op=None if reduce else op, map=map, reduce=reduce, identity=None if identity is None else str(identity),
                  finalize=finalize, commutes=commutes, unchecked_op=unchecked_op, let=constants(let),
                  settings=settings_of(settings))
    words = Words(axis, dtype, out, keepdims, initial, where, by, offsets, full)
    return run(x, texts, words, way)


def _sum_type(dtype: Any) -> Finish:
    def finish(value: Any, x: Operand) -> Any:
        if dtype is not None and hasattr(value, "astype"):
            return value.astype(numpy_type(dtype) if dtype in _abi.NUMBERS else dtype)
        return _cast(value, "int64") if x.is_bool and dtype is None else value
    return finish


def _same_type(more: Dict[str, Any]) -> Finish:
    def finish(value: Any, x: Operand) -> Any:
        if more.get("map"):
            return value
        return _cast(value, "bool" if x.is_bool else numpy_type(_abi.TYPES[x.type]))
    return finish


def _as_bool(value: Any, _x: Operand) -> Any:
    return _cast(value, "bool")


def _float_type(more: Dict[str, Any], dtype: Any = None) -> Finish:
    """f32 for f16 and f32, else f64."""
    def finish(value: Any, x: Operand) -> Any:
        if dtype is not None:
            return _sum_type(dtype)(value, x)
        return value if more.get("map") or _abi.TYPES[x.type] not in ("f16", "f32") else _cast(value, "float32")
    return finish


def sum(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
        initial: Optional[Number] = None, where: Any = None, **more: Any) -> Any:
    """The sum of the elements, as numpy.sum: i64 or u64 for integers; f16 is summed, and kept, in f32.

    `more` are map, let, by, offsets, strategy, settings, device, accuracy, check, full and progress of `reduce`.

    >>> from array import array
    >>> sum(array("f", [1, 2, 3.5]))
    6.5
    >>> sum(b"abc")
    294
    """
    if axis is None and dtype is None and out is None and initial is None and where is None and not keepdims and not more:
        value = calls["sum"](x)
        if value is None and on_device:
            value = quick("sum", x)
        if value is not None:
            return value
    return _ask("sum", x, Words(axis, dtype, out, keepdims, initial, where), more, _sum_type(dtype))


def prod(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
         initial: Optional[Number] = None, where: Any = None, **more: Any) -> Any:
    """The product, as numpy.prod; of floats, it overflows only if the product itself does. `more` is as in `sum`.

    >>> from array import array
    >>> prod(array("d", [1e200, 1e200, 1e-300]))
    1e+100
    """
    if dtype is None and initial is None and _is_plain(axis, out, keepdims, where, more):
        value = quick("prod", x)
        if value is not None:
            return value
    return _ask("prod", x, Words(axis, dtype, out, keepdims, initial, where), more, _sum_type(dtype))


def _extreme(op: str, x: Any, axis: Any, out: Any, keepdims: bool, initial: Optional[Number], where: Any,
             more: Dict[str, Any]) -> Any:
    finish = _same_type(more)

    def checked(value: Any, operand: Operand) -> Any:
        if where is not None and where is not True and initial is None and _abi.TYPES[operand.type][0] != "f":
            raise UsageError(f"reduction operation '{op}' of integers does not have an identity, so to use a where mask one "
                             "has to specify 'initial'")
        return finish(value, operand)
    return _ask(op, x, Words(axis, None, out, keepdims, initial, where), more, checked)


def min(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Optional[Number] = None,
        where: Any = None, **more: Any) -> Any:
    """The least element, as numpy.min: a NaN wins.  `more` is as in `sum`.

    Of nothing it is a UsageError, which is a ValueError; with where= of floats, inf.
    """
    if axis is None and out is None and initial is None and where is None and not keepdims and not more:
        value = calls["min"](x)
        if value is None and on_device:
            value = quick("min", x)
        if value is not None:
            return value
    return _extreme("min", x, axis, out, keepdims, initial, where, more)


def max(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Optional[Number] = None,
        where: Any = None, **more: Any) -> Any:
    """The greatest element, as numpy.max: a NaN wins.  `more` is as in `sum`.

    Of nothing it is a UsageError, which is a ValueError; with where= of floats, -inf.
    """
    if axis is None and out is None and initial is None and where is None and not keepdims and not more:
        value = calls["max"](x)
        if value is None and on_device:
            value = quick("max", x)
        if value is not None:
            return value
    return _extreme("max", x, axis, out, keepdims, initial, where, more)


def amax(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """The greatest magnitude; of signed integers it is unsigned.  `more` is as in `sum`."""
    return _ask("amax", x, Words(axis, None, out, keepdims, None, where), more)


def _plain(op: str, x: Any, axis: Any, out: Any, keepdims: bool, where: Any, more: Dict[str, Any],
           finish: Optional[Finish] = None) -> Any:
    if _is_plain(axis, out, keepdims, where, more):
        value = quick(op, x)
        if value is not None:
            return _cast(value, "bool") if finish is _as_bool else value
    return _ask(op, x, Words(axis, None, out, keepdims, None, where), more, finish)


def argmin(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """The index of the first least element, or of the first NaN, as numpy.argmin; -1 where `where` leaves out all."""
    if axis is None and out is None and where is None and not keepdims and not more:
        value = calls["argmin"](x)
        if value is None and on_device:
            value = quick("argmin", x)
        if value is not None:
            return value
    return _plain("argmin", x, axis, out, keepdims, where, more)


def argmax(x: Any, axis: Any = None, out: Any = None, *, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """The index of the first greatest element, or of the first NaN, as numpy.argmax; -1 where `where` leaves out all."""
    if axis is None and out is None and where is None and not keepdims and not more:
        value = calls["argmax"](x)
        if value is None and on_device:
            value = quick("argmax", x)
        if value is not None:
            return value
    return _plain("argmax", x, axis, out, keepdims, where, more)


def asum(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """The sum of magnitudes; of integers it is u64.  `more` is as in `sum`.

    >>> from array import array
    >>> asum(array("d", [1, -2, 3]))
    6.0
    """
    return _ask("asum", x, Words(axis, None, out, keepdims, None, where), more)


def _how_many(x: Any, axis: Any, out: Any, keepdims: bool, where: Any, more: Dict[str, Any], test: str,
              finish: Optional[Finish]) -> Any:
    """How many results of a map pass a test: operators that count have a map of their own."""
    return _ask("sum", x, Words(axis, None, out, keepdims, None, where), {**more, "map": f"({more['map']}) {test} 0"}, finish)


def any(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """Is an element not zero?  As numpy.any: a NaN is not zero."""
    if more.get("map"):
        return _how_many(x, axis, out, keepdims, where, more, "!=", lambda n, _x: n != 0)
    is_whole_number = _is_array(x) and x.dtype.kind in "biu"  # or's elements are read as they are, any's become i32
    return _plain("or" if is_whole_number else "any", x, axis, out, keepdims, where, more, _as_bool)


def all(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """Is no element zero?  As numpy.all."""
    if more.get("map"):
        return _how_many(x, axis, out, keepdims, where, more, "==", lambda n, _x: n == 0)
    is_least = where is None and not more and _is_array(x) and x.dtype.char == "?" and x.size  # as any
    return _plain("min" if is_least else "all", x, axis, out, keepdims, where, more, _as_bool)


def count(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """How many elements are not zero, as numpy.count_nonzero.

    >>> count(b"a\\0b")
    2
    """
    if more.get("map"):
        return _how_many(x, axis, out, keepdims, where, more, "!=", None)
    return _plain("count", x, axis, out, keepdims, where, more)


def dot(x: Any, y: Any, *, axis: Any = None, out: Any = None, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """The sum of the products of elements: numpy.vdot of real arrays, or along an axis."""
    return _ask("dot", (x, y), Words(axis, None, out, keepdims, None, where), more)


def mean(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, where: Any = None,
         **more: Any) -> Any:
    """The mean, as numpy.mean: f64 for integers, computed exactly; f32 for f16 and f32, computed in f64; of nothing NaN."""
    words = Words(axis, dtype, out, keepdims, None, where)
    if dtype is None and "map" not in more:
        if out is where is None and not more and _is_array(x) and x.dtype.char == "d" and x.size:
            is_whole = axis is None and not keepdims
            value = calls["sum"](x) if is_whole else _ask("sum", x, words, more)
            # Where it overflows, the operator's other sum, of smaller numbers, is wanted.
            if value is not None and (math.isfinite(value) if is_whole else numpy().isfinite(value).all()):
                return value / (x.size // value.size)
        if _is_plain(axis, out, keepdims, where, more):
            value = quick("mean", x)
            if value is not None:
                return value
        return _ask("mean", x, words, more)
    return _ask("sum", x, words, {**more, "finalize": "(f64)a/n"}, _float_type({}, dtype))


def meanvar(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, where: Any = None, **more: Any) -> Any:
    """Mean and variance in one pass: `Values` with .mean and .variance in f64; the variance divides by n.

    >>> from array import array
    >>> meanvar(array("d", [1, 2, 3, 4]))
    (mean=2.5, variance=1.25)
    """
    return _ask("meanvar", x, Words(axis, None, out, keepdims, None, where), more)


def _spread(x: Any, words: Words, ddof: Number, more: Dict[str, Any], root: bool) -> Any:
    dtype = words.dtype
    words = words._replace(dtype=None)

    def spread(variance: Any, n: Any) -> Any:
        if ddof:
            variance = variance * _over(n, ddof)
        if not root:
            return variance
        return numpy().sqrt(variance) if hasattr(variance, "astype") else math.sqrt(variance)

    def finish(found: Any, operand: Operand) -> Any:
        n = None
        if ddof:
            rest = {key: word for key, word in more.items() if key not in ("map", "full", "let")}
            n = _ask("sum", x, Words(words.axis, None, None, words.keepdims, None, words.where), {**rest, "map": "x == x || x != x"})
            n = n.values if more.get("by") is not None else n
        return _float_type(more, dtype)(spread(found.variance, n), operand)
    if dtype is None and _is_array(x) and _is_plain(words.axis, words.out, words.keepdims, words.where, more):
        found = calls["meanvar"](x)
        if found is not None:
            return numpy_scalar("f32" if x.dtype.char in "ef" else "f64")(spread(found[1], x.size))
    return _ask("meanvar", x, words, more, finish)


def _over(n: Any, ddof: Number) -> Any:
    """n/(n - ddof), or NaN where n is not above ddof."""
    if hasattr(n, "astype"):
        np = numpy()
        rest = n - ddof
        return np.where(rest > 0, n / np.where(rest > 0, rest, 1), np.nan)[()]
    return n / (n - ddof) if n > ddof else math.nan


def var(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Number = 0, keepdims: bool = False,
        where: Any = None, **more: Any) -> Any:
    """The variance, as numpy.var: squares of differences from the mean over n - ddof, without cancellation."""
    return _spread(x, Words(axis, dtype, out, keepdims, None, where), ddof, more, False)


def std(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: Number = 0, keepdims: bool = False,
        where: Any = None, **more: Any) -> Any:
    """The standard deviation, as numpy.std: the root of `var`."""
    return _spread(x, Words(axis, dtype, out, keepdims, None, where), ddof, more, True)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False, **more: Any) -> Any:
    """The norm of a vector, as numpy.linalg.norm: ord None or 2, 1 or inf, without overflow on the way.

    Of an array of several dimensions and no axis it is that of all elements.
    """
    op = {None: "norm2", 2: "norm2", 1: "asum", math.inf: "amax"}.get(ord)
    if op is None:
        raise UsageError(f"norm has ord None, 1, 2 and inf, and not {ord!r}")
    return _ask(op, x, Words(axis, None, None, keepdims), more, _float_type(more))

