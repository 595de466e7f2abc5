"""What the history knows of dead letters and late events."""

from typing import Any

import msgspec
from sqlalchemy import Connection, case, exists, func, select

from api.history.models import DeadLetterRow, EventRow, LateEventRow
from api.pipeline.answers import DeadLetterItem, DeadLetters, LateEvents, LateItem, ReasonCount
from api.pipeline.places import Position, RecordPlace, cursor_of, is_at, newest_first
from contracts import DeadLetter, LateEvent

DAY_MS = 24 * 60 * 60 * 1000
_letter: msgspec.json.Decoder[DeadLetter] = msgspec.json.Decoder(DeadLetter)
_late: msgspec.json.Decoder[LateEvent] = msgspec.json.Decoder(LateEvent)


def reasons(connection: Connection, now: int) -> list[ReasonCount]:
    """How many dead letters have which reason, the most frequent first."""
    row = DeadLetterRow
    is_recent = case((row.broker_time >= now - DAY_MS, 1), else_=0)
    counted = func.count().label("counted")
    query = select(row.reason, counted, func.sum(is_recent)).group_by(row.reason)
    found = connection.execute(query.order_by(counted.desc(), row.reason))
    return [ReasonCount(reason=one, count=all_, last_day=day) for one, all_, day in found]


def dead_letters(
    connection: Connection, reason: str | None, limit: int, after: Position | None
) -> DeadLetters:
    """A page of dead letters."""
    query = select(DeadLetterRow.message)
    if reason is not None:
        query = query.where(DeadLetterRow.reason == reason)
    query = newest_first(query, DeadLetterRow, after).limit(limit + 1)
    found = [_letter.decode(text) for text in connection.execute(query).scalars()]
    items = [
        DeadLetterItem(
            id=str(_place(one)),
            reason=one.reason,
            detail=one.detail,
            topic=one.topic,
            partition=one.partition,
            offset=one.offset,
            broker_time=one.broker_time,
            raw_size=one.raw_size,
        )
        for one in found[:limit]
    ]
    return DeadLetters(items=items, next_cursor=_next(found, limit))


def letters_at(connection: Connection, places: list[RecordPlace]) -> list[DeadLetter]:
    """The dead letters with these ids, as far as there are such."""
    query = select(DeadLetterRow.message).where(is_at(DeadLetterRow, places))
    return [_letter.decode(text) for text in connection.execute(query).scalars()]


def late_events(connection: Connection, limit: int, after: Position | None) -> LateEvents:
    """A page of late events."""
    late, event = LateEventRow, EventRow
    is_placed = exists().where(
        event.site_id == late.site_id,
        event.visitor_id == late.visitor_id,
        event.event_id == late.event_id,
    )
    every: Any = select(late.message, is_placed)
    query = newest_first(every, late, after).limit(limit + 1)
    found = [(_late.decode(text), placed) for text, placed in connection.execute(query)]
    items = [
        LateItem(
            id=str(_place(one.event)),
            late_ms=one.late_ms,
            placed=bool(placed),
            broker_time=one.event.broker_time,
            event=one.event,
        )
        for one, placed in found[:limit]
    ]
    return LateEvents(items=items, next_cursor=_next([one.event for one, _ in found], limit))


def is_known(connection: Connection, site_id: str, visitor_id: str, event_id: str) -> bool:
    """Whether the history has that event already, in a session or late."""
    return any(
        connection.execute(
            select(row.event_id)
            .where(row.site_id == site_id, row.visitor_id == visitor_id, row.event_id == event_id)
            .limit(1)
        ).first()
        for row in (EventRow, LateEventRow)
    )


def _place(message: Any) -> RecordPlace:
    return RecordPlace(message.topic, message.partition, message.offset)


def _next(found: list[Any], limit: int) -> str | None:
    if len(found) <= limit:
        return None
    last = found[limit - 1]
    return cursor_of(Position(last.broker_time, _place(last)))
