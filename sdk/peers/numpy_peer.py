#!/usr/bin/env python3
"""A peer program in Python: NumPy's reductions, as a user would call them.  The protocol is in docs/extend/peers.md."""
import mmap
import os
import sys
import time

import numpy as np

CHANNEL, DATA = 4, 5
TYPES = {"i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16, "i32": np.int32, "u32": np.uint32,
         "i64": np.int64, "u64": np.uint64, "f16": np.float16, "f32": np.float32, "f64": np.float64}


def wide(x):
    """The type that sums and products are kept in, which for f16 is not NumPy's own choice."""
    return {"f": np.float32 if x.itemsize < 8 else np.float64, "i": np.int64, "u": np.uint64}[x.dtype.kind]


def at(find):
    """find(x) is an index; the answer is the element there, and the index."""
    def reduce(x):
        index = find(x)
        return x[index], index
    return reduce


EVERYWHERE = {
    "sum": lambda x: np.sum(x, dtype=wide(x)),
    "prod": lambda x: np.prod(x, dtype=wide(x)),
    "min": np.min,
    "max": np.max,
    "argmin": at(np.argmin),
    "argmax": at(np.argmax),
}
# NumPy's abs() leaves the least integer negative.
FLOATS = {
    "asum": lambda x: np.sum(np.abs(x), dtype=wide(x)),
    "amax": lambda x: np.max(np.abs(x)),
    "argamax": lambda x: at(np.argmax)(np.abs(x)),
}
INTEGERS = {"and": np.bitwise_and.reduce, "or": np.bitwise_or.reduce, "xor": np.bitwise_xor.reduce}


def function(op, kind):
    return {**EVERYWHERE, **(FLOATS if kind == "f" else INTEGERS)}.get(op)


class Declined(Exception):
    pass


# Of many segments at once: along an axis, and by where each begins.
BY_AXIS = {
    "sum": lambda x, axis: np.sum(x, axis, wide(x)),
    "prod": lambda x, axis: np.prod(x, axis, wide(x)),
    "min": np.min, "max": np.max, "argmin": np.argmin, "argmax": np.argmax,
}
BY_STARTS = {
    "sum": (lambda x, starts: np.add.reduceat(x, starts, dtype=wide(x)), 0),
    "prod": (lambda x, starts: np.multiply.reduceat(x, starts, dtype=wide(x)), 1),
    "min": (np.minimum.reduceat, None),
    "max": (np.maximum.reduceat, None),
}


