"""The canonical order of docs/bits.md, version 1, in NumPy: written from the page, not from redhost's code."""
import numpy as np

ROW_BYTES, ROWS = 512, 4


def halve(values, combine):
    """The upper half onto the lower half, down to one, along the last axis."""
    while values.shape[-1] > 1:
        half = values.shape[-1] // 2
        values = combine(values[..., :half], values[..., half:])
    return values[..., 0]


def tree(values, combine, identity):
    """Neighbours, pairs of neighbours, and so on, along the first axis; one that is alone stays as it is."""
    while len(values) > 1:
        if len(values) % 2:
            values = np.concatenate([values, [identity]])
        values = combine(values[0::2], values[1::2])
    return values[0]


def reduce(values, element_size, combine, identity):
    """`values`: one for each element, of the type that is combined."""
    lanes = ROW_BYTES // element_size
    tiles = max(1, -(-len(values) // (ROWS * lanes)))
    padded = np.full(tiles * ROWS * lanes, identity, dtype=values.dtype)
    padded[:len(values)] = values
    rows = padded.reshape(tiles, ROWS, lanes)
    lanes = combine(combine(rows[:, 0], rows[:, 1]), combine(rows[:, 2], rows[:, 3]))
    return tree(halve(lanes, combine), combine, identity)
