"""A record's place in Kafka as the id of a dead letter or late event, and pages by it. Pure."""

import base64
import re
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import ColumnElement, Select, tuple_

ID_PATTERN = r"^[A-Za-z0-9._-]{1,249}:[0-9]{1,9}:[0-9]{1,18}$"
_ID = re.compile(r"([A-Za-z0-9._-]{1,249}):([0-9]{1,9}):([0-9]{1,18})")


class RecordPlace(NamedTuple):
    """Where a record stands."""

    topic: str
    partition: int
    offset: int

    def __str__(self) -> str:
        return f"{self.topic}:{self.partition}:{self.offset}"


def place_of(text: str) -> RecordPlace:
    """Read an id. ValueError when it is none."""
    found = _ID.fullmatch(text)
    if found is None:
        raise ValueError(f"{text[:80]!r} is no record's id, such as clickwake.requests:0:12")
    return RecordPlace(found[1], int(found[2]), int(found[3]))


class Position(NamedTuple):
    """The last row of a page."""

    broker_time: int
    place: RecordPlace


_DECODER = msgspec.json.Decoder(tuple[int, str, int, int])


def cursor_of(position: Position) -> str:
    """The position as an opaque text."""
    raw = msgspec.json.encode((position.broker_time, *position.place))
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def position_of(cursor: str) -> Position:
    """What ``cursor_of`` made a text of. ValueError when it is no such text."""
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        time, topic, partition, offset = _DECODER.decode(raw)
    except (ValueError, msgspec.MsgspecError):
        raise ValueError("must be the next_cursor of an earlier answer") from None
    bounds = (time, partition, offset)
    if any(abs(number) >= 2**63 for number in bounds) or "\0" in topic:
        raise ValueError("must be the next_cursor of an earlier answer")
    return Position(time, RecordPlace(topic, partition, offset))


def newest_first(query: Select[Any], row: Any, after: Position | None) -> Select[Any]:
    """The rows in a stable order, from behind a position on."""
    keys = (row.broker_time, row.topic, row.partition, row.offset)
    if after is not None:
        query = query.where(_is_before(keys, after))
    return query.order_by(*(key.desc() for key in keys))


def _is_before(keys: tuple[Any, ...], after: Position) -> ColumnElement[bool]:
    return tuple_(*keys) < (after.broker_time, *after.place)


def is_at(row: Any, places: list[RecordPlace]) -> ColumnElement[bool]:
    """Whether a row is one of these."""
    return tuple_(row.topic, row.partition, row.offset).in_([tuple(place) for place in places])
