"""Questions to the history. Messages come back as the JSON they were written as."""

from typing import NamedTuple

from msgspec import Raw
from sqlalchemy import Connection, Text, literal, select
from sqlalchemy.orm import aliased

from api.history.filters import MERGED
from api.history.models import EventRow, SessionRow
from api.history.names import read_names

TIMELINE_LIMIT = 5_000


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


def session(connection: Connection, session_id: str, only_site: str | None = None) -> Found | None:
    """The session with that id, if it is in the history, was not merged, and is of that site."""
    row = SessionRow
    query = select(row.message, row.site_id, row.visitor_id, row.start, row.end).where(
        row.session_id == session_id, row.status != MERGED
    )
    if only_site is not None:
        query = query.where(row.site_id == only_site)
    found = connection.execute(query).one_or_none()
    return Found(_raw(found[0]), *found[1:]) if found else None


def successor(connection: Connection, session_id: str) -> str | None:
    """The session at the end of the chain of merges; None if there is no such end.

    A visitor's first event may move back many times, so chains may be long: one query follows
    them. UNION keeps no row twice, so a circle, which only damage could make, ends it too.
    """
    chain = select(literal(session_id, Text).label("id")).cte("chain", recursive=True)
    row = aliased(SessionRow)
    steps = select(row.merged_into).join(chain, row.session_id == chain.c.id)
    chain = chain.union(steps.where(row.status == MERGED, row.merged_into.is_not(None)))
    merged = select(SessionRow.session_id).where(
        SessionRow.session_id == chain.c.id, SessionRow.status == MERGED
    )
    ends = select(chain.c.id).where(chain.c.id != session_id, ~merged.exists())
    return connection.execute(ends).scalar_one_or_none()


def timeline(connection: Connection, found: Found, limit: int = TIMELINE_LIMIT) -> Timeline:
    """The events of the session's visitor, under all of its ids, from its start to its end."""
    names = read_names(found.message)
    query = (
        select(EventRow.message)
        .where(
            EventRow.site_id == found.site_id,
            EventRow.visitor_id.in_([found.visitor_id, *names.other_visitor_ids]),
            EventRow.event_time.between(found.start, found.end),
        )
        .order_by(EventRow.event_time, EventRow.sequence, EventRow.event_id)
        .limit(limit + 1)
    )
    events = [_raw(text) for text in connection.execute(query).scalars()]
    return Timeline(events[:limit], len(events) > limit)


def _raw(text: str) -> Raw:
    return Raw(text.encode())
