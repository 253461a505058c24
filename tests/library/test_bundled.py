"""The operators that come with redhost, at the ends of all types, against exact arithmetic; in one process, by the library."""

import ctypes
import math
import os
import struct
import sys
import unittest
from ctypes import byref, c_void_p
from decimal import Decimal, getcontext
from fractions import Fraction

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "sdk", "python"))
from redhost._abi import Error, Input, Options, Request, Result  # noqa: E402

getcontext().prec = 60
getcontext().Emin, getcontext().Emax = -10**6, 10**6
TYPES = dict(zip("i8 u8 i16 u16 i32 u32 i64 u64 f16 f32 f64".split(), range(1, 12)))
CODES = dict(zip(TYPES, "bBhHiIqQefd"))
MOST = {"f16": 65504.0, "f32": struct.unpack("<f", b"\xff\xff\x7f\x7f")[0], "f64": 1.7976931348623157e308}
TINY = {"f16": 2.0**-24, "f32": 2.0**-149, "f64": 5e-324}
NAN, INF = math.nan, math.inf


def number(type_number, value):
    return value.f if type_number >= 9 else value.i if type_number % 2 else value.u


# ---- What is right: each operator gives a list of (exact number, what its error is measured by) ----


def root(x):
    return Fraction((Decimal(x.numerator) / Decimal(x.denominator)).sqrt())


def special(terms):
    """The sum of terms of which some are not finite, as IEEE 754 has it; None if all are finite."""
    if any(isinstance(t, float) and math.isnan(t) for t in terms):
        return NAN
    infinite = {t for t in terms if isinstance(t, float)}
    return None if not infinite else NAN if len(infinite) > 1 else infinite.pop()


def exact(x):
    return Fraction(x) if isinstance(x, int) or math.isfinite(x) else x


def times(a, b):
    if isinstance(a, float) or isinstance(b, float):
        return float(a > 0) * INF * 0 if a == 0 or b == 0 else float(a) * (1.0 if b > 0 else -1.0) if isinstance(a, float) else times(b, a)
    return a * b


def sums(terms):
    """The sum, and that of the magnitudes."""
    odd = special(terms)
    return (odd, INF) if odd is not None else (sum(terms, Fraction(0)), sum((abs(t) for t in terms), Fraction(0)))


def mean(x):
    total, size = sums(x)
    return [(total if isinstance(total, float) else total / len(x), size if isinstance(total, float) else size / len(x))] if x else [(NAN, 1)]


def rms(x):
    if not x:
        return [(NAN, 1)]
    odd = special([abs(v) for v in x])
    return [(odd, 1)] if odd is not None else [(root(sum(v * v for v in x) / len(x)),) * 2]


def meanvar(x):
    ((middle, size),) = mean(x)
    if isinstance(middle, float):
        return [(middle, size), (NAN, 1)]
    squares = sum((v - middle) ** 2 for v in x)
    return [(middle, size), (squares / len(x), size * size + squares / len(x))]


def norm2(x):
    odd = special([abs(v) for v in x])
    return [(odd, 1)] if odd is not None else [(root(sum((v * v for v in x), Fraction(0))),) * 2]


def logsumexp(x):
    if special(x) is not None or not x:
        return [(NAN if any(v != v for v in x) else INF if INF in x else -INF if all(v == -INF for v in x) else None, 1)]
    top = max(x)
    return [(Fraction(top) + Fraction(math.log(sum(math.exp(float(max(v - top, -800))) for v in x))), abs(top) + 1)]


def ends(x):
    odd = NAN if any(v != v for v in x) else None
    return [(odd if odd is not None else min(x), 0), (odd if odd is not None else max(x), 0)]


def ptp(x):
    (least, _), (most, _) = ends(x)
    return [(NAN if least != least or least == most and isinstance(least, float) else most - least, 2 * max(abs(most), abs(least)))]


def dot(x, y, type):
    terms = [times(a, b) for a, b in zip(x, y)]
    if type[0] != "f":
        total = int(sum(terms)) % 2**64
        return [(Fraction(total - 2**64 if type[0] == "i" and total >= 2**63 else total), 0)]
    total, size = sums(terms)
    return [(None if not isinstance(total, float) and size > Fraction(MOST["f64" if type == "f64" else "f32"]) else total, size)]


def cosine(x, y, type):
    if any(isinstance(v, float) for v in x + y):
        return [(NAN, 1)]
    xx, yy = sum(v * v for v in x), sum(v * v for v in y)
    return [(sum(a * b for a, b in zip(x, y)) / root(xx * yy) if xx * yy else NAN, 1)]


