"""What the program redhost does, from Python: it is run, and its JSON read."""
import glob
import json
import os
import subprocess
import tempfile
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import _install, _plugins
from ._errors import fail, NotAssociative, UsageError

# The exit statuses of docs/use, as the library's.
_STATUS = {1: -24, 2: -20, 3: -21, 4: 1, 5: -22, 6: -23, 130: -5}
Record = Dict[str, Any]


class Table(List[Record]):
    """Rows with names; a notebook shows them as a table."""

    def _columns(self) -> List[str]:
        return [key for key in (self[0] if self else {}) if not any(isinstance(row.get(key), (dict, list)) for row in self)]

    def __repr__(self) -> str:
        columns = self._columns()[:5]
        rows = [[str(row.get(key)) for key in columns] for row in self]
        widths = [max(map(len, column)) for column in zip(columns, *rows)] if rows else []
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()
                         for row in [columns, *rows])

    def _repr_html_(self) -> str:
        def line(cells: Sequence[str], tag: str) -> str:
            texts = (str(cell).replace("&", "&amp;").replace("<", "&lt;") for cell in cells)
            return "<tr>" + "".join(f"<{tag}>{text}</{tag}>" for text in texts) + "</tr>"
        columns = self._columns()
        return "<table>" + line(columns, "th") + "".join(line([row[key] for key in columns], "td") for row in self) + "</table>"


def _run(arguments: Sequence[str], may_be: Tuple[int, ...] = (0,)) -> str:
    done = subprocess.run([_install.program(), *arguments], env=_plugins.environment(), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if done.returncode not in may_be:
        said = done.stderr.decode("utf-8", "replace").strip() or f"redhost ended with status {done.returncode}"
        said = " ".join(line[len("redhost: "):] if line.startswith("redhost: ") else line for line in said.split("\n"))
        fail(_STATUS.get(done.returncode, -6), said.encode())
    return done.stdout.decode("utf-8", "replace")


def _options(options: Dict[str, object]) -> List[str]:
    """n=..., plugin_path=... as --n=..., --plugin-path=...; True is an option without a value."""
    words = []
    for key, value in options.items():
        name = "--" + {"n": "size", "dtype": "type"}.get(key, key.replace("_", "-"))
        if isinstance(value, (list, tuple)):
            value = ",".join(map(str, value))
        if value is True:
            words.append(name)
        elif value is not None and value is not False:
            words.append(f"{name}={value}")
    return words


def strategies(**options: object) -> Table:
    """What can reduce here: name, summary and parameters of each strategy, and for each device whether it can run.

    options: op, dtype (redhost's names, as "f32"), n, device, plugin_path, ... of `redhost --list`.
    """
    return Table(json.loads(_run(["--list", "--json", *_options(options)]))["strategies"])


def devices() -> Table:
    """The OpenCL devices of this machine, of which there may be none."""
    return Table(json.loads(_run(["--devices", "--json"], (0, 3)) or '{"devices": []}')["devices"])


def operators(**options: object) -> Table:
    """Operators by name, with their operands, types and results."""
    return Table(json.loads(_run(["--ops", "--json", *_options(options)]))["operators"])


def verify_op(op: str, identity: Optional[Union[str, int, float]] = None, **options: object) -> Table:
    """Is an operator what it claims to be?  A report for each type, or NotAssociative with a counterexample.

    op: a name, a file, or an expression of a and b, whose identity is 0 unless it is given.
    """
    is_name = op.isidentifier() or os.path.exists(op)
    how = ["--verify-op", op] if is_name else ["--verify-op", f"--reduce={op}", f"--identity={0 if identity is None else identity}"]
    found = Table(json.loads(_run([*how, "--json", *_options(options)], (0, 1)))["operators"])
    for report in found:
        for law in ("associative", "neutral", "commutative"):
            verdict = report[law]
            if verdict["holds"] == "BROKEN" and (law != "commutative" or report["claims_commutative"]):
                raise NotAssociative(verdict["counterexample"])
    return found


def _path_of(record: Union[str, "os.PathLike[str]", Record], folder: str, name: str) -> str:
    if not isinstance(record, dict):
        return os.fspath(record)
    path = os.path.join(folder, f"{name}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(record, file)
    return path


def bench(strategy: Optional[Union[str, Sequence[str]]] = None, **options: object) -> Record:
    """Times strategies over sizes: the record that `redhost --bench --json` writes, for compare() and plot().

    options: n ("2^20:2^24:x4"), op, dtype, device, ... of `redhost --help modes`.
    """
    record: Record = json.loads(_run(["--bench", "--json", *_options({"strategy": strategy, **options})]))
    return record


def compare(old: Union[str, Record], new: Union[str, Record], **options: object) -> str:
    """What two records, or files of them, differ in, as a table in text."""
    with tempfile.TemporaryDirectory() as folder:
        files = [_path_of(record, folder, name) for record, name in ((old, "old"), (new, "new"))]
        return _run(["--compare", *files, *_options(options)], (0, 1))


def plot(record: Union[str, Record], to: str, **options: object) -> List[str]:
    """Draws a record, or a file of one, as .svg, .png, .pdf, or a page of .html.

    Returns what was written: r.html, or for r.svg the pictures r-rate.svg, r-time.svg and so on, or those of picture=.
    """
    with tempfile.TemporaryDirectory() as folder:
        _run([f"--plot={_path_of(record, folder, 'record')}", f"--export={to}", *_options(options)])
    root, kind = os.path.splitext(to)
    return [to] if os.path.exists(to) else sorted(glob.glob(f"{glob.escape(root)}-*{kind}"))


def tune(strategy: Optional[Union[str, Sequence[str]]] = None, **options: object) -> str:
    """Finds the best parameters for this device and keeps them; the report, in text.

    options: op, dtype, n, budget (seconds), device, ... of `redhost --help modes`.
    """
    if strategy is not None and not strategy:
        raise UsageError("no strategy is to be tuned")
    return _run(["--tune", *_options({"strategy": strategy, **options})])
