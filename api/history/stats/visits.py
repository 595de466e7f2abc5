"""How sessions are joined with the events that they hold, and numbered by time."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, case, exists, null
from sqlalchemy.orm import aliased

from api.history.models import EventRow, SessionRow
from api.history.patterns import is_like
from api.history.stats.buckets import Bucket, runs

EVENT = aliased(EventRow, name="held")
"""An event of a session. By a name of its own, so that filters may look at other events."""


def has_event(event: Any = EVENT) -> ColumnElement[bool]:
    """Whether a session holds an event. A visitor's sessions never overlap in time."""
    return and_(
        event.site_id == SessionRow.site_id,
        event.visitor_id == SessionRow.visitor_id,
        event.event_time.between(SessionRow.start, SessionRow.end),
    )


def has_viewed(pattern: str) -> ColumnElement[bool]:
    """Whether a session has a view of such a page."""
    view = aliased(EventRow, name="viewed")
    is_viewed = and_(view.kind == "page", is_like(view.path, pattern))
    return exists().where(has_event(view), is_viewed)


def bucket_number(time: Any, buckets: Sequence[Bucket]) -> Any:
    """Which of the buckets a time in their range is in: one division for each run of widths."""
    branches = [
        (time < one.end, (time - one.start) // one.width + one.first) for one in runs(buckets)
    ]
    return case(*branches) if branches else null()
