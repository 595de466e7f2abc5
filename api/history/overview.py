"""The numbers of an overview that sessions tell, by the database."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from sqlalchemy import ColumnElement, Connection, case, cast, func, select

from api.calendar import Day
from api.history.filters import SessionFilter, is_bounced, session_conditions
from api.history.models import SessionRow
from api.history.stats.collation import by_code_point

GROUP_LIMIT = 50
GROUPED = ("country", "channel", "browser", "device", "entry_page")
"""Columns of sessions of whose values the most frequent are told."""

Frequent = Sequence[tuple[str | None, int]]
"""Values with their sessions, the most first; then in the order of code points, and none last."""


class Totals(NamedTuple):
    """Sums over sessions, in ms where they are times."""

    sessions: int
    ended: int
    bounced: int
    events: int
    pages: int
    api_calls: int
    custom_events: int
    engaged_ms: int
    duration: int


class Overview(NamedTuple):
    """``groups`` by column; ``days`` by number: sessions, events, pages. ``bots`` are those of
    the site and range, whatever the other filters."""

    totals: Totals
    median: int | None
    bots: int
    groups: dict[str, Frequent]
    days: dict[int, tuple[int, ...]]


def overview(connection: Connection, wanted: SessionFilter, days: Sequence[Day]) -> Overview:
    """The numbers of the wanted sessions."""
    where = session_conditions(wanted)
    totals = Totals(*connection.execute(_totals(where)).one())
    only_bots = session_conditions(bots_of(wanted))
    return Overview(
        totals=totals,
        median=_median(connection, where, totals.sessions),
        bots=connection.execute(select(func.count()).where(*only_bots)).scalar_one(),
        groups={name: _frequent(connection, where, name) for name in GROUPED},
        days=_day_counts(connection, where, days) if days else {},
    )


def bots_of(wanted: SessionFilter) -> SessionFilter:
    """The bots of the same site and range."""
    return SessionFilter(
        start_from=wanted.start_from,
        start_to=wanted.start_to,
        site_id=wanted.site_id,
        bots="only",
    )


def _totals(where: list[ColumnElement[bool]]) -> Any:
    row = SessionRow
    is_ended = row.status != "open"
    counted = (row.events, row.pages, row.api_calls, row.custom_events, row.engaged_ms)
    return select(
        func.count().label("sessions"),
        _count_where(is_ended).label("ended"),
        _count_where(is_bounced()).label("bounced"),
        *(_sum(column).label(column.key) for column in counted),
        _sum(row.duration_ms).label("duration"),
    ).where(*where)


def _count_where(condition: ColumnElement[bool]) -> Any:
    return _sum(case((condition, 1), else_=0))


def _sum(what: Any) -> Any:
    # PostgreSQL sums bigints to numeric; whole numbers stay whole either way.
    return cast(func.coalesce(func.sum(what), 0), SessionRow.start.type)


def _median(connection: Connection, where: list[ColumnElement[bool]], count: int) -> int | None:
    if count == 0:
        return None
    middle = (
        select(SessionRow.duration_ms)
        .where(*where)
        .order_by(SessionRow.duration_ms)
        .offset((count - 1) // 2)
        .limit(2 - count % 2)
    )
    values = connection.execute(middle).scalars().all()
    return round(sum(values) / len(values)) if values else None


def _frequent(connection: Connection, where: list[ColumnElement[bool]], name: str) -> Frequent:
    column, count = getattr(SessionRow, name), func.count().label("sessions")
    query = (
        select(column, count)
        .where(*where)
        .group_by(column)
        .order_by(count.desc(), column.is_(None), by_code_point(column))
        .limit(GROUP_LIMIT)
    )
    return [(value, number) for value, number in connection.execute(query)]


def _day_counts(
    connection: Connection, where: list[ColumnElement[bool]], days: Sequence[Day]
) -> dict[int, tuple[int, ...]]:
    row = SessionRow
    # A subquery, because PostgreSQL takes two equal expressions with parameters for different.
    ends = [(row.start < day.range.end, number) for number, day in enumerate(days)]
    numbered = (
        select(case(*ends, else_=None).label("number"), row.events, row.pages)
        .where(*where, row.start >= days[0].range.start)
        .subquery()
    )
    columns = numbered.c
    query = select(
        columns.number, func.count(), _sum(columns.events), _sum(columns.pages)
    ).group_by(columns.number)
    return {number: tuple(counts) for number, *counts in connection.execute(query)}
