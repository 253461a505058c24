"""A page about results that needs nothing else: report.html, with what it shows as JSON inside."""
from __future__ import annotations

import html
import json
import os

import results
from results import Panel, plain


def machine_of(document: dict, panels: list[Panel]) -> list[tuple[str, str]]:
    run, tool, settings = (document.get(key) or {} for key in ("run", "tool", "settings"))
    facts: list[tuple[str, object]] = []
    for id_, peak in {panel.device: panel.peak for panel in panels}.items():
        device = results.device_of(document, id_)
        facts.append(("device " + id_, ", ".join(plain(fact) for fact in (
            device.get("name"), device.get("platform"), device.get("driver") and "driver %s" % device["driver"],
            device.get("compute_units") and "%s compute units" % device["compute_units"]) if fact)))
        facts.append(("read peak of " + id_, "%.4g GB/s" % (1e-9 * peak) if peak else "not measured"))
    facts += [("host", ", ".join(plain(run[key]) for key in ("host", "os") if run.get(key))),
              ("measured", plain(run.get("start") or "").replace("T", " ").replace("Z", " UTC")),
              ("by", "redhost %s%s" % (plain(tool.get("version") or ""), " (%s)" % plain(tool["git"]) if tool.get("git") else "")),
              ("settings", ", ".join("%s %s" % (plain(key).replace("_", " "), plain(value)) for key, value in settings.items()
                                     if isinstance(value, (str, int, float)))),
              ("command", " ".join(plain(word) for word in run.get("argv") or []))]
    return [(plain(label), plain(fact, 400)) for label, fact in facts if fact]


def panel_of(document: dict, panel: Panel) -> dict:
    return {"device": panel.device, "deviceName": results.device_name(document, panel.device), "op": plain(panel.op),
            "type": panel.type, "peak": panel.peak, "launch": panel.launch, "bytes": panel.bytes_each,
            "best": [[n, plain(name)] for n, name in sorted(panel.best.items())],
            "curves": [{"name": plain(curve.name), "peer": curve.peer, "style": curve.style, "shown": curve.in_key,
                        "rows": [[row.n, row.seconds, row.low, row.high] + [row.moved] * panel.is_cut for row in curve.rows]} for curve in panel.curves]}


def write(document: dict, panels: list[Panel]) -> bytes:
    lost = [{"device": row["device"], "op": plain(row["op"]), "type": row["type"], "n": row["n"], "name": plain(row["strategy"]),
             "why": plain("%s%s" % (row["status"], ": %s" % row["reason"] if row.get("reason") else ""), 300)}
            for row in document["results"] if row["status"] != "ok"]
    title = "Reductions on " + "; ".join(dict.fromkeys(results.device_name(document, panel.device) for panel in panels))
    shown = json.dumps({"title": title, "machine": machine_of(document, panels), "lost": lost,
                        "panels": [panel_of(document, panel) for panel in panels]}, allow_nan=False)
    for c in "<>&":  # so that no text in it can end the script
        shown = shown.replace(c, "\\u%04x" % ord(c))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "report.html"), encoding="utf-8") as file:
        before, _, rest = file.read().partition("%TITLE%")
    middle, _, after = rest.partition("%DATA%")
    return (before + html.escape(title) + middle + shown + after).encode("utf-8")
