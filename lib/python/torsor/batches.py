"""Batches: studies of many runs."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._names import file_name, listed
from .comparison import check_threads
from .scene import folders

Column = npt.NDArray[Any]

_ERASE = "\r\x1b[K"  # erases the line on a terminal


class Batch:
    """The runs of a study in a folder. `torsor.batch` runs one; `Batch(folder)` reads one, also while it runs."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = file_name(folder)

    def table(self, *columns: str, where: str = "", timings: bool = False) -> dict[str, Column]:
        """Columns of the table of the cases, as arrays by name. Numbers that a case lacks are NaN.

        columns: by default case, parameters, status, message and results.
        where: a condition in SQL, such as "body.top.z > 0.5 and status = 'reached-end'".
        timings: also attempts, wall times, hashes and segments.
        """
        text = _core.table_text(self.folder, where, listed(columns, "columns"), timings)
        rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
        return {name: _array(name, [row[place] for row in rows[1:]]) for place, name in enumerate(rows[0])}

    def to_pandas(self, *columns: str, where: str = "", timings: bool = False) -> Any:
        """The same as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.table(*columns, where=where, timings=timings))

    def __repr__(self) -> str:
        return f"<Batch {self.folder}>"


def _array(name: str, cells: list[str]) -> Column:
    """Numbers if every cell is a number or empty, else texts. Status and message are texts even if there are none."""
    if name in ("status", "message"):
        return np.array(cells, dtype=str)
    try:
        return np.array([_number(cell) if cell else np.nan for cell in cells])
    except ValueError:
        return np.array(cells)


def _number(cell: str) -> float:
    """The number in a cell. `float` alone also reads the text "1_0", and the text "#10", which is " 10" in a table."""
    if "_" in cell or cell != cell.strip():
        raise ValueError(cell)
    return float(cell)


def _show_bar(state: dict[str, Any]) -> None:
    share = state["done"] / state["cases"] if state["cases"] else 1
    failed = f", {state['failed']} failed" if state["failed"] else ""
    left = "?" if state["left_s"] is None else f"{state['left_s']:.0f} s"
    text = f"[{'=' * int(24 * share):24}] {state['done']} of {state['cases']} cases{failed}  {left} left"
    sys.stderr.write(_ERASE + text)
    sys.stderr.flush()


def batch(
    study: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    threads: int = 0,
    lanes: bool = True,
    resume: bool = False,
    force: bool = False,
    progress: bool | Callable[[dict[str, Any]], object] = True,
) -> Batch:
    """Runs the cases of a study (a file, or the name of a shipped study) in a folder, as `torsor batch` does.

    threads: 0 stands for as many as the machine has. lanes: run several cases at once on each thread.
    resume: continue the batch that the folder holds. force: run also if the study, the scene or the program changed,
    or if another program wrote the table.
    progress: True shows a bar on standard error if that is a terminal. A function is called at most ten times a second
    and at the end, with a dictionary of the keys of `torsor batch --progress json`; its exception stops the batch.
    A failed case is recorded, and the others continue. Ctrl-C stops the batch; `resume` continues it.
    """
    check_threads(threads)
    bar = progress is True and sys.stderr.isatty()
    told = _show_bar if bar else progress if callable(progress) else None
    try:
        _core.run_study(folders(), file_name(study), file_name(folder), threads, lanes, resume, force, told)
    finally:
        if bar:
            sys.stderr.write(_ERASE)
    return Batch(folder)


def studies() -> dict[str, str]:
    """The studies that can be run by name, with their titles."""
    return folders().studies()
