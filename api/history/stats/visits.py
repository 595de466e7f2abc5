"""How sessions are joined with the events that they hold, and numbered by time."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    Subquery,
    and_,
    case,
    exists,
    null,
    select,
    union_all,
)
from sqlalchemy.orm import aliased

from api.history.models import EventRow, SessionNameRow, SessionRow
from api.history.names import has_event
from api.history.patterns import is_like
from api.history.stats.buckets import Bucket, runs

EVENT = aliased(EventRow, name="held")
"""An event of a session. By a name of its own, so that filters may look at other events."""


def with_events(query: Select[Any]) -> CompoundSelect[Any]:
    """A question about sessions, asked of each event (``EVENT``) that one of them holds.

    Sessions whose visitor had several ids are asked about apart: they are few, and what finds
    their events would be slow for all the others. A session is in one of the two parts.
    """
    has_names = exists().where(SessionNameRow.session_id == SessionRow.session_id)
    of_one = query.join(EVENT, _has_event(EVENT, SessionRow.visitor_id)).where(~has_names)
    names = _names()
    of_several = query.join(names, names.c.session_id == SessionRow.session_id)
    return union_all(of_one, of_several.join(EVENT, _has_event(EVENT, names.c.visitor_id)))


def _names() -> Subquery:
    """All ids of the visitors who had several."""
    named, row = SessionNameRow, aliased(SessionRow)
    first = select(row.session_id, row.visitor_id).where(
        row.session_id.in_(select(named.session_id))
    )
    return union_all(select(named.session_id, named.visitor_id), first).subquery("known_as")


def _has_event(event: Any, visitor_id: Any) -> ColumnElement[bool]:
    """Whether a session holds an event of this id. A visitor's sessions never overlap in time."""
    return and_(
        event.site_id == SessionRow.site_id,
        event.visitor_id == visitor_id,
        event.event_time.between(SessionRow.start, SessionRow.end),
    )


def has_viewed(pattern: str) -> ColumnElement[bool]:
    """Whether a session has a view of such a page."""
    is_viewed = and_(EventRow.kind == "page", is_like(EventRow.path, pattern))
    return has_event(SessionRow, is_viewed)


def bucket_number(time: Any, buckets: Sequence[Bucket]) -> Any:
    """Which of the buckets a time in their range is in: one division for each run of widths."""
    branches = [
        (time < one.end, (time - one.start) // one.width + one.first) for one in runs(buckets)
    ]
    return case(*branches) if branches else null()
