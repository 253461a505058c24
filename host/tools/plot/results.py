"""A document of redhost, arranged for pictures: a panel for each device, operator and type, with a curve for each
strategy and each peer.  redhost has read and checked the file; texts and numbers in it can still be anything."""
from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, field

SIZES = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "f16": 2, "f32": 4, "f64": 8}
ALL_IN_KEY, MOST_IN_KEY, MOST_PEERS = 10, 8, 6  # more curves cannot be told apart


@dataclass
class Row:
    device: str
    op: str
    type: str
    n: int
    name: str
    peer: bool
    seconds: float
    low: float  # its 95 % interval
    high: float
    bytes_each: float  # of input, for one element
    moved: float = 0  # of segments, whose n is their length: bytes, which are counted in place of elements

    @property
    def rate(self) -> float:
        return (self.moved or self.n) / self.seconds

    def share(self, peak: float, seconds: float | None = None) -> float:
        return 100 * (self.moved or self.n) * self.bytes_each / (seconds or self.seconds) / peak


@dataclass
class Curve:
    name: str
    peer: bool
    rows: list[Row] = field(default_factory=list)  # by n
    style: int = 0  # from 0, for strategies and for peers; a name has the same in all panels
    wins: int = 0
    in_key: bool = False


@dataclass
class Panel:
    device: str
    op: str
    type: str
    curves: list[Curve]  # what is fastest at the largest n comes first
    best: dict[int, str]  # the best strategy at each n
    peak: float  # bytes/s; 0: unknown
    launch: float  # s; 0: unknown

    @property
    def rows(self) -> list[Row]:
        return [row for curve in self.curves for row in curve.rows]

    @property
    def is_cut(self) -> bool:
        return self.rows[0].moved > 0

    @property
    def sizes(self) -> list[int]:
        return sorted({row.n for row in self.rows})

    @property
    def bytes_each(self) -> float:
        return self.curves[0].rows[0].bytes_each

    def beaten(self, n: int) -> bool:
        """Is a peer faster than the best strategy?"""
        here = [row for row in self.rows if row.n == n]
        best = [row.seconds for row in here if not row.peer and row.name == self.best.get(n)]
        return bool(best) and any(row.peer and row.seconds < best[0] for row in here)


