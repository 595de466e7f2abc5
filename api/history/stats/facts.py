"""What is grouped and summed up: a row for each session, or for each of its pages, with keys."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Label, Select, case, func, literal_column, select, union_all

from api.history.filters import SessionFilter, is_bounced, session_conditions
from api.history.models import SessionRow
from api.history.stats.dimensions import Dimension, key_of
from api.history.stats.visits import EVENT, with_events

Facts = Select[Any]


def facts_by(dimensions: tuple[Dimension, ...], wanted: SessionFilter, *keys: Label[Any]) -> Facts:
    """The facts of the wanted sessions with a key for each dimension, and the given ones besides.

    With ``path`` there is a row for each session and page that it viewed, with its views there.
    """
    named = [*keys, *(key_of(dimension) for dimension in dimensions)]
    if "path" not in dimensions:
        return _facts_of_sessions(named, wanted)
    count = func.count()
    views = (
        _facts(named, views=count, events=count)
        .where(*session_conditions(wanted), EVENT.kind == "page")
        .group_by(SessionRow.session_id, EVENT.path)
    )
    return select(with_events(views).subquery("views"))


def _facts_of_sessions(keys: Sequence[Label[Any]], wanted: SessionFilter) -> Facts:
    """Final sessions and all others apart: of the many final ones an index has all that counts,
    and the few others are found by their status. No database finds that out by itself."""
    row, conditions = SessionRow, session_conditions(wanted)
    facts = _facts(keys).where(*conditions)
    if wanted.statuses:
        return facts
    # Literally, because no plan may depend on a parameter's being ``final``.
    final = facts.where(row.status == literal_column("'final'"))
    others = facts.where(row.status.in_([literal_column("'open'"), literal_column("'closed'")]))
    return select(union_all(final, others).subquery("sessions_apart"))


def _facts(
    keys: Sequence[Label[Any]], views: Any = SessionRow.pages, events: Any = SessionRow.events
) -> Facts:
    """A row for each session. A bounce is one of the whole session, whatever its views here."""
    row = SessionRow
    return select(
        *keys,
        row.site_id,
        row.visitor_id,
        case((row.status != "open", 1), else_=0).label("ended"),
        case((is_bounced(), 1), else_=0).label("bounced"),
        views.label("views"),
        events.label("events"),
        row.duration_ms.label("duration"),
    )
