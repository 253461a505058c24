"""Pictures of results, by matplotlib: throughput, time, share of the read peak, the best strategies, and what changed."""
from __future__ import annotations

import io
import math
import textwrap

import matplotlib
from matplotlib import ticker
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch, Rectangle

import results
from results import Curve, Panel, Picture

# Colours that colour-blind readers can distinguish, also in print: Okabe and Ito's, with two of Tol's in place of the
# yellow, which is too light on white.
COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#332288", "#8c8c00"]
MARKERS = "osD^v"
DASHES = ["-", "--", "-.", ":"]
DIM = "#666666"
MOST_BARS, MOST_WINNERS, MOST_CHANGES = 60, 16, 48  # more does not fit on a page

matplotlib.rcParams.update({
    "font.size": 9, "axes.spines.top": False, "axes.spines.right": False, "axes.edgecolor": "#444444",
    "axes.grid": True, "axes.axisbelow": True, "grid.color": "#e6e6e6",
    "legend.frameon": False, "svg.fonttype": "none", "svg.hashsalt": "redhost", "pdf.fonttype": 42})


def literal(text: object, most: int = 80) -> str:
    """Text in which matplotlib finds no formula."""
    return results.plain(text, most).replace("$", r"\$")


def raised(n: int) -> str:
    """2 to the nth, as a reader writes it."""
    return "2" + str(n).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))


def size_text(n: int) -> str:
    text = results.size_text(n)
    return raised(int(text[2:])) if text.startswith("2^") else text


def frame(title: str, note: str, width: float, height: float) -> tuple[Figure, Axes]:
    figure = Figure(figsize=(width, height), constrained_layout=True)
    axes = figure.add_subplot()
    figure.suptitle("\n".join(textwrap.wrap(title, int(11 * width))), x=0.01, ha="left", fontsize=11)
    figure.supxlabel(note, x=0.01, ha="left", fontsize=8, color=DIM)
    return figure, axes


def save(figure: Figure, formats: list[str]) -> list[tuple[str, bytes]]:
    """PNG has twice the resolution of a screen, for print."""
    drawings = []
    for format_ in formats:
        out = io.BytesIO()
        dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(format_)
        figure.savefig(out, format=format_, dpi=200 if format_ == "png" else 100, metadata=dates)
        drawings.append((format_, out.getvalue()))
    return drawings


def letter(style: int) -> str:
    return chr(ord("A") + style) if style < 26 else str(style % 10)


def color_of(curve: Curve) -> str:
    return ["#000000", DIM][curve.style % 2] if curve.peer else COLORS[curve.style % len(COLORS)]


def look(curve: Curve) -> dict:
    """The same in all pictures of a file."""
    rounds = curve.style // len(COLORS)
    hollow = curve.peer or rounds % 2 == 1
    return {"color": color_of(curve), "marker": MARKERS[curve.style % len(MARKERS)], "markersize": 4,
            "markerfacecolor": "white" if hollow else color_of(curve),
            "linestyle": DASHES[1 + curve.style % 3] if curve.peer else DASHES[rounds % len(DASHES)],
            "linewidth": 1.2 if curve.peer else 1.5}


def add_key(axes: Axes, handles: list, labels: list[str], beside: float = 1.02) -> None:
    """Beside the axes.  matplotlib leaves out a label that begins with "_", unless it comes later."""
    if handles:
        key = axes.legend(handles, ["-"] * len(handles), loc="upper left", bbox_to_anchor=(beside, 1.02))
        for entry, label in zip(key.get_texts(), labels):
            entry.set_text(literal(label, 28))


# Curves


def set_sizes(axes: Axes, panel: Panel) -> None:
    low, high = math.log2(panel.sizes[0]), math.log2(panel.sizes[-1])
    margin = 1 if low == high else 0.02 * (high - low)
    first, last = math.ceil(low - margin), math.floor(high + margin)
    step = (last - first) // 10 + 1
    ticks = [k for k in range(first, last + 1) if k % step == 0]
    axes.set_xscale("log", base=2)
    axes.set_xlim(2 ** (low - margin), 2 ** (high + margin))
    axes.xaxis.set_major_locator(ticker.FixedLocator([2.0**k for k in ticks]))
    axes.xaxis.set_major_formatter(ticker.FixedFormatter([raised(k) for k in ticks]))
    axes.xaxis.set_minor_locator(ticker.NullLocator())
    axes.set_xlabel("elements of a segment" if panel.is_cut else "elements")


