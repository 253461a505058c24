"""reduce(), which every other function is a word for."""
import ctypes as c
import os
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple, Union

from . import _abi, _handle, _quick
from ._arrays import Operand

MASK = "redhost_mask"
SHORT = 1 << 28  # bytes whose reduction nobody interrupts
Progress = Union[bool, Callable[[str, int, int], object]]


class Values(tuple):  # type: ignore[type-arg]
    """Several results of one pass, by place or by name: v[0], v.mean."""

    names: Tuple[str, ...]

    def __new__(cls, names: Sequence[str], values: Sequence[Any]) -> "Values":
        made = super().__new__(cls, values)
        made.names = tuple(names)
        return made

    def __getattr__(self, name: str) -> Any:
        if name != "names" and name in self.names:
            return self[self.names.index(name)]
        raise AttributeError(name)

    def __reduce__(self) -> Tuple[Any, ...]:
        return Values, (self.names, tuple(self))

    def __repr__(self) -> str:
        return "(" + ", ".join(f"{name}={value!r}" for name, value in zip(self.names, self)) + ")"


class Groups(NamedTuple):
    """What by= gives: each label, in ascending order, and the value of its elements."""

    labels: Any
    values: Any


class Result:
    """What full=True gives.

    value: the answer; strategy: the one that computed it; time: of the call, in seconds; check: "ok", or "none" if it was not
    compared with the exact reference; bound: how far from the exact answer it may be, of one number that was compared and is
    the operator's own value, as of sums, products and extremes; else None.
    """

    def __init__(self, value: Any, strategy: str, seconds: float, check: str, bound: Optional[float]) -> None:
        self.value, self.strategy, self.time, self.check, self.bound = value, strategy, seconds, check, bound

    def __repr__(self) -> str:
        bound = "" if self.bound is None else f"bound={self.bound:.3g}, "
        return (f"Result(value={self.value!r}, {bound}strategy={self.strategy!r}, check={self.check!r}, "
                f"time={self.time:.3g} s)")

    def _repr_html_(self) -> str:
        rows = [("value", self.value), ("strategy", self.strategy), ("check", self.check), ("time", f"{self.time:.3g} s")]
        if self.bound is not None:
            rows.insert(1, ("bound", self.bound))
        cells = "".join(f"<tr><th>{name}</th><td>{str(text).replace('&', '&amp;').replace('<', '&lt;')}</td></tr>"
                        for name, text in rows)
        return f"<table>{cells}</table>"


class Texts(NamedTuple):
    """What is reduced, as text."""

    op: Optional[str] = None
    map: Optional[str] = None
    where: Optional[str] = None
    reduce: Optional[str] = None
    identity: Optional[str] = None
    finalize: Optional[str] = None
    initial: Optional[str] = None
    commutes: bool = False
    unchecked_op: bool = False
    let: Tuple[Tuple[str, Union[int, float]], ...] = ()
    settings: Tuple[Tuple[str, str], ...] = ()


class Way(NamedTuple):
    """How it is reduced."""

    strategy: Optional[str] = None
    device: Optional[str] = None
    check: bool = False
    exact: bool = False
    progress: Progress = False


PLAIN = Way()  # as it is without a word

# The order of their elements matters to no result of these.
COMMUTES = frozenset("sum prod min max and or xor asum amax dot mean rms meanvar norm2 logsumexp count any all minmax ptp "
                     "wmean cosine".split())


def _encoded(text: Optional[str]) -> Optional[bytes]:
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"an expression or a name is a string, and this is {type(text).__name__}")
    return text.encode()


def make_request(texts: Texts, operands: Sequence[Operand], n: int, way: Way) -> Tuple[_abi.Request, List[Any]]:
    """A request, and what has to live as long as it."""
    request = _abi.Request(struct_size=c.sizeof(_abi.Request), n=n, unchecked=0 if way.check or way.exact else 1,
                           accuracy=1 if way.exact else 0, commutes=texts.commutes, unchecked_op=texts.unchecked_op)
    for name in ("op", "map", "where", "reduce", "identity", "finalize", "initial"):
        setattr(request, name, _encoded(getattr(texts, name)))
    inputs = (_abi.Input * len(operands))()
    for k, o in enumerate(operands):
        inputs[k].type, inputs[k].data = o.type, (o.at or None) if n else None
    if texts.where == MASK or (texts.where or "").startswith(f"{MASK} &&"):
        inputs[len(operands) - 1].name = MASK.encode()
    constants = (_abi.Constant * max(len(texts.let), 1))()
    for k, (name, value) in enumerate(texts.let):
        constants[k].name, constants[k].is_float = name.encode(), isinstance(value, float)
        if isinstance(value, float):
            constants[k].value.f = value
        else:
            constants[k].value.i = value if value < 2**63 else value - 2**64
    settings = (_abi.Setting * max(len(texts.settings), 1))()
    for k, (key, word) in enumerate(texts.settings):
        settings[k].key, settings[k].value = key.encode(), word.encode()
    if len(operands) == 1 and not texts.let:
        request.type, request.data = inputs[0].type, inputs[0].data
    else:
        request.inputs, request.n_inputs = inputs, len(operands)
    if texts.let:
        request.constants, request.n_constants = constants, len(texts.let)
    if texts.settings:
        request.settings, request.n_settings = settings, len(texts.settings)
    return request, [inputs, constants, settings]