def wmean(x, w, type):
    (upper, size), (lower, weight) = sums([times(a, b) for a, b in zip(x, w)]), sums(w)
    if isinstance(lower, float):
        return [(NAN, 1)]
    if lower == 0 or weight > 2**50 * abs(lower):
        return [(None, 1)]
    return [(upper if lower > 0 else -upper, 1)] if isinstance(upper, float) else [(upper / lower, size / abs(lower) * (weight / abs(lower)))]


def count(x):
    return [(Fraction(sum(v != 0 for v in x)), 0)]


ONE = {"mean": mean, "rms": rms, "meanvar": meanvar, "norm2": norm2, "logsumexp": logsumexp, "ptp": ptp, "minmax": ends, "count": count,
       "any": lambda x: [(Fraction(any(v != 0 for v in x)), 0)], "all": lambda x: [(Fraction(all(v != 0 for v in x)), 0)]}
TWO = {"dot": dot, "cosine": cosine, "wmean": wmean}
RESULTS = {"mean": "f64 f32", "rms": "f64 f32", "wmean": "f64 f32", "cosine": "f64 f32"}  # of integers and f64; of f16 and f32


def arrays(type):
    if type[0] != "f":
        bits, signed = int(type[1:]), type[0] == "i"
        least, most = (-2 ** (bits - 1), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
        yield from ([least], [most], [least, most], [most, least], [most] * 4, [least] * 5, [1, 2], [0, 0, 3], [most - 1, most, 1], list(range(100)))
        if signed:
            yield from ([-1, -2, -3], [-5], [least, -1, most, 0])
        return
    most, tiny = MOST[type], TINY[type]
    large = math.ldexp(1.0, {"f16": 12, "f32": 66, "f64": 530}[type])
    yield from ([most], [-most, most], [most] * 4, [-most] * 3, [tiny] * 3, [tiny, -tiny, tiny], [large, large, large], [1 / large] * 5, [most, tiny],
                [most / 2, 1.0, -2.0], [1.5, 2.25], [-0.0, 0.0], [-0.0], [0.5] * 100, [1.0, -1.0, 3.0])
    near = math.ldexp(1.0, {"f16": 7, "f32": 63, "f64": 511}[type])  # whose square is a number of the type, but not the sum of some
    yield from ([near, -near] * 300, [4 * near, -4 * near] + [0.0] * 700, [0.0] * 700 + [near / 16], [near] * 2 + [-near] * 2, [near, 1.0] * 150)
    for odd in (NAN, INF, -INF):
        yield from ([odd], [odd, 1.0, 2.0], [1.0, odd, 2.0], [1.0, 2.0, odd])
    yield from ([INF, -INF, 1.0], [1.0, INF, -INF], [INF, INF], [-INF, 0.0])


class Bundled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.library = ctypes.CDLL(os.environ["REDHOST_TEST_LIBRARY"])
        cls.handle, cls.wrong, cls.tried = c_void_p(), [], 0
        options = Options(struct_size=ctypes.sizeof(Options), program=os.environ["REDHOST_TEST_PROGRAM"].encode(),
                          plugin_path=os.environ["REDHOST_TEST_PLUGINS"].encode(), no_measure=1)
        error = Error()
        if cls.library.rh_open(byref(cls.handle), byref(options), byref(error)) != 0:
            raise RuntimeError(error.message)

    @classmethod
    def tearDownClass(cls):
        cls.library.rh_close(cls.handle)

    def reduce(self, strategy, op, types, operands, where):
        data = [(ctypes.c_char * (max(1, len(x)) * struct.calcsize(CODES[t]) + 64)).from_buffer_copy(
            struct.pack("<%d%s" % (len(x), CODES[t]), *x).ljust(max(1, len(x)) * struct.calcsize(CODES[t]) + 64, b"\0"))
            for t, x in zip(types, operands)]
        inputs = (Input * len(data))(*(Input(None, TYPES[t], 0, ctypes.addressof(d)) for t, d in zip(types, data)))
        n = len(operands[0])
        request = Request(struct_size=ctypes.sizeof(Request), strategy=strategy.encode(), op=op.encode(), inputs=inputs, n_inputs=len(data), n=n,
                          where=where)
        result, error = Result(struct_size=ctypes.sizeof(Result)), Error()
        status = self.library.rh_reduce(self.handle, byref(request), byref(result), byref(error))
        self.assertEqual(status, 0, (strategy, op, types, operands, where, error.message))
        if not result.n_fields:
            return [(result.type, number(result.type, result.value))]
        return [(f.type, number(f.type, f.value)) for f in result.fields[: result.n_fields]]

    def compare(self, what, got, wanted):
        self.assertEqual(len(got), len(wanted), what)
        for (kind, value), (right, size) in zip(got, wanted):
            Bundled.tried += 1
            if right is None:
                continue
            type = list(TYPES)[kind - 1]
            if type[0] == "f" and not isinstance(right, float) and abs(right) > Fraction(MOST[type]) * (1 + Fraction(1, 2**25)):
                right = INF if right > 0 else -INF
            if isinstance(right, float) or (isinstance(value, float) and not math.isfinite(value)):
                good = value == right or (value != value and right != right)
            else:
                unit = Fraction(1, 2**22 if type == "f32" else 2**50)
                good = abs(Fraction(value) - right) <= (unit * size + Fraction(TINY[type]) if type[0] == "f" else 0)
            if not good:
                self.wrong.append("%s: %s %r, wanted %s" % (what, type, value, float(right) if abs(right) < 2**1000 else right))

    def every(self, strategies, types, masked):
        self.wrong.clear()
        for strategy in strategies:
            for op in list(ONE) + list(TWO):
                for type in types:
                    for x in arrays(type):
                        self.one(strategy, op, type, x, masked)
        self.assertFalse(self.wrong, "%d wrong\n%s" % (len(self.wrong), "\n".join(self.wrong[:40])))

    def one(self, strategy, op, type, x, masked):
        if type == "f16":
            x = [struct.unpack("<e", struct.pack("<e", v))[0] for v in x]
        numbers = [exact(v) for v in x]
        y = x[::-1] if len(x) % 2 else x
        other = [exact(v) for v in y]
        wanted = TWO[op](numbers, other, type) if op in TWO else ONE[op](numbers)
        operands = [x, y] if op in TWO else [x]
        if masked:  # every other element is left out
            most = MOST.get(type) or (1 << int(type[1:]) - (type[0] == "i")) - 1
            operands = [[v for pair in zip(o, [most] * len(o)) for v in pair] for o in operands]
        got = self.reduce(strategy, op, [type] * len(operands), operands, b"i % 2 == 0" if masked else None)
        self.compare((strategy, op, type, x[:9], "masked" if masked else ""), got, wanted)
        if op in RESULTS:
            expected = RESULTS[op].split()[type in ("f16", "f32")]
            self.assertEqual(list(TYPES)[got[0][0] - 1], expected, (op, type))

    def test_all_types_on_the_host(self):
        self.every(("native", "serial"), TYPES, 0)

    def test_masked(self):
        self.every(("native",), TYPES, 1)

    def test_on_a_device(self):
        self.every(("cascade",), ("i64", "f64"), 0)

    def test_nothing(self):
        """No elements, or none that a condition leaves in."""
        zeros = {"norm2": [0.0], "logsumexp": [-INF], "count": [0], "any": [0], "all": [1], "dot": [0]}
        for type in TYPES:
            for op in ("mean", "rms", "wmean", "cosine", "meanvar", *zeros):
                wanted = zeros.get(op) or ([NAN, NAN] if op == "meanvar" else [NAN])
                for x, where in (([], None), ([1, 2], b"i > n")):
                    got = self.reduce("native", op, [type] * (2 if op in TWO else 1), [x] * (2 if op in TWO else 1), where)
                    self.assertEqual([str(float(v)) for _, v in got], [str(float(v)) for v in wanted], (op, type, where))

    def test_mixed_types(self):
        """Products of integers have 64 bits, and a sign if one of the two has."""
        cases = [("u8", [255] * 3, "i32", [-2**31] * 3, -255 * 2**31 * 3), ("u32", [2**32 - 1], "i32", [-1], 1 - 2**32),
                 ("u64", [5], "i64", [-1], -5), ("i16", [-32768], "u16", [65535], -32768 * 65535), ("u32", [2**32 - 1], "u8", [255], 255 * (2**32 - 1)),
                 ("i8", [-3], "f64", [0.5], -1.5), ("i64", [2**40], "f32", [0.5], 2.0**39)]
        for first, x, second, y, wanted in cases:
            for types, operands in (((first, second), (x, y)), ((second, first), (y, x))):
                ((_, value),) = self.reduce("native", "dot", types, operands, None)
                self.assertEqual(value, wanted, (types, operands))
                ((_, value),) = self.reduce("native", "cosine", types, operands, None)
                self.assertEqual(value, math.copysign(1, wanted), (types, operands))
                ((_, value),) = self.reduce("native", "wmean", types, operands, None)
                self.assertEqual(value, operands[0][0], (types, operands))


if __name__ == "__main__":
    unittest.main()
