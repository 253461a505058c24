"""Pictures as text, for a terminal: a letter for each strategy, a small one for each peer.  Needs no matplotlib."""
from __future__ import annotations

import math
from dataclasses import dataclass

import results
from results import Curve, Panel, Picture

COLORS = [32, 166, 36, 175, 178, 74, 61, 100]  # of 256; as in pictures.py
GREY = 245


@dataclass
class Screen:
    columns: int
    lines: int
    color: bool

    def painted(self, text: str, color: int | None) -> str:
        return "\x1b[38;5;%dm%s\x1b[0m" % (color, text) if self.color and color and text else text


def letter(curve: Curve) -> str:
    if curve.peer:
        return chr(ord("a") + curve.style % 26)
    return chr(ord("A") + curve.style) if curve.style < 26 else str(curve.style % 10)


def color_of(curve: Curve) -> int:
    return GREY if curve.peer else COLORS[curve.style % len(COLORS)]


def cut(text: str, most: int) -> str:
    return results.plain(text, max(most, 4))


@dataclass
class Axis:
    low: float
    high: float
    cells: int
    logarithmic: bool

    def cell(self, value: float) -> int | None:
        low, high = (math.log(self.low), math.log(self.high)) if self.logarithmic else (self.low, self.high)
        at = math.log(value) if self.logarithmic else value
        cell = round((at - low) / (high - low) * (self.cells - 1))
        return cell if 0 <= cell < self.cells else None

    def ticks(self) -> list[float]:
        if self.logarithmic:
            return [10.0**k for k in range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)]
        step = 10 ** math.floor(math.log10(self.high / 5))
        step *= next(k for k in (1, 2, 5, 10) if self.high / 5 <= 1.5 * k * step)
        return [step * k for k in range(int(self.high / step) + 1)]


