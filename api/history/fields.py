"""Which fields of a session an answer shows: whole ones, or a part such as ``geo.country``."""

from collections.abc import Iterable
from typing import Any

import msgspec

from contracts import Agent, Attribution, Geo, SessionUpdate

PARTS: dict[str, tuple[str, ...]] = {
    name: kind.__struct_fields__
    for name, kind in (("geo", Geo), ("agent", Agent), ("attribution", Attribution))
}
"""The fields that have fields of their own."""

WHOLE = SessionUpdate.__struct_fields__
KNOWN = frozenset(WHOLE) | {f"{name}.{part}" for name, parts in PARTS.items() for part in parts}


def chosen_fields(names: Iterable[str]) -> tuple[str, ...]:
    """The names without repetition, in their order. ValueError when there is no such field."""
    fields = tuple(dict.fromkeys(names))
    for name in fields:
        if name not in KNOWN:
            raise ValueError(
                f"must be fields such as session_id,start,geo.country; a session has no {name!r}"
            )
    return fields


def picked(message: str, fields: tuple[str, ...]) -> msgspec.Raw:
    """Those fields of a session's JSON, as JSON in the order of the contract."""
    whole = msgspec.json.decode(message)
    found = {name: _part(whole[name], name, fields) for name in WHOLE if _is_in(name, fields)}
    return msgspec.Raw(msgspec.json.encode(found))


def _is_in(name: str, fields: tuple[str, ...]) -> bool:
    return any(field == name or field.startswith(f"{name}.") for field in fields)


def _part(value: Any, name: str, fields: tuple[str, ...]) -> Any:
    if value is None or name in fields:
        return value
    return {part: value.get(part) for part in PARTS[name] if f"{name}.{part}" in fields}
