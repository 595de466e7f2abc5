"""Sessions as rows of a flat table: parts of a field are columns such as ``geo.country``."""

from types import NoneType
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import msgspec

from api.history.fields import PARTS, WHOLE
from contracts import Agent, Attribution, Geo, SessionUpdate

Kind = Literal["text", "number", "decimal", "flag", "texts", "time"]

_TIMES = {"start", "end", "last_seen", "expires", "broker_time", "processed_time"}
_KINDS: dict[Any, Kind] = {str: "text", int: "number", float: "decimal", bool: "flag"}


class Column(NamedTuple):
    """A column's name, what it holds, and where that stands in a session."""

    name: str
    kind: Kind
    field: str
    part: str | None

    def value(self, session: dict[str, Any]) -> Any:
        """What a session has there; None for nothing."""
        whole = session[self.field]
        return whole if self.part is None or whole is None else whole.get(self.part)


def columns(fields: tuple[str, ...] | None) -> list[Column]:
    """The columns of these fields, of all without them, in the order of the contract."""
    return [one for one in _ALL if not fields or one.field in fields or one.name in fields]


def rows(messages: list[str], chosen: list[Column]) -> list[list[Any]]:
    """A row of values for each session's JSON."""
    sessions = map(msgspec.json.decode, messages)
    return [[column.value(session) for column in chosen] for session in sessions]


def _columns_of(field: str) -> list[Column]:
    if field not in PARTS:
        return [Column(field, _kind(SessionUpdate, field), field, None)]
    kind_of = {"geo": Geo, "agent": Agent, "attribution": Attribution}[field]
    return [Column(f"{field}.{part}", _kind(kind_of, part), field, part) for part in PARTS[field]]


def _kind(struct: type, field: str) -> Kind:
    if field in _TIMES:
        return "time"
    hint = get_type_hints(struct)[field]
    if get_origin(hint) is list:
        return "texts"
    (plain, *_) = [one for one in get_args(hint) if one is not NoneType] or [hint]
    # Of a Literal, the arguments are its texts.
    return _KINDS.get(plain, "text")


_ALL = [column for field in WHOLE for column in _columns_of(field)]
