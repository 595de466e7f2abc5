"""What one look at a part has found: printed as one JSON line by a part's ``doctor`` module."""

from typing import Literal

from msgspec import Struct

Level = Literal["ok", "note", "warning", "problem"]
"""``note`` is worth knowing, ``warning`` will be a problem, ``problem`` is one now."""


class Finding(Struct, frozen=True, kw_only=True):
    """``what`` is one sentence on how the part is; ``todo`` one on what to do, unless it is ok."""

    check: str
    level: Level
    what: str
    todo: str = ""


def ok(check: str, what: str) -> Finding:
    """Nothing to do."""
    return Finding(check=check, level="ok", what=what)


def note(check: str, what: str, todo: str = "") -> Finding:
    """Worth knowing."""
    return Finding(check=check, level="note", what=what, todo=todo)


def warning(check: str, what: str, todo: str) -> Finding:
    """It works, and will not for long, or not as it should."""
    return Finding(check=check, level="warning", what=what, todo=todo)


def problem(check: str, what: str, todo: str) -> Finding:
    """It does not work."""
    return Finding(check=check, level="problem", what=what, todo=todo)