def number(value: object, low: float, high: float) -> float:
    """The value if it is a number from low to high, else 0."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and low <= value <= high
    return float(value) if good else 0.0


def plain(text: object, most: int = 80) -> str:
    """One line that every format can hold; what is long is cut."""
    shown = "".join("?" if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp") else c for c in str(text))
    return shown if len(shown) <= most else shown[:most - 3] + "..."


def size_text(n: int) -> str:
    if n >= 1024 and n & (n - 1) == 0:
        return "2^%d" % (n.bit_length() - 1)
    return str(n) if n < 1000000 else "%.3g" % n


def seconds_text(seconds: float, micro: str = "µ") -> str:
    for unit, name in ((1e-12, "ps"), (1e-9, "ns"), (1e-6, micro + "s"), (1e-3, "ms")):
        if seconds < 999.5 * unit:
            return "%.3g %s" % (seconds / unit, name)
    return "%.3g s" % seconds


def op_of(entry: dict) -> str:
    """Segments of one distribution and size have a panel of their own, along their length."""
    segments = entry.get("segments")
    return entry["op"] if not segments else "%s of segments (%s), n = %s," % (entry["op"], segments["distribution"], size_text(entry["n"]))


def read_row(entry: dict) -> Row | None:
    """None for what has no time that an axis could show."""
    time = entry.get("time_s") or {}
    seconds = number(time.get("median"), 1e-12, 1e9)
    if entry.get("status") != "ok" or not seconds or not time.get("samples") or not entry.get("n"):
        return None
    low, high = time.get("ci95") or (0, 0)
    low, high = number(low, 1e-15, seconds) or seconds, number(high, seconds, 1e9) or seconds
    segments = entry.get("segments")
    if segments:
        return Row(entry["device"], op_of(entry), entry["type"], segments["length"], entry["strategy"], bool(entry.get("peer")),
                   seconds, low, high, 1, number(entry.get("bytes"), 1, 1e18))
    each = number((entry.get("bytes") or 0) / entry["n"], 1e-3, 1e6) or SIZES[entry["type"]]
    return Row(entry["device"], entry["op"], entry["type"], entry["n"], entry["strategy"], bool(entry.get("peer")),
               seconds, low, high, each)


def arrange_curves(rows: list[Row]) -> list[Curve]:
    curves: dict[tuple[bool, str], Curve] = {}
    for row in rows:
        curves.setdefault((row.peer, row.name), Curve(row.name, row.peer)).rows.append(row)
    return sorted(curves.values(), key=lambda curve: (-curve.rows[-1].n, curve.rows[-1].seconds, curve.name))


def choose_for_key(curves: list[Curve]) -> None:
    """Winners come first, then what is fastest at the end."""
    for peer in (False, True):
        mine = sorted((curve for curve in curves if curve.peer == peer), key=lambda curve: curve.wins == 0)
        most = MOST_PEERS if peer else ALL_IN_KEY if len(mine) <= ALL_IN_KEY else MOST_IN_KEY
        for curve in mine[:most]:
            curve.in_key = True


def give_styles(panels: list[Panel]) -> None:
    """Those that win most, and end closest to the best, have the styles that are told apart most easily."""
    scores: dict[tuple[bool, str], float] = {}
    for panel in panels:
        first = panel.curves[0].rows[-1]
        for curve in panel.curves:
            near = first.seconds / curve.rows[-1].seconds if curve.rows[-1].n == first.n else 0
            scores[curve.peer, curve.name] = scores.get((curve.peer, curve.name), 0) + curve.wins + near
    for peer in (False, True):
        names = sorted((key for key in scores if key[0] == peer), key=lambda key: (-scores[key], key))
        for panel in panels:
            for curve in panel.curves:
                if curve.peer == peer:
                    curve.style = names.index((peer, curve.name))


def arrange(document: dict) -> list[Panel]:
    """Empty if no row has a time."""
    groups: dict[tuple[str, str, str], dict[tuple[int, bool, str], Row]] = {}
    for row in filter(None, map(read_row, document["results"])):
        points = groups.setdefault((row.device, row.op, row.type), {})
        known = points.setdefault((row.n, row.peer, row.name), row)
        if row.seconds < known.seconds:  # of a point that is there twice, the faster one counts
            points[row.n, row.peer, row.name] = row
    calibration = {entry.get("device"): entry for entry in document.get("calibration") or [] if isinstance(entry, dict)}
    panels = []
    for key, points in groups.items():
        device, op, type_ = key
        curves = arrange_curves([points[point] for point in sorted(points)])
        best = {(entry.get("segments") or {"length": entry["n"]})["length"]: entry["strategy"] for entry in document["best"]
                if (entry["device"], op_of(entry), entry["type"]) == key}
        for curve in curves:
            curve.wins = sum(not curve.peer and best.get(row.n) == curve.name for row in curve.rows)
        choose_for_key(curves)
        facts = calibration.get(device, {})
        launch = number(facts.get("empty_kernel_s"), 1e-12, 10) or number(facts.get("launch_s"), 1e-12, 10)
        panels.append(Panel(device, op, type_, curves, best, number(facts.get("read_peak_Bps"), 1e3, 1e18), launch))
    give_styles(panels)
    return panels


def device_of(document: dict, id_: str) -> dict:
    found = [entry for entry in document.get("devices") or [] if isinstance(entry, dict) and entry.get("id") == id_]
    return found[0] if found else {}


def device_name(document: dict, id_: str) -> str:
    return plain(device_of(document, id_).get("name") or id_)


def origin(document: dict, device: str | None) -> str:
    """"cold input, driver 580.159.04, 2026-11-20, redhost 0.1.0 (a1b2c3d)", as far as known."""
    tool, run = document.get("tool") or {}, document.get("run") or {}
    facts = []
    for before, fact, after in (
            ("", (document.get("settings") or {}).get("cache"), " input"),
            ("driver ", device_of(document, device).get("driver") if device else None, ""),
            ("", (run.get("start") or "")[:10], ""),
            ("redhost ", tool.get("version"), " (%s)" % plain(tool["git"], 12) if tool.get("git") else "")):
        if fact:
            facts.append(before + plain(fact, 40) + after)
    return ", ".join(facts)


def several_devices(panels: list[Panel]) -> bool:
    return len({panel.device for panel in panels}) > 1


@dataclass
class Picture:
    """One picture: panels that are drawn together."""
    kind: str
    name: str  # "rate-1-0-sum-f32": the kind, and what differs between pictures
    panels: list[Panel]


MOST_TYPES = 4  # bars of more types cannot be told apart: each type has a picture


def pictures_of(panels: list[Panel], kinds: list[str]) -> list[Picture]:
    devices = list(dict.fromkeys(panel.device for panel in panels))
    ops = {panel.op for panel in panels}
    types = {panel.type for panel in panels}

    def name(kind: str, panel: Panel, with_type: bool) -> str:
        device = panel.device.split(":")
        is_id = len(device) == 2 and all(part.isascii() and part.isdigit() and len(part) < 4 for part in device)
        words = [kind]
        if len(devices) > 1:
            words.append("-".join(device) if is_id else "device%d" % devices.index(panel.device))
        if len(ops) > 1:
            words.append("".join(c if c.isascii() and (c.isalnum() or c in "_-") else "_" for c in panel.op)[:40])
        return "-".join(words + [panel.type] * (with_type and len(types) > 1))

    found = []
    for kind in kinds:
        if kind == "best":
            found.append(Picture(kind, kind, panels))
        elif kind != "peak":
            found += [Picture(kind, name(kind, panel, True), [panel]) for panel in panels]
        else:
            groups: dict[tuple[str, str], list[Panel]] = {}
            for panel in panels:
                if panel.peak:
                    groups.setdefault((panel.device, panel.op), []).append(panel)
            for group in groups.values():
                apart = len(group) > MOST_TYPES
                found += [Picture(kind, name(kind, part[0], apart), part)
                          for part in ([[panel] for panel in group] if apart else [group])]
    names = [picture.name for picture in found]
    for k, picture in enumerate(found):  # two operators of users can have one name for files
        if names.index(picture.name) != k:
            picture.name += "-%d" % k
    return found
