"""Names that a person gave on the command line."""

from collections.abc import Iterable


def chosen(names: str, known: Iterable[str], what: str) -> list[str]:
    """Those of a comma-separated list, in its order; all when it is empty."""
    choice = list(known)
    asked = [name.strip() for name in names.split(",") if name.strip()] or choice
    unknown = [name for name in asked if name not in choice]
    if unknown:
        raise SystemExit(f"There is no {what} {unknown[0]!r}: choose of {', '.join(choice)}.")
    return asked