def size_marks(x: Axis, sizes: list[int]) -> str:
    """"2^12   2^16"; the least size and its like if none is a power."""
    octaves = range(math.ceil(math.log2(sizes[0])), math.floor(math.log2(sizes[-1])) + 1)
    marks = [(2**k, "2^%d" % k) for k in octaves if k % (len(octaves) // 6 + 1) == 0]
    line = ""
    for value, mark in marks or [(sizes[0], results.size_text(sizes[0]))]:
        cell = x.cell(value)
        at = max(0, cell - len(mark) // 2) if cell is not None else 0
        if at >= len(line):
            line = line.ljust(at) + mark
    return line


def curves(screen: Screen, picture: Picture) -> list[str]:
    panel, rate = picture.panels[0], picture.kind == "rate"
    shown = [curve for curve in panel.curves if curve.in_key]
    values = {curve.name + "*" * curve.peer: [row.rate * 1e-9 if rate else row.seconds for row in curve.rows] for curve in shown}
    every = [value for list_ in values.values() for value in list_]
    limit = 1e-9 * panel.peak / panel.bytes_each
    fits = rate and 0 < limit < 20 * max(every)
    key: list[tuple[str, str, int | None]] = []
    if rate and limit:
        key.append(("---", "read peak, %.4g GB/s%s" % (1e-9 * panel.peak, "" if fits else ", is above"), None))
    if not rate and limit and not panel.is_cut:
        key.append(("***", "launch + n size / peak" if panel.launch else "n size / peak", None))
    key += [(" %s " % letter(curve), curve.name, color_of(curve)) for curve in shown]
    if len(shown) < len(panel.curves):
        key.append(("   ", "%d more, not drawn" % (len(panel.curves) - len(shown)), None))
    left, right = 11, 4 + max(min(len(name), 28) for _, name, _ in key)
    width, height = max(screen.columns - left - right - 4, 16), max(screen.lines - 7, 8, len(key))

    low = min(panel.sizes) / 1.02 / (2 if len(panel.sizes) == 1 else 1)
    x = Axis(low, max(panel.sizes) * 1.02 * (2 if len(panel.sizes) == 1 else 1), width, True)
    y = Axis(0, 1.05 * max(limit if fits else 0, *every, 0), height, False) if rate else \
        Axis(min(every) / 1.6, 1.6 * max(every), height, True)
    cells: dict[tuple[int, int], tuple[str, int | None]] = {}

    def put(n: float, value: float, mark: str, color: int | None = None) -> None:
        column, row = x.cell(n), y.cell(value)
        if column is not None and row is not None:
            cells[row, column] = (mark, color)

    for k in range(width):
        n = x.low * (x.high / x.low) ** (k / (width - 1))
        if fits:
            put(n, limit, "-")
        elif not rate and limit and not panel.is_cut:
            put(n, panel.launch + n * panel.bytes_each / panel.peak, "*")
    for curve in reversed(shown):  # what is fastest at the end lies above
        points = list(zip([row.n for row in curve.rows], values[curve.name + "*" * curve.peer]))
        for (n, value), (next_n, next_value) in zip(points, points[1:]):
            for k in range(1, 2 * width):
                part = k / (2 * width)
                put(n * (next_n / n) ** part, value + part * (next_value - value) if rate else value * (next_value / value) ** part,
                    ".", color_of(curve))
    for curve in reversed(shown):
        for row, value in zip(curve.rows, values[curve.name + "*" * curve.peer]):
            put(row.n, value, letter(curve), color_of(curve))

    names = {y.cell(tick): "%.6g" % tick if rate else results.seconds_text(tick, "u") for tick in y.ticks()}
    lines = [" " * (left - 1) + ("GB/s: elements, offsets and results" if rate and panel.is_cut else "G elements/s" if rate else "time of one reduction")]
    for k, row in enumerate(range(height - 1, -1, -1)):
        body = "".join(screen.painted(*cells[row, column]) if (row, column) in cells else " " for column in range(width))
        sign = "  %s %s" % (screen.painted(key[k][0], key[k][2]), cut(key[k][1], 28)) if k < len(key) else ""
        lines.append("%*s |%s|%s" % (left - 2, names.get(row, ""), body, sign))
    lines.append(" " * (left - 1) + "+" + "-" * width + "+")
    lines.append(" " * left + size_marks(x, panel.sizes) + "  elements" + " of a segment" * panel.is_cut)
    return lines


def peaks(screen: Screen, picture: Picture) -> list[str]:
    """A line for each bar; the name stands at the first of its bars."""
    best: dict[tuple[bool, str], float] = {}
    ends: dict[tuple[bool, str], list[tuple[Panel, float]]] = {}
    for panel in picture.panels:
        for curve in panel.curves:
            if curve.rows[-1].n == panel.sizes[-1]:
                share = curve.rows[-1].share(panel.peak)
                best[curve.peer, curve.name] = max(share, best.get((curve.peer, curve.name), 0))
                ends.setdefault((curve.peer, curve.name), []).append((panel, share))
    left = max(min(len(name), 28) + 2 * peer for peer, name in best)
    several = len(picture.panels) > 1
    width = max(screen.columns - left - 14 - 4 * several, 16)
    lines = []
    for peer, name in sorted(best, key=lambda key: (-best[key], key)):
        label = cut(name, 28) + " *" * peer
        for panel, share in ends[peer, name]:
            bar = "-" * max(1, round(width * share / max(*best.values(), 100)))
            color = COLORS[picture.panels.index(panel) % len(COLORS)]
            lines.append(" %*s |%s %.3g %%%s" % (left, label, screen.painted(bar, color), share, "  " + panel.type if several else ""))
            label = ""
    if any(peer for peer, _ in best):
        lines.append(" * a peer, for comparison")
    return lines


def winners(screen: Screen, picture: Picture) -> list[str]:
    panels = picture.panels
    several = results.several_devices(panels)
    labels = [cut("%s%s %s" % (panel.device + "  " if several else "", panel.op, panel.type), 30) for panel in panels]
    left = max(map(len, labels))
    styles = {curve.name: curve for panel in panels for curve in panel.curves if not curve.peer}
    sizes = sorted({n for panel in panels for n in panel.best})
    most = max(screen.columns - left - 4, 16)
    step = 3 if 3 * len(sizes) <= most else 2 if 2 * len(sizes) <= most else 1
    lines = []
    for begin in range(0, len(sizes), most // step):
        part = sizes[begin:begin + most // step]
        for label, panel in zip(labels, panels):
            cells = ["." if n not in panel.best else letter(styles[panel.best[n]]) for n in part]
            colors = [color_of(styles[panel.best[n]]) if n in panel.best else None for n in part]
            lines.append(" %*s  %s" % (left, label, "".join(screen.painted(c, color) + " " * (step - 1) for c, color in zip(cells, colors))))
        marks = ""
        for k, n in enumerate(part):
            if not marks or k * step > len(marks) + 2:
                marks = marks.ljust(k * step) + results.size_text(n)
        lines += [" " * (left + 3) + marks, ""]
    for name in sorted({name for panel in panels for name in panel.best.values()}, key=lambda name: styles[name].style):
        lines.append("   %s  %s" % (screen.painted(letter(styles[name]), color_of(styles[name])), cut(name, 60)))
    return lines


def title_of(document: dict, picture: Picture) -> str:
    one = picture.panels[0]
    what = "%s %s" % (cut(one.op, 40), one.type)
    if picture.kind == "best":
        devices = dict.fromkeys(panel.device for panel in picture.panels)
        return "Best strategy on " + "; ".join(results.device_name(document, device) for device in devices)
    if picture.kind == "peak":
        what = "Share of the read peak: " + (cut(one.op, 40) if len(picture.panels) > 1 else
                                             "%s, n = %s," % (what, results.size_text(one.sizes[-1])))
    return "%s on %s" % (what, results.device_name(document, one.device))


def draw(document: dict, pictures: list[Picture], columns: int, lines: int, color: bool) -> bytes:
    screen = Screen(columns or 80, lines or 24, color)
    draws = {"rate": curves, "time": curves, "peak": peaks, "best": winners}
    parts = []
    for picture in pictures:
        device = None if results.several_devices(picture.panels) else picture.panels[0].device
        body = [" " + cut(title_of(document, picture), screen.columns - 1), "", *draws[picture.kind](screen, picture), "",
                " " + cut(results.origin(document, device), screen.columns - 1)]
        parts.append("\n".join(line.rstrip() for line in body) + "\n")
    return "\n".join(parts).encode("utf-8", "replace")
