"""The numbers of a time range, in a handful of queries."""

from collections.abc import Mapping, Sequence
from typing import TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Integer, cast, func, select

from api.calendar import Day, Range, days_of
from api.history import answers
from api.history.blocks.memory import Memory
from api.history.filters import SessionFilter, event_conditions
from api.history.models import EventRow
from api.history.overview import GROUP_LIMIT, Frequent, overview
from api.history.stats.block_overview import overview_of_blocks
from contracts.live import MinuteCount

MINUTE_MS = 60_000
MINUTES = 60
DAYS = 92
_OF_A_DAY = ("sessions", "events", "pages")

S = TypeVar("S", bound=Struct)


def stats(
    connection: Connection,
    wanted: SessionFilter,
    instants: Range,
    zone: ZoneInfo,
    now: int,
    *,
    memory: Memory,
) -> answers.Stats:
    """Sum up the sessions that started in ``instants`` and match ``wanted``."""
    from_ms, to_ms = instants
    days = days_of(instants, zone, DAYS)
    found = overview_of_blocks(connection, memory, wanted, days)
    if found is None:
        found = overview(connection, wanted, days)
    totals, groups = found.totals, found.groups
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
        median_duration_ms=found.median,
        average_duration_ms=round(totals.duration / totals.sessions) if totals.sessions else None,
        bots=found.bots,
        countries=_told(groups["country"], "country", answers.CountrySessions),
        channels=_told(groups["channel"], "channel", answers.ChannelSessions),
        browsers=_told(groups["browser"], "browser", answers.BrowserSessions),
        devices=_told(groups["device"], "device", answers.DeviceSessions),
        entry_pages=_told(groups["entry_page"], "entry_page", answers.EntryPageSessions),
        event_names=_event_names(connection, event_conditions(wanted), instants),
        per_minute=per_minute(
            connection, event_conditions(wanted), from_ms, min(to_ms, max(now, from_ms))
        ),
        per_day=per_day(days, found.days),
    )


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


def per_day(days: Sequence[Day], counts: Mapping[int, tuple[int, ...]]) -> list[answers.DayCount]:
    """The sessions that started on each day, days without any included."""
    return [
        answers.DayCount(
            day=day.date.isoformat(),
            from_=day.range.start,
            to=day.range.end,
            **dict(zip(_OF_A_DAY, counts.get(number, (0, 0, 0)), strict=True)),
        )
        for number, day in enumerate(days)
    ]


def _told(found: Frequent, name: str, answer: type[S]) -> list[S]:
    return [answer(**{name: value, "sessions": number}) for value, number in found]
