"""Draws results for redhost, which starts this: descriptor 3 has a document of --bench or --compare, 4 takes a line
for each drawing, "PICTURE FILE BYTES MIDDLE", and 5 the drawings themselves.  FILE is a number of --formats, and MIDDLE
what the file's name gets where there are several pictures.  redhost writes the files."""
from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys

import results

ABOUT_RESULTS, ABOUT_MACHINE = 3, 4  # exit statuses, as in plot.c
KINDS = ["rate", "time", "peak", "best"]
DEBIANS = "/usr/bin/python3"


def leave(status: int, sentence: str) -> None:
    print(sentence)
    sys.exit(status)


def need_matplotlib() -> None:
    """A Python of one's own can come first in PATH without matplotlib, while Debian's has it."""
    if importlib.util.find_spec("matplotlib"):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # NumPy's, of which all but one would spin
        return
    if os.path.exists(DEBIANS) and os.path.realpath(DEBIANS) != os.path.realpath(sys.executable):
        os.execv(DEBIANS, [DEBIANS, "-B", *sys.argv])
    leave(ABOUT_MACHINE, "pictures in files need matplotlib; install it (Debian's package python3-matplotlib)")


def deliver(formats: list[str], picture: str, format_: str, drawing: bytes, middle: str = "") -> None:
    for k, wanted in enumerate(formats):
        if wanted != format_:
            continue
        with os.fdopen(os.dup(5), "wb") as out:
            out.write(drawing)
        os.write(4, b"%s %d %d %s\n" % (picture.encode(), k, len(drawing), middle.encode()))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pictures", type=lambda text: text.split(",") if text else [])
    parser.add_argument("--formats", type=lambda text: text.split(","))
    parser.add_argument("--window", type=lambda text: [int(part) for part in text.split("x")])
    parser.add_argument("--color", action="store_true")
    options = parser.parse_args()
    formats = [format_ for format_ in dict.fromkeys(options.formats) if format_ in ("svg", "png", "pdf")]
    if formats:
        need_matplotlib()
    with open("/proc/self/fd/3", encoding="utf-8") as file:  # a file, read from its beginning, or a pipe
        document = json.load(file)
    if "changes" in document:
        import pictures
        for format_, drawing in pictures.draw_change(document, formats):
            deliver(options.formats, "change", format_, drawing)
        return

    panels = results.arrange(document)
    if not panels:
        leave(ABOUT_RESULTS, "nothing to draw: of %d results, none is ok and has a time" % len(document["results"]))
    kinds = [kind for kind in KINDS if kind in options.pictures or not options.pictures]
    found = results.pictures_of(panels, kinds)
    if not found:
        leave(ABOUT_RESULTS, "--picture=peak needs the device's read peak, which it does not hold")
    if formats:
        import pictures
        for picture in found:
            for format_, drawing in pictures.draw(document, picture, formats):
                deliver(options.formats, picture.name, format_, drawing, "-" + picture.name if len(found) > 1 else "")
    if "html" in options.formats:
        import report
        deliver(options.formats, "report", "html", report.write(document, panels))
    if "txt" in options.formats:
        import text
        deliver(options.formats, "text", "txt", text.draw(document, found, *options.window, options.color))


if __name__ == "__main__":
    main()
