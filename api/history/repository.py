"""Questions to the history. Messages come back as the JSON they were written as."""

from typing import NamedTuple

from msgspec import Raw
from sqlalchemy import Connection, select, tuple_

from api.history.cursor import Cursor
from api.history.filters import MERGED, SessionFilter, session_conditions
from api.history.models import EventRow, SessionRow

TIMELINE_LIMIT = 5_000
_LONGEST_CHAIN = 32


class Page(NamedTuple):
    """Sessions as JSON, and where the next page begins."""

    items: list[Raw]
    next_cursor: Cursor | None


class Found(NamedTuple):
    """A session as JSON, and the columns its timeline is found by."""

    message: Raw
    site_id: str
    visitor_id: str
    start: int
    end: int


class Timeline(NamedTuple):
    """A session's events as JSON in order, and whether there are more."""

    events: list[Raw]
    truncated: bool


def newest_sessions(
    connection: Connection, wanted: SessionFilter, limit: int, after: Cursor | None = None
) -> Page:
    """Sessions by start and id, newest first, beginning after ``after``."""
    order = (SessionRow.start, SessionRow.session_id)
    query = select(*order, SessionRow.message).where(*session_conditions(wanted))
    if after is not None:
        # The plain comparison lets the index jump to the page; the tuple then cuts exactly.
        query = query.where(SessionRow.start <= after.start, tuple_(*order) < tuple_(*after))
    query = query.order_by(*(column.desc() for column in order)).limit(limit + 1)
    rows = connection.execute(query).all()
    last = Cursor(*rows[limit - 1][:2]) if len(rows) > limit else None
    return Page([_raw(row.message) for row in rows[:limit]], last)


def session(connection: Connection, session_id: str) -> Found | None:
    """The session with that id, if it is in the history and was not merged."""
    row = SessionRow
    query = select(row.message, row.site_id, row.visitor_id, row.start, row.end).where(
        row.session_id == session_id, row.status != MERGED
    )
    found = connection.execute(query).one_or_none()
    return Found(_raw(found[0]), *found[1:]) if found else None


def successor(connection: Connection, session_id: str) -> str | None:
    """The session that took this one in, at the end of the chain; None if it was not merged."""
    seen = {session_id}
    current = session_id
    while len(seen) <= _LONGEST_CHAIN:
        following = _merged_into(connection, current)
        if following is None or following in seen:
            break
        seen.add(following)
        current = following
    return None if current == session_id else current


def _merged_into(connection: Connection, session_id: str) -> str | None:
    return connection.execute(
        select(SessionRow.merged_into).where(
            SessionRow.session_id == session_id, SessionRow.status == MERGED
        )
    ).scalar_one_or_none()


def timeline(connection: Connection, found: Found, limit: int = TIMELINE_LIMIT) -> Timeline:
    """The events of the session's visitor from its start to its end."""
    query = (
        select(EventRow.message)
        .where(
            EventRow.site_id == found.site_id,
            EventRow.visitor_id == found.visitor_id,
            EventRow.event_time.between(found.start, found.end),
        )
        .order_by(EventRow.event_time, EventRow.sequence, EventRow.event_id)
        .limit(limit + 1)
    )
    events = [_raw(text) for text in connection.execute(query).scalars()]
    return Timeline(events[:limit], len(events) > limit)


def _raw(text: str) -> Raw:
    return Raw(text.encode())