def plot_curves(axes: Axes, panel: Panel, rate: bool, beside: float) -> None:
    handles, labels = list(axes.get_lines()), [str(line.get_label()) for line in axes.get_lines()]
    others = [curve for curve in panel.curves if not curve.in_key]
    for curve in others + [curve for curve in panel.curves if curve.in_key]:
        how = look(curve) if curve.in_key else {"color": "#cccccc", "linewidth": 0.8, "zorder": 1}
        line, = axes.plot([row.n for row in curve.rows], [1e-9 * row.rate if rate else row.seconds for row in curve.rows], **how)
        if curve.in_key:
            handles.append(line)
            labels.append(curve.name)
    if others:
        handles.append(Line2D([], [], color="#cccccc", linewidth=0.8))
        labels.append("%d other%s" % (len(others), "s" * (len(others) > 1)))
    add_key(axes, handles, labels, beside)


def curves_frame(document: dict, panel: Panel) -> tuple[Figure, Axes]:
    in_key = sum(curve.in_key for curve in panel.curves)
    title = "%s %s on %s" % (literal(panel.op, 40), panel.type, literal(results.device_name(document, panel.device)))
    figure, axes = frame(title, literal(results.origin(document, panel.device), 200), 8, 5 + 0.2 * max(0, in_key - 16))
    set_sizes(axes, panel)
    return figure, axes


def draw_rate(document: dict, panels: list[Panel]) -> Figure:
    panel = panels[0]
    figure, axes = curves_frame(document, panel)
    best = max(row.rate for row in panel.rows)
    limit = panel.peak / panel.bytes_each
    fits = 0 < limit < 20 * best  # or it would flatten the curves
    axes.set_ylim(0, 1.08e-9 * (max(limit, best) if fits else best))
    axes.set_ylabel("GB/s: elements, offsets and results" if panel.is_cut else "G elements/s")
    plot_curves(axes, panel, True, 1.12 if limit else 1.02)
    if limit:
        share = axes.secondary_yaxis("right", functions=(lambda y: 1e11 * y / limit, lambda y: 1e-11 * y * limit))
        share.set_ylabel("% of the read peak")
        axes.text(0.015, 1e-9 * limit if fits else 0.97, "read peak, %.4g GB/s%s" % (1e-9 * panel.peak, "" if fits else ", is above"),
                  transform=axes.get_yaxis_transform() if fits else axes.transAxes, color="#444444", fontsize=8,
                  va="bottom" if fits else "top")
    if fits:
        axes.axhline(1e-9 * limit, color="#444444", linestyle=(0, (4, 3)), linewidth=1)
    return figure


def draw_time(document: dict, panels: list[Panel]) -> Figure:
    panel = panels[0]
    figure, axes = curves_frame(document, panel)
    low, high = min(row.seconds for row in panel.rows), max(row.seconds for row in panel.rows)
    if panel.peak and not panel.is_cut:
        slope = panel.bytes_each / panel.peak
        low = min(low, panel.launch + slope * panel.sizes[0])
        ends = axes.get_xlim()
        sizes = [ends[0] * (ends[1] / ends[0]) ** (k / 100) for k in range(101)]
        axes.plot(sizes, [panel.launch + slope * n for n in sizes], color="#bbbbbb", linewidth=4, solid_capstyle="butt",
                  label="launch + n size / peak" if panel.launch else "n size / peak")
    axes.set_yscale("log")
    axes.set_ylim(max(low / 1.6, 1e-15), high * 1.6)
    axes.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if high / low < 300 else (1,), numticks=12))
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda seconds, _: results.seconds_text(seconds)))
    axes.yaxis.set_minor_formatter(ticker.NullFormatter())
    axes.set_ylabel("time of one reduction")
    plot_curves(axes, panel, False, 1.02)
    return figure


# Bars


