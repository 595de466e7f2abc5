"""The numbers of a time range, in a handful of queries."""

from collections.abc import Sequence
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Integer, case, cast, func, select
from sqlalchemy.orm import InstrumentedAttribute

from api.calendar import Day, Range, days_of
from api.history import answers
from api.history.filters import SessionFilter, event_conditions, is_bounced, session_conditions
from api.history.models import EventRow, SessionRow
from contracts.live import MinuteCount

GROUP_LIMIT = 50
MINUTE_MS = 60_000
MINUTES = 60
DAYS = 92
_OF_A_DAY = ("sessions", "events", "pages")

S = TypeVar("S", bound=Struct)


def stats(
    connection: Connection, wanted: SessionFilter, instants: Range, zone: ZoneInfo, now: int
) -> answers.Stats:
    """Sum up the sessions that started in ``instants`` and match ``wanted``."""
    from_ms, to_ms = instants
    where = session_conditions(wanted)
    totals = connection.execute(_totals(where)).one()
    return answers.Stats(
        from_=from_ms,
        to=to_ms,
        time_zone=zone.key,
        sessions=totals.sessions,
        open_sessions=totals.sessions - totals.ended,
        events=totals.events,
        pages=totals.pages,
        api_calls=totals.api_calls,
        custom_events=totals.custom_events,
        engaged_ms=totals.engaged_ms,
        bounce_rate=round(totals.bounced / totals.ended, 4) if totals.ended else None,
        median_duration_ms=_median(connection, where, totals.sessions),
        average_duration_ms=round(totals.duration / totals.sessions) if totals.sessions else None,
        bots=_bots(connection, wanted),
        countries=_group(connection, where, SessionRow.country, answers.CountrySessions),
        channels=_group(connection, where, SessionRow.channel, answers.ChannelSessions),
        browsers=_group(connection, where, SessionRow.browser, answers.BrowserSessions),
        devices=_group(connection, where, SessionRow.device, answers.DeviceSessions),
        entry_pages=_group(connection, where, SessionRow.entry_page, answers.EntryPageSessions),
        event_names=_event_names(connection, event_conditions(wanted), instants),
        per_minute=per_minute(
            connection, event_conditions(wanted), from_ms, min(to_ms, max(now, from_ms))
        ),
        per_day=per_day(connection, where, days_of(instants, zone, DAYS)),
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


def _bots(connection: Connection, wanted: SessionFilter) -> int:
    only_bots = session_conditions(_with_bots_only(wanted))
    return connection.execute(select(func.count()).where(*only_bots)).scalar_one()


def _with_bots_only(wanted: SessionFilter) -> SessionFilter:
    return SessionFilter(
        start_from=wanted.start_from,
        start_to=wanted.start_to,
        site_id=wanted.site_id,
        bots="only",
    )


def _group(
    connection: Connection,
    where: list[ColumnElement[bool]],
    column: InstrumentedAttribute[Any],
    answer: type[S],
) -> list[S]:
    count = func.count().label("sessions")
    query = (
        select(column, count)
        .where(*where)
        .group_by(column)
        .order_by(count.desc(), column)
        .limit(GROUP_LIMIT)
    )
    return [answer(**{column.key: value, "sessions": n}) for value, n in connection.execute(query)]


def _event_names(
    connection: Connection, where: list[ColumnElement[bool]], instants: Range
) -> list[answers.EventNameCount]:
    time, name, count = EventRow.event_time, EventRow.name, func.count().label("events")
    query = (
        select(name, count)
        .where(time >= instants.start, time < instants.end, name.is_not(None), *where)
        .group_by(name)
        .order_by(count.desc(), name)
        .limit(GROUP_LIMIT)
    )
    return [answers.EventNameCount(name=str(one), events=n) for one, n in connection.execute(query)]


def per_minute(
    connection: Connection, where: list[ColumnElement[bool]], from_ms: int, to_ms: int
) -> list[MinuteCount]:
    """Events a minute in the last hour of [from_ms, to_ms), minutes without any included."""
    last = (to_ms - 1) // MINUTE_MS
    first = max(from_ms // MINUTE_MS, last - MINUTES + 1)
    begin = max(from_ms, first * MINUTE_MS)
    counts = _minute_counts(connection, where, begin, to_ms)
    return [
        MinuteCount(
            minute=minute * MINUTE_MS,
            pages=counts.get((minute, "page"), 0),
            api_calls=counts.get((minute, "api"), 0),
        )
        for minute in range(first, last + 1)
    ]


def _minute_counts(
    connection: Connection, where: list[ColumnElement[bool]], begin: int, end: int
) -> dict[tuple[int, str], int]:
    time = EventRow.event_time
    # Both databases round towards zero, so count whole minutes from a point before the range.
    minute = cast((time - begin // MINUTE_MS * MINUTE_MS) // MINUTE_MS, Integer)
    query = (
        select(minute, EventRow.kind, func.count())
        .where(time >= begin, time < end, *where)
        .group_by(minute, EventRow.kind)
    )
    first = begin // MINUTE_MS
    return {(first + step, kind): n for step, kind, n in connection.execute(query)}


def per_day(
    connection: Connection, where: list[ColumnElement[bool]], days: Sequence[Day]
) -> list[answers.DayCount]:
    """The sessions that started on each day, days without any included."""
    counts = _day_counts(connection, where, days) if days else {}
    return [
        answers.DayCount(
            day=day.date.isoformat(),
            from_=day.range.start,
            to=day.range.end,
            **dict(zip(_OF_A_DAY, counts.get(number, (0, 0, 0)), strict=True)),
        )
        for number, day in enumerate(days)
    ]


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