class Segments:
    """What reduces each segment; the offsets are read once, when the point is opened."""

    def __init__(self, op, dtype, n, segments, length, inner, offsets, results):
        self.at, self.results = results, None
        if length:
            if op not in BY_AXIS:
                raise Declined(f"no {op} along an axis")
            used = segments * length
            shape = (segments // inner, length, inner) if inner > 1 else (segments, length)
            self.reduce = lambda x: BY_AXIS[op](x[:used].reshape(shape), 1).reshape(segments)
            return
        if op not in BY_STARTS:
            raise Declined(f"no {op} by offsets")
        with mmap.mmap(DATA, offsets + 8 * (segments + 1), access=mmap.ACCESS_READ) as file:
            bounds = np.frombuffer(bytearray(file[offsets:]), np.uint64).astype(np.int64)
        starts, full = bounds[:-1], bounds[1:] > bounds[:-1]
        call, identity = BY_STARTS[op]
        if full.all():  # add.reduceat takes an empty one for one of one element
            self.reduce = lambda x: call(x, starts)
            return
        if identity is None:
            raise Declined(f"no {op} of an empty segment")
        kept = starts[full]

        def reduce(x):
            found = call(x, kept)
            all_of_them = np.full(segments, identity, found.dtype)
            all_of_them[full] = found
            return all_of_them
        self.reduce = reduce

    def write(self):
        data = self.results.tobytes()
        if os.pwrite(DATA, data, self.at) != len(data):
            raise OSError("the results were not written")


class Point:
    """The copies, in huge pages where the system has them, and what reduces one."""

    def __init__(self, op, type_name, n, copies, stride, *segments):
        dtype = np.dtype(TYPES.get(type_name, np.void))
        self.segments = Segments(op, dtype, n, *segments) if segments else None
        self.reduce = self.segments.reduce if segments else function(op, dtype.kind)
        if type_name not in TYPES or self.reduce is None:
            raise Declined(f"no {op} of {type_name}")
        if n == 0:
            raise Declined("not for 0 elements")
        size = n * dtype.itemsize
        with mmap.mmap(DATA, size, access=mmap.ACCESS_READ) as data:
            pool = mmap.mmap(-1, stride * (copies - 1) + size)
            pool.madvise(mmap.MADV_HUGEPAGE)
            for copy in range(copies):
                pool[copy * stride:copy * stride + size] = data
        self.arrays = [np.frombuffer(pool, dtype, n, copy * stride) for copy in range(copies)]
        self.next = 0

    def one(self, copies):
        x = self.arrays[self.next % copies]
        self.next += 1
        return self.reduce(x)

    def take(self, kind, batch):
        copies = 1 if kind == "latency" else len(self.arrays)
        self.one(copies)
        begin = time.perf_counter()
        for _ in range(batch):
            value = self.one(copies)
        seconds = (time.perf_counter() - begin) / batch
        if self.segments:
            self.segments.results = value
        return f"taken {seconds:.17g} host {0 if self.segments else spell(value)}"

    def values(self):
        self.segments.write()
        return "valued"


def spell(value):
    if isinstance(value, tuple):
        return f"{spell(value[0])} {value[1]}"
    return str(int(value)) if value.dtype.kind in "iu" else format(float(value), ".17g")


def answer(peers, points, words):
    """What to say to one line; `points` are those that are open, by the peer's name."""
    verb, name, *rest = words
    if verb not in ("open", "segments", "take", "values", "close") or name not in peers:
        raise ValueError("a malformed question")
    if verb == "close":
        points.pop(name, None)
        return "closed"
    if (verb in ("take", "values")) != (name in points):
        raise ValueError(f"{name} is open already" if name in points else f"{name} is not open")
    if verb in ("open", "segments"):
        points[name] = peers[name].point(rest[0], rest[1], *map(int, rest[2:5 if verb == "open" else 10]))
        return f"opened {peers[name].clock} 0"
    return points[name].values() if verb == "values" else points[name].take(rest[0], int(rest[1]))


class Peer:
    """What a program offers: the words behind its name, its headline's clock, and what opens a point."""

    def __init__(self, about, clock, point):
        self.about, self.clock, self.point = about, clock, point


def serve(peers):
    """Speaks the protocol for `peers`, a dictionary of Peers by name, until nobody asks any more."""
    channel = os.fdopen(os.dup(CHANNEL), "r", encoding="ascii", newline="\n")

    def say(line):
        os.write(CHANNEL, line.encode("ascii", "replace") + b"\n")

    say("redhost-peer 1")
    for name, peer in peers.items():
        say(f"peer {name} {peer.about}")
    say("ready")
    points = {}
    for line in channel:
        try:
            text = answer(peers, points, line.split())
        except Declined as declined:
            text = f"declined {declined}"
        except Exception as error:  # whatever it is, it is told and not shown
            text = f"failed {type(error).__name__}: {error}".replace("\n", " ")[:400]
        say(text)


def leave_unless_asked():
    try:
        os.fstat(CHANNEL)
    except OSError:
        sys.exit("This is a peer program: redhost --bench --peer=PROGRAM runs it.")


if __name__ == "__main__":
    leave_unless_asked()
    np.seterr(all="ignore")
    serve({"numpy": Peer(f"NumPy {np.__version__}, Python {sys.version.split()[0]}", "host", Point)})
