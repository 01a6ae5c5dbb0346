"""Values of Python as TOML, and the scene of a dictionary as the text of a scene file."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any


def value(x: Any) -> str:
    """A value as TOML text, as after `key =`. Numbers keep their bits."""
    if hasattr(x, "tolist"):  # arrays and scalars of NumPy
        x = x.tolist()
    if isinstance(x, bool):
        return "true" if x else "false"
    if isinstance(x, int):
        return str(x)
    if isinstance(x, float):
        return repr(x) if math.isfinite(x) else "nan" if math.isnan(x) else "inf" if x > 0 else "-inf"
    if isinstance(x, str):
        return json.dumps(x, ensure_ascii=False).replace("\x7f", "\\u007F")
    if isinstance(x, Mapping):
        return "{" + ", ".join(f"{value(str(k))} = {value(v)}" for k, v in x.items()) + "}"
    if isinstance(x, (list, tuple)):
        return "[" + ", ".join(value(one) for one in x) + "]"
    raise TypeError(f"a scene cannot have a value of the type {type(x).__name__}")


def document(scene: Mapping[str, Any]) -> str:
    """A scene as text: first its plain keys, then its tables, one key a line."""
    plain: list[str] = []
    sections: list[str] = []
    for key, entry in scene.items():
        name = value(str(key))
        if isinstance(entry, Mapping):
            sections += ["", f"[{name}]", *(f"{value(str(k))} = {value(v)}" for k, v in entry.items())]
        elif isinstance(entry, (list, tuple)) and entry and all(isinstance(one, Mapping) for one in entry):
            for table in entry:
                sections += ["", f"[[{name}]]", *(f"{value(str(k))} = {value(v)}" for k, v in table.items())]
        else:
            plain.append(f"{name} = {value(entry)}")
    return "\n".join(plain + sections) + "\n"
