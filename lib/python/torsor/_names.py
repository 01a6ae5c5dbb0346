"""Names of files, lists of names, and suggestions for misspelt names."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Sequence


def file_name(path: str | os.PathLike[str]) -> str:
    """The name of a file or folder. With a NUL in the name, C++ would open another file."""
    name = os.fsdecode(path)
    if "\0" in name:
        raise ValueError("the name of a file has a NUL character")
    return name


def listed(names: str | Sequence[str], what: str) -> list[str]:
    """The names as a list. A single name is a list of one. `what`: of what they are names, as messages say it."""
    found = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    for name in found:
        if not isinstance(name, str):
            raise TypeError(f"{what} must be a name or a list of names, which are strings; {name!r} is not a string")
    return found


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean "step"?`, or nothing if no name is near."""
    by_lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f'; did you mean "{by_lower[near[0]]}"?' if near else ""
