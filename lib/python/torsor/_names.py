"""Suggestions for misspelt names."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str:
    """`; did you mean "step"?`, or nothing if no name is near."""
    by_lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f'; did you mean "{by_lower[near[0]]}"?' if near else ""
