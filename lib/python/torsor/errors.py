"""The exceptions of the package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .motion import Motion


class Diagnostic(NamedTuple):
    """One error in a scene: its place, and a message that says what is wrong and how to correct it."""

    file: str
    line: int  # from 1; 0: the scene as a whole, or a setting
    column: int
    message: str
    text: str  # "scenes/heavy_top.toml:14:11: error: ..."


class SceneError(ValueError):
    """A scene that cannot be run. `diagnostics` lists its errors: at most 50, and then one that counts the others.

    `file`, `line`, `column` and `message` are those of the first error.
    """

    def __init__(self, diagnostics: Sequence[tuple[str, int, int, str, str]]) -> None:
        super().__init__(diagnostics)
        self.diagnostics = [Diagnostic(*one) for one in diagnostics]

    @property
    def file(self) -> str:
        """The file, or the setting as `--set key=value`."""
        return self.diagnostics[0].file

    @property
    def line(self) -> int:
        """From 1; 0: the scene as a whole, or a setting."""
        return self.diagnostics[0].line

    @property
    def column(self) -> int:
        """From 1. For a setting: 0 for its key, 1 for its value."""
        return self.diagnostics[0].column

    @property
    def message(self) -> str:
        """The text of the error, which says what is wrong and how to correct it."""
        return self.diagnostics[0].message

    def __str__(self) -> str:
        return "\n".join(one.text for one in self.diagnostics)


class RunError(RuntimeError):
    """A run that did not reach its end, or that ended as "energy-lost".

    `motion` has its samples. It is None for `Scene.geometry`, and for copies and errors of other processes.
    """

    def __init__(self, status: str, message: str, motion: Motion | None = None) -> None:
        super().__init__(status, message, motion)
        self.status = status
        self.message = message
        self.motion = motion

    def __reduce__(self) -> Any:
        return type(self), (self.status, self.message)

    def __str__(self) -> str:
        return f"{self.status}: {self.message}" if self.message else self.status


class ResultError(ValueError):
    """A file does not exist or is not a result of Torsor, a result is damaged, or it has no such part or column."""


class FileError(OSError):
    """A file or folder cannot be read or written, or must not be replaced."""