def draw_peak(document: dict, panels: list[Panel]) -> Figure:
    """A group of bars for each name, the best first; a bar for each type."""
    ends = [{(curve.peer, curve.name): curve.rows[-1] for curve in panel.curves if curve.rows[-1].n == panel.sizes[-1]}
            for panel in panels]
    best: dict[tuple[bool, str], float] = {}
    for panel, rows in zip(panels, ends):
        for key, row in rows.items():
            best[key] = max(best.get(key, 0), row.share(panel.peak))
    names = sorted(best, key=lambda key: (-best[key], key))
    shown, n = names[:MOST_BARS], len(panels)
    one = panels[0]
    title = "Share of the read peak: %s%s on %s" % (
        literal(one.op, 40), " %s, n = %s," % (one.type, size_text(one.sizes[-1])) if n == 1 else "",
        literal(results.device_name(document, one.device)))
    figure, axes = frame(title, literal(results.origin(document, one.device), 200), 8, 1.5 + len(shown) * max(0.2, 0.11 * n + 0.08))
    right = max(1.04 * max(best.values()), 104)
    for p, (panel, rows) in enumerate(zip(panels, ends)):
        for k, key in enumerate(shown):
            row = rows.get(key)
            if not row:
                continue
            at, share = k + (p - (n - 1) / 2) * 0.8 / n, row.share(panel.peak)
            axes.barh(at, share, 0.72 / n, color=COLORS[p], alpha=0.4 if row.peer else 1)
            axes.plot([row.share(panel.peak, row.high), row.share(panel.peak, row.low)], [at, at], color="#222222", linewidth=1)
            axes.text(right, at, (" %.1f %%" if share >= 10 else " %.2f %%") % share, va="center", fontsize=9 if n == 1 else 7, color="#333333")
    axes.axvline(100, color="#444444", linestyle=(0, (4, 3)), linewidth=1)
    axes.set_xlim(0, right)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)
    axes.set_yticks(range(len(shown)), [literal(name, 30) + " *" * peer for peer, name in shown])
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel("% of the read peak" + "; * a peer, for comparison" * any(peer for peer, _ in shown)
                    + "; the rest is left out" * (len(shown) < len(names)))
    if n > 1:
        add_key(axes, [Patch(color=COLORS[p]) for p in range(n)],
                ["%s, n = %s" % (panel.type, size_text(panel.sizes[-1])) for panel in panels], 1.1)
    return figure


# The best strategies


def draw_best(document: dict, panels: list[Panel]) -> Figure:
    sizes = sorted({n for panel in panels for n in panel.best})
    styles = {curve.name: curve for panel in panels for curve in panel.curves if not curve.peer}
    won: dict[str, int] = {}
    for panel in panels:
        for name in panel.best.values():
            won[name] = won.get(name, 0) + 1
    winners = sorted(won, key=lambda name: (-won[name], name))[:MOST_WINNERS]
    several = results.several_devices(panels)
    names = ["%s%s" % (panel.device + " " if several else "", results.device_name(document, panel.device)) for panel in panels]
    title = literal("Best strategy on " + "; ".join(dict.fromkeys(names)), 110)
    width = min(max(8, 3.5 + 0.25 * len(sizes)), 16)
    figure, axes = frame(title, literal(results.origin(document, None if several else panels[0].device), 200), width,
                         1.5 + max(0.3 * len(panels), 0.2 * (len(winners) + 2)))
    beaten = False
    for y, panel in enumerate(panels):
        for n, name in panel.best.items():
            x = sizes.index(n)
            curve = styles[name]
            pale = name in winners and curve.style // len(COLORS) % 2 == 1  # of two with one colour, one is pale
            color = color_of(curve) if name in winners else "#aaaaaa"
            axes.add_patch(Rectangle((x - 0.47, y - 0.42), 0.94, 0.84, color=color, alpha=0.45 if pale else 0.9, linewidth=0))
            if len(sizes) <= 60:
                axes.text(x, y, letter(curve.style) if name in winners else "?", ha="center", va="center",
                          color="#222222" if pale else "white")
            if panel.beaten(n):
                beaten = True
                axes.plot([x + 0.32], [y - 0.25], "o", color="black", markersize=3)
    handles: list = [Patch(color=color_of(styles[name])) for name in winners]
    labels = ["%s  %s" % (letter(styles[name].style), name) for name in winners]
    if len(won) > len(winners):
        handles.append(Patch(color="#aaaaaa"))
        labels.append("?  another")
    if beaten:
        handles.append(Line2D([], [], marker="o", color="black", markersize=3, linestyle=""))
        labels.append("a peer is faster")
    step = len(sizes) // 20 + 1
    axes.set_xlim(-0.6, len(sizes) - 0.4)
    axes.set_ylim(len(panels) - 0.4, -0.6)
    axes.set_xticks(range(0, len(sizes), step), [size_text(n) for n in sizes[::step]])
    axes.set_yticks(range(len(panels)), [literal("%s%s %s" % (panel.device + "  " if several else "", panel.op, panel.type), 40)
                                         for panel in panels])
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    axes.set_xlabel("elements")
    add_key(axes, handles, labels, 1.0)
    return figure


