"""Names of files, and suggestions for misspelt names."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable


def file_name(path: str | os.PathLike[str]) -> str:
    """The name of a file or folder. With a NUL in the name, C++ would open another file."""
    name = os.fsdecode(path)
    if "\0" in name:
        raise ValueError("the name of a file has a NUL character")
    return name


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean "step"?`, or nothing if no name is near."""
    by_lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f'; did you mean "{by_lower[near[0]]}"?' if near else ""
