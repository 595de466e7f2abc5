"""Days, weeks and months of a place, as ranges of instants. Pure: now is passed in.

A day begins at the last moment at which the place's clock passes to its date from an earlier
one. That is midnight on nearly all days; where a change of the clock leaves midnight out it is
the change itself, and where the change goes back into the day before it is the second midnight.
So each instant belongs to just one day, and a day has 23, 25 or, on Lord Howe Island, 23.5 hours
when the clock changes.
"""

import re
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, NamedTuple, get_args
from zoneinfo import ZoneInfo

Period = Literal["today", "yesterday", "this_week", "last_7_days", "this_month", "last_month"]
PERIODS: tuple[Period, ...] = get_args(Period)

FIRST_DAY = date(1900, 1, 1)
LAST_DAY = date(9998, 12, 31)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MS = timedelta(milliseconds=1)
_FIRST_INSTANT = -2_208_988_800_000
_LAST_INSTANT = 253_370_764_800_000
"""1900-01-01 and 9999-01-01 in UTC: what Python's calendar holds in every zone."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*")
_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_NO_PLACES = ("posix/", "right/", "localtime", "posixrules", "Factory", "SystemV/")
"""Files that the system keeps beside its zones: other forms of them, or a zone of its own."""


class Range(NamedTuple):
    """Instants from ``start`` on and before ``end``, in ms since 1970 UTC."""

    start: int
    end: int


class Day(NamedTuple):
    """A day and its part of a range."""

    date: date
    range: Range


def time_zone(name: str) -> ZoneInfo:
    """The zone with that name in the IANA time zone database. ValueError when there is none."""
    try:
        if _NAME.fullmatch(name) and not name.startswith(_NO_PLACES):
            return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        pass  # unknown, not a zone's file, or a folder of zones such as Europe
    raise ValueError("must be an IANA time zone such as Europe/Berlin, America/New_York or UTC")


def parse_day(text: str) -> date:
    """``2026-03-01`` → the date. ValueError when it is none, or one that no range begins at."""
    try:
        day = date.fromisoformat(text) if _DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None or not FIRST_DAY <= day <= LAST_DAY:
        raise ValueError("must be a day such as 2026-03-01, from 1900 on")
    return day


def day_range(day: date, zone: ZoneInfo) -> Range:
    """The day's instants in that zone."""
    return _days(day, day + timedelta(days=1), zone)


def period_range(period: Period, now: int, zone: ZoneInfo) -> Range:
    """The period that ``now`` (ms since 1970 UTC) is in, or follows on, in that zone.

    Weeks begin on Monday (ISO 8601). The last seven days are today and the six before it.
    """
    return _days(*_PERIODS[period](local_date(now, zone)), zone)


def days_of(instants: Range, zone: ZoneInfo, limit: int) -> list[Day]:
    """The days that lie in a range, in order, the first and last as far as they do.

    Of more than ``limit`` days the last ones; nothing before 1900 or after 9998.
    """
    start, end = max(instants.start, _FIRST_INSTANT), min(instants.end, _LAST_INSTANT)
    return list(_days_backwards(Range(start, end), zone, limit))[::-1]


def _days_backwards(instants: Range, zone: ZoneInfo, limit: int) -> Iterator[Day]:
    end, left = instants.end, limit
    while end > instants.start and left:
        day = local_date(end - 1, zone)
        start = max(day_start(day, zone), instants.start)
        yield Day(day, Range(start, end))
        end, left = start, left - 1


def local_date(instant: int, zone: ZoneInfo) -> date:
    """The day that the instant counts on in that zone."""
    day = _clock(instant, zone)
    # Where the clock was set back over midnight, the date comes, goes, and comes again.
    return day if instant >= day_start(day, zone) else day - timedelta(days=1)


def day_start(day: date, zone: ZoneInfo) -> int:
    """When the day begins in that zone, in ms since 1970 UTC."""
    midnight = datetime.combine(day, time(), zone)
    first, second = _instant(midnight.replace(fold=0)), _instant(midnight.replace(fold=1))
    if first <= second:
        is_twice_in_the_day = first < second and _clock(second - 1, zone) >= day
        return first if is_twice_in_the_day else second
    # Midnight is left out: the two readings of it stand on both sides of the change (PEP 495).
    return _passage(day, zone, second, first)


def _passage(day: date, zone: ZoneInfo, before: int, after: int) -> int:
    """The first instant whose date is not before ``day``, between two around one change."""
    while after - before > 1:
        middle = (before + after) // 2
        if _clock(middle, zone) < day:
            before = middle
        else:
            after = middle
    return after


def _clock(instant: int, zone: ZoneInfo) -> date:
    return (EPOCH + instant * _MS).astimezone(zone).date()


def _instant(moment: datetime) -> int:
    return (moment - EPOCH) // _MS


def _days(first: date, after: date, zone: ZoneInfo) -> Range:
    return Range(day_start(first, zone), day_start(after, zone))


def _next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=31)).replace(day=1)


def _before(today: date, days: int) -> date:
    return today - timedelta(days=days)


_PERIODS: dict[Period, Callable[[date], tuple[date, date]]] = {
    "today": lambda today: (today, _before(today, -1)),
    "yesterday": lambda today: (_before(today, 1), today),
    "this_week": lambda today: (
        _before(today, today.weekday()),
        _before(today, today.weekday() - 7),
    ),
    "last_7_days": lambda today: (_before(today, 6), _before(today, -1)),
    "this_month": lambda today: (today.replace(day=1), _next_month(today)),
    "last_month": lambda today: (
        _before(today.replace(day=1), 1).replace(day=1),
        today.replace(day=1),
    ),
}
"""From today's date: the first day, and the day after the last."""
