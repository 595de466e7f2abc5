"""How a deployable's settings are read: one frozen struct, from the environment, at its start.

A field ``queue_size`` of a struct read with the section ``SITE`` is the variable
``CLICKWAKE_SITE_QUEUE_SIZE``. Unknown variables of the section are errors, so a misspelt
setting is not silently ignored. Durations are text with a unit (``250ms``, ``10s``, ``30m``).
A secret may stand in a file instead: ``CLICKWAKE_SITE_SECRET_FILE`` has its path.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_args, get_type_hints

import msgspec
from msgspec import Meta

from contracts.base import ContractError

PREFIX = "CLICKWAKE_"
UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}

DURATION_PATTERN = r"^\d+(ms|s|m|h|d)$"
DURATION_FORM = "write a whole number and a unit, such as 250ms, 10s, 30m, 24h or 7d"

Duration = Annotated[str, Meta(pattern=DURATION_PATTERN)]
T = TypeVar("T", bound=msgspec.Struct)


class Secret(str):
    """Text that no log and no error may show."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "'***'"


def milliseconds(duration: str) -> int:
    """``"30m"`` → 1800000. ContractError says the accepted form."""
    match = re.fullmatch(r"(\d+)(ms|s|m|h|d)", duration.strip())
    if match is None:
        raise ContractError(f"{duration!r} is not a duration: {DURATION_FORM}")
    return int(match[1]) * UNITS_MS[match[2]]


def from_environment(cls: type[T], section: str, environ: Mapping[str, str]) -> T:
    """Build ``cls`` from ``CLICKWAKE_<section>_*``.

    Raises ContractError naming the variable that is unknown or has a bad value.
    """
    start = f"{PREFIX}{section}_"
    names, secrets = set(cls.__struct_fields__), _secrets(cls)
    given: dict[str, Any] = {}
    for variable, text in environ.items():
        if not variable.startswith(start):
            continue
        field = variable[len(start) :].lower()
        if field in names:
            given[field] = text
        elif (name := field.removesuffix("_file")) in secrets and name != field:
            given[name] = _read_secret(variable, text, environ)
        else:
            known = ", ".join(start + name.upper() for name in sorted(names))
            raise ContractError(f"{variable} is not a setting; known ones: {known}")
    try:
        return msgspec.convert(given, cls, strict=False, dec_hook=_secret)
    except msgspec.ValidationError as error:
        raise ContractError(_explained(str(error), start, given)) from None


def _secrets(cls: type[msgspec.Struct]) -> set[str]:
    hints = get_type_hints(cls)
    return {name for name, kind in hints.items() if Secret in (kind, *get_args(kind))}


def _read_secret(variable: str, path: str, environ: Mapping[str, str]) -> str:
    """The file's text without the line's end. An empty one would be taken for no secret."""
    itself = variable.removesuffix("_FILE")
    if itself in environ:
        raise ContractError(f"{itself} and {variable} are both set: keep one of them")
    try:
        text = Path(path).read_text(encoding="utf-8").rstrip("\r\n")
    except (OSError, ValueError) as error:
        why = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise ContractError(f"{variable}: {path} cannot be read: {why}") from None
    if not text:
        raise ContractError(f"{variable}: {path} is empty: write the secret into it")
    return text


def _explained(message: str, start: str, given: Mapping[str, str]) -> str:
    """The variable's name and what is wrong with it, without showing its value."""
    fault, _, place = message.partition(" - at `$.")
    field = place.rstrip("`")
    if field not in given:
        return f"a {start}* setting is wrong: {message}"
    if DURATION_PATTERN in message.replace("\\\\", "\\"):
        fault = DURATION_FORM
    return f"{start}{field.upper()} is wrong: {fault}"


def _secret(kind: type, value: Any) -> Any:
    return kind(value)