def strategies_of(request: _abi.Request, way: Way, n_bytes: int) -> Tuple[Optional[bytes], ...]:
    """What is tried: a name, or `native` first.  A device with memory of its own cannot win against it, for the copy there
    reads the array as well, unless much is computed; and looking for one takes longer than most reductions."""
    if way.strategy:
        return (way.strategy.encode(),)
    computes = request.map or request.reduce
    if way.device or os.environ.get("REDHOST_DEVICE") or (computes and n_bytes > _quick.NATIVE_BYTES):
        return (None,)
    return (b"native", None)


def call(request: _abi.Request, way: Way, n_bytes: int) -> _abi.Result:
    """rh_reduce() by the first strategy that serves."""
    result = _abi.Result(struct_size=c.sizeof(_abi.Result))
    handle = _handle.handle(way.device)
    if not way.device:
        _quick.ready(handle.address)
    reduce, arguments = _handle.library().rh_reduce, (c.byref(request), c.byref(result))
    for strategy in strategies_of(request, way, n_bytes):
        request.strategy = strategy
        error = _abi.Error()
        if n_bytes < SHORT and not way.check:
            status = reduce(handle.address, *arguments, c.byref(error))
        else:
            with _handle.interruptible():
                status = reduce(handle.address, *arguments, c.byref(error))
        if status != 1:
            break
    _handle.check(status, error)
    return result


def of_bar(progress: Progress) -> Optional[Callable[[str, int, int], object]]:
    """What the library's progress is told to: the caller's function, or a bar of tqdm."""
    if callable(progress):
        return progress
    if not progress:
        return None
    try:
        from importlib import import_module
        tqdm = import_module("tqdm.auto").tqdm
    except ImportError:
        raise TypeError("progress=True shows a bar of tqdm, which is not installed: pip install tqdm, or give a function of "
                        "(phase, done, total)") from None
    bars: Dict[str, Any] = {}

    def show(phase: str, done: int, total: int) -> None:
        bar = bars.get(phase)
        if bar is None:
            bar = bars[phase] = tqdm(total=total or None, desc=phase, leave=False)
        bar.update(done - bar.n)
        if total and done >= total:
            bar.close()
    return show


def without_values(texts: Texts) -> Any:
    """The same for all values of the constants, but not for an int and a float."""
    return texts._replace(let=()), tuple((name, isinstance(value, float)) for name, value in texts.let)


# The types and names of what an operator gives, which one element tells.
_kinds: Dict[Any, List[Tuple[str, str]]] = {}


def kinds_of(texts: Texts, types: Tuple[int, ...], way: Way) -> List[Tuple[str, str]]:
    """(name, type) of each result; of argmin and its like ("index", "i64")."""
    key = (without_values(texts), types)
    if key not in _kinds:
        zero = (c.c_uint64 * 1)()
        one = [Operand(c.addressof(zero), t, False, (1,), (_abi.SIZES[t],), zero, False) for t in types]
        request, _alive = make_request(texts._replace(settings=()), one, 1, Way())
        result = call(request, Way(device=way.device), 8)
        fields = [(result.fields[k].name.decode(), _abi.TYPES[result.fields[k].type]) for k in range(result.n_fields)]
        if not fields:
            fields = [("index", "i64") if result.indexed else ("", _abi.TYPES[result.type])]
        elif result.indexed:
            fields[0] = (fields[0][0], "i64")
        _kinds[key] = fields
    return _kinds[key]


def _number(name: str, value: _abi.Number, of_numpy: bool) -> Any:
    number = value.f if name[0] == "f" else value.i if name[0] == "i" else value.u
    return _quick.numpy_scalar(name)(number) if of_numpy else number


def scalars(result: _abi.Result, of_numpy: bool) -> Any:
    """The answer as one number, or Values."""
    found = []
    names = []
    for k in range(result.n_fields):
        field = result.fields[k]
        names.append(field.name.decode())
        found.append(_number(_abi.TYPES[field.type], field.value, of_numpy))
    if result.indexed:
        index = -1 if result.index == _abi.NO_INDEX else result.index
        made = _quick.numpy_scalar("i64")(index) if of_numpy else index
        if not found:
            return made
        found[0] = made
    if len(found) > 1 or (found and names[0] not in ("", "value")):
        return Values(names, found) if len(found) > 1 else found[0]
    return _number(_abi.TYPES[result.type], result.value, of_numpy)
