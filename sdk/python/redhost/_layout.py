"""Which elements make a segment: from NumPy's axes to those of rh_segmentation, or to a copy."""
from typing import Any, List, NamedTuple, Sequence, Tuple

from ._abi import MOST_AXES
from ._arrays import c_strides, numpy, Operand, packed
from ._errors import axis_error, UsageError


class Layout(NamedTuple):
    """How the library gets the operands.  `axes`: (length, stride in elements, reduced), or nothing for the whole."""

    operands: List[Operand]
    axes: List[Tuple[int, int, bool]]
    n: int
    kept: Tuple[int, ...]  # the lengths of the results' axes, in the order in which the library writes them
    order: Tuple[int, ...]  # the array's axes that these are


def broadcast(operands: Sequence[Operand]) -> List[Operand]:
    """The same operands with one shape and one memory order."""
    first = operands[0]
    shapes = [o.shape for o in operands]
    if all(shape == first.shape for shape in shapes):
        steps = [tuple(s // o.itemsize for s in o.strides) for o in operands]
        if all(step == steps[0] for step in steps):
            return list(operands)
        return [packed(o) for o in operands]
    np = numpy()
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        raise UsageError("operands could not be broadcast together with shapes "
                         + " ".join(str(shape).replace(" ", "") for shape in shapes)) from None
    return [packed(_stretched(o, shape)) for o in operands]


def _stretched(operand: Operand, shape: Tuple[int, ...]) -> Operand:
    short = len(shape) - len(operand.shape)
    strides = [0] * short
    strides += [0 if have == 1 and want != 1 else stride
                for have, want, stride in zip(operand.shape, shape[short:], operand.strides)]
    owner = numpy().broadcast_to(operand.owner, shape) if operand.of_numpy and operand.queue is None else operand.owner
    return operand._replace(shape=shape, strides=tuple(strides), owner=owner)


def normal_axes(axis: Any, ndim: int) -> Tuple[int, ...]:
    """The axes that NumPy means, from 0.  A number has an axis 0, as it has in most of NumPy's functions."""
    if axis is None or (ndim == 0 and not isinstance(axis, tuple) and axis in (0, -1)):
        return tuple(range(ndim))
    given = axis if isinstance(axis, tuple) else (axis,)
    found = []
    for one in given:
        try:
            k = one.__index__()
        except AttributeError:
            raise TypeError(f"'{type(one).__name__}' object cannot be interpreted as an integer") from None
        if not -ndim <= k < ndim:
            raise axis_error(f"axis {k} is out of bounds for array of dimension {ndim}")
        found.append(k % ndim)
    if len(set(found)) < len(found):
        raise UsageError("duplicate value in 'axis'")
    return tuple(found)


def _is_served(operands: Sequence[Operand], reduced: Tuple[int, ...], in_order: bool) -> bool:
    for o in operands:
        if o.at % o.itemsize or any(stride < 0 or stride % o.itemsize for stride in o.strides):
            return False
    o = operands[0]
    kept = [o.strides[k] for k in range(len(o.shape)) if k not in reduced and o.shape[k] > 1]
    if len(set(kept)) < len(kept) or 0 in kept:
        return False
    inner = [o.strides[k] for k in sorted(reduced) if o.shape[k] > 1]
    return not in_order or inner == sorted(inner, reverse=True)


def _merged(axes: List[Tuple[int, int, bool]]) -> List[Tuple[int, int, bool]]:
    merged: List[Tuple[int, int, bool]] = []
    for length, stride, is_reduced in axes:
        if merged and merged[-1][2] == is_reduced and merged[-1][1] == length * stride:
            length *= merged.pop()[0]
        merged.append((length, stride, is_reduced))
    return merged


def lay_out(operands: Sequence[Operand], reduced: Tuple[int, ...], in_order: bool) -> Layout:
    """The layout of operands of one shape, none of whose lengths is 0.  in_order: the order of the elements matters."""
    if not _is_served(operands, reduced, in_order):
        operands = [packed(o) for o in operands]
    o = operands[0]
    order = sorted(range(len(o.shape)), key=lambda k: (-o.strides[k], k))
    kept = tuple(k for k in order if k not in reduced)
    axes = _merged([(o.shape[k], o.strides[k] // o.itemsize, k in reduced) for k in order if o.shape[k] > 1])
    if not any(is_reduced for _, _, is_reduced in axes):
        axes.append((1, 1, True))
    if len(axes) > MOST_AXES:
        if o.strides != c_strides(o.shape, o.itemsize):
            return lay_out([packed(each) for each in operands], reduced, in_order)
        raise UsageError(f"an array of {len(o.shape)} dimensions, of which these axes make more than {MOST_AXES}")
    n = 1 + sum((length - 1) * stride for length, stride, _ in axes)
    lengths = tuple(o.shape[k] for k in kept)
    is_whole = not kept and len(axes) == 1 and axes[0][1] == 1
    return Layout(list(operands), [] if is_whole else axes, n, lengths, kept)


def in_shape(values: Any, layout: Layout, reduced: Tuple[int, ...], ndim: int, keepdims: bool) -> Any:
    """The library's results in NumPy's order and shape."""
    values = values.reshape(layout.kept)
    values = values.transpose([layout.order.index(k) for k in sorted(layout.order)])
    if keepdims:
        lengths = iter(values.shape)
        values = values.reshape([1 if k in reduced else next(lengths) for k in range(ndim)])
    return values


def offsets_of(offsets: Any, n: int) -> Any:
    """Offsets as an array of u64, checked."""
    np = numpy()
    made = np.asarray(offsets)
    if made.ndim != 1 or made.size < 1 or made.dtype.kind not in "iu":
        raise UsageError("offsets are a list of n + 1 integers for n segments, in one dimension")
    if made.size and (int(made.min()) < 0 or int(made.max()) > n):
        raise UsageError(f"offsets lie from 0 to {n}, the number of elements; these reach from {made.min()} to {made.max()}")
    if (made[1:] < made[:-1]).any():
        at = int(np.argmax(made[1:] < made[:-1]))
        raise UsageError(f"offsets do not run backwards; offset {at + 1} is {made[at + 1]}, after {made[at]}")
    return np.ascontiguousarray(made, np.uint64)