DRAWS = {"rate": draw_rate, "time": draw_time, "peak": draw_peak, "best": draw_best}


def draw(document: dict, picture: Picture, formats: list[str]) -> list[tuple[str, bytes]]:
    return save(DRAWS[picture.kind](document, picture.panels), formats)


# What changed between two files

CHANGES = {"slow": ("slower", "#d55e00", "^"), "fast": ("faster", "#0072b2", "v"), "": ("no clear change", "#999999", "o")}


def interval_of(change: dict) -> tuple[float, float]:
    """The interval of the change in %: of the processes, or what those of the two medians leave open."""
    if change["change_interval"]:
        low, high = change["change_interval"]
    else:
        (old_low, old_high), (new_low, new_high) = change["old"]["interval_s"], change["new"]["interval_s"]
        low, high = (new_low / old_high - 1 if old_high else 0), (new_high / old_low - 1 if old_low else 0)
    return 100 * min(low, change["change"]), 100 * max(high, change["change"])


def side(document: dict, which: str, devices: set[str]) -> str:
    return "%s: %s" % (which, literal(results.origin(document[which], devices.pop() if len(devices) == 1 else None), 110))


def draw_change(document: dict, formats: list[str]) -> list[tuple[str, bytes]]:
    """Points with a time in both files; those that changed most, if there are many."""
    points = [change for change in document["changes"] if isinstance(change["change"], (int, float))]
    shown = sorted(points, key=lambda change: -abs(change["change"]))[:MOST_CHANGES]
    shown.sort(key=lambda change: (-change["change"], change["strategy"], change["n"]))
    devices = {which: {change[which]["device"] for change in points} for which in ("old", "new")}
    several = len(devices["new"]) > 1
    name = "several devices" if several or not points else results.device_name(document["new"], next(iter(devices["new"])))
    title = "Change of time on " + literal(name)
    if len(shown) < len(points):
        title += ": the %d that changed most of %d" % (len(shown), len(points))
    note = "\n".join(side(document, which, devices[which]) for which in ("old", "new"))
    figure, axes = frame(title, note, 8, 1.8 + 0.17 * len(shown))
    key = {}
    for y, change in enumerate(shown):
        label, color, marker = CHANGES.get(change["verdict"], CHANGES[""])
        axes.plot(interval_of(change), [y, y], color=color, linewidth=1.5)
        key[label], = axes.plot([100 * change["change"]], [y], marker, color=color, markersize=5)
    axes.axvline(0, color="#444444", linewidth=1)
    low, high = axes.get_xlim()
    axes.set_xlim(min(low, -1.5), max(high, 1.5))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(lambda percent, _: "%+g" % percent if percent else "0"))
    axes.set_ylim(len(shown) - 0.2, -0.8)
    axes.set_yticks(range(len(shown)), [literal("%s%s  %s %s  %s" % (
        change["new"]["device"] + "  " if several else "", results.plain(change["strategy"], 40), change["op"], change["type"],
        size_text(change["n"]))) for change in shown])
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("change of the median time, %; less is faster")
    add_key(axes, list(key.values()), list(key))
    return save(figure, formats)
