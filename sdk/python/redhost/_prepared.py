"""Prepared reductions: set up once, called many times."""
import ctypes as c
import threading
import weakref
from typing import Any, Callable, Mapping, Optional, Tuple, Union

from . import _abi, _handle
from ._arrays import Operand, operand, packed, type_name
from ._errors import UsageError
from ._quick import of_prepared
from ._reduce import make_request, scalars, strategies_of, Texts, Way
from ._words import constants, settings_of

_HOST = (b"native", b"serial")


class Prepared:
    """A reduction that was set up, to be called with arrays of its type and of at most its size.

    Calls are not checked: the strategy passed a self-test when it was prepared.  One call at a time; prepare one for each
    thread.  A call of it with NumPy's arrays gives NumPy's scalars, and one with others Python's numbers.
    """

    def __init__(self, texts: Texts, types: Tuple[str, ...], max_n: int, way: Way) -> None:
        self.texts, self.types, self.max_n = texts, types, max_n
        zeros = [Operand(0, _abi.NUMBERS[name], False, (max_n,), (0,), None, False) for name in types]
        address = _prepare(texts, zeros, max_n, way)
        self._close = weakref.finalize(self, _handle.library().rh_prepared_destroy, address)
        self._close.atexit = False  # the system takes back what the process has
        self._address, self._busy = address, threading.Lock()
        self._error, self._result = _abi.Error(), _abi.Result(struct_size=c.sizeof(_abi.Result))
        self._plain: Optional[Callable[[Any], Any]] = None  # for one plain array
        self._before_close: Callable[[], None] = lambda: None
        self._last: Any = None  # a device may still have an object over it

    def __call__(self, *arrays: Any) -> Any:
        """The answer for one array, or for one for each operand."""
        if self._plain is not None and len(arrays) == 1:
            value = self._plain(arrays[0])
            if value is not None:
                return value
        if not self._busy.acquire(False):
            raise UsageError("this prepared reduction is in a call already; prepare one for each thread")
        try:
            return self._any(arrays)
        finally:
            self._busy.release()

    def _any(self, arrays: Tuple[Any, ...]) -> Any:
        if not self._close.alive:
            raise UsageError("this prepared reduction was closed")
        given = [packed(operand(x)) for x in arrays]
        if len(given) != len(self.types):
            raise UsageError(f"this reduction was prepared for {len(self.types)} operands, and called with {len(given)}")
        for k, o in enumerate(given):
            if o.queue is not None:
                raise UsageError("arrays of PyOpenCL need no prepared reduction: redhost.reduce() keeps its own")
            if _abi.TYPES[o.type] != self.types[k] or o.size != given[0].size:
                raise UsageError(f"operand {k + 1} has {o.size} elements of {_abi.TYPES[o.type]}; prepared was {self.types[k]}, "
                                 f"and the first one has {given[0].size}")
        at = (c.c_void_p * len(given))(*[o.at for o in given])
        spec = _abi.CallSpec(struct_size=c.sizeof(_abi.CallSpec), n_operands=len(given), n=given[0].size,
                             arrays=c.addressof(at))
        with _handle.interruptible():
            status = _handle.library().rh_prepared_call(self._address, c.byref(spec), c.byref(self._result),
                                                        c.byref(self._error))
        _handle.check(status, self._error)
        value = scalars(self._result, any(o.of_numpy for o in given))
        if self._result.strategy not in _HOST:
            self._last = given
        elif len(given) == 1 and not self._result.n_fields and self._plain is None:
            self._plain, self._before_close = of_prepared(self._address, given[0].type)
        return value

    @property
    def strategy(self) -> str:
        """The strategy of the latest call."""
        return str(self._result.strategy.decode())

    def let(self, **constants_: Union[int, float]) -> None:
        """Other values for constants, for all calls that follow.

        >>> import redhost
        >>> from array import array
        >>> scaled = redhost.prepare("sum", "f64", 10, map="t*x", let={"t": 2.0})
        >>> scaled.let(t=3.0); scaled(array("d", [1, 2]))
        9.0
        """
        request, _alive = make_request(Texts(let=constants(constants_)), [], 0, Way())
        status = _handle.library().rh_prepared_set_constants(self._address, request.constants, request.n_constants,
                                                             c.byref(self._error))
        _handle.check(status, self._error)

    def close(self) -> None:
        """Releases everything; also done where nobody has it any more."""
        self._plain = None
        self._before_close()
        self._close()

    def __enter__(self) -> "Prepared":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        what = self.texts.op or self.texts.reduce
        return f"<redhost.Prepared {what} of up to {self.max_n} {', '.join(self.types)}>"


def _prepare(texts: Texts, operands: Any, n: int, way: Way) -> int:
    request, _alive = make_request(texts, operands, n, way)
    request.unchecked, request.accuracy = 0, 0
    prepared, error, handle = c.c_void_p(), _abi.Error(), _handle.handle(way.device)
    for strategy in strategies_of(request, way, n * sum(o.itemsize for o in operands)):
        request.strategy = strategy
        status = _handle.library().rh_prepare(handle.address, c.byref(request), c.byref(prepared), c.byref(error))
        if status != 1:
            break
    _handle.check(status, error)
    return prepared.value or 0


def prepare(op: str, dtype: Any, max_n: int, *, map: Optional[str] = None, where: Optional[str] = None,
            reduce: Optional[str] = None, identity: Optional[Union[str, int, float]] = None,
            finalize: Optional[str] = None, let: Optional[Mapping[str, Union[int, float]]] = None, commutes: bool = False,
            strategy: Optional[str] = None, settings: Optional[Mapping[str, object]] = None,
            device: Optional[str] = None) -> Prepared:
    """Sets up a reduction for any number of calls with at most max_n elements of a type, or of a tuple of types.

    The other arguments are those of `reduce`.  It reduces whole arrays; calls along axes keep what they need by themselves.

    >>> from array import array
    >>> with prepare("sum", "f32", 1000) as total:
    ...     total(array("f", [1, 2, 3]))
    6.0
    """
    types = tuple(type_name(one) for one in (dtype if isinstance(dtype, tuple) else (dtype,)))
    texts = Texts(op=None if reduce else op, map=map, where=where, reduce=reduce,
                  identity=None if identity is None else str(identity), finalize=finalize, commutes=commutes,
                  let=constants(let), settings=settings_of(settings))
    return Prepared(texts, types, max_n, Way(None if strategy == "auto" else strategy, device))
