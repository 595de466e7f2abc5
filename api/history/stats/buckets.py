"""Minutes, hours, days, weeks and months of a place, as buckets that cover a range. Pure.

Each instant of the range is in just one bucket, and the buckets follow on one another. Days begin
as ``api.calendar`` says, weeks on Monday (ISO 8601), and hours when the place's clock passes to a
full hour: where the clock is set by half an hour there is an hour of 30 minutes.
"""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Literal, NamedTuple
from zoneinfo import ZoneInfo

from api.calendar import EPOCH, Range, day_start, local_date

Interval = Literal["minute", "hour", "day", "week", "month"]

BUCKET_LIMIT = 1_500
"""Buckets of one series: a day of minutes, two months of hours, four years of days."""

_MS = timedelta(milliseconds=1)
_MINUTE_MS = 60_000
_HOUR_MS = 60 * _MINUTE_MS
_DAY_MS = 24 * _HOUR_MS
_SHORTEST_MS: dict[Interval, int] = {
    "minute": _MINUTE_MS,
    "hour": _HOUR_MS,
    "day": _DAY_MS,
    "week": 7 * _DAY_MS,
    "month": 28 * _DAY_MS,
}
FIRST_INSTANT = -2_203_891_200_000
LAST_INSTANT = 253_336_550_400_000
"""1900-03-01 and 9997-12-01 in UTC: every bucket that these are in can be named in every zone."""

_STEPS: tuple[Interval, ...] = ("minute", "hour", "day", "week", "month")


class Bucket(NamedTuple):
    """A bucket's name, the part of it that lies in the range, and whether that is all of it."""

    label: str
    range: Range
    is_whole: bool = True


class Run(NamedTuple):
    """Buckets of one width (ms) in [start, end), the first of them with number ``first``."""

    start: int
    end: int
    width: int
    first: int


def buckets_of(
    instants: Range, interval: Interval, zone: ZoneInfo, limit: int = BUCKET_LIMIT
) -> list[Bucket]:
    """The buckets that cover a range between FIRST_INSTANT and LAST_INSTANT.

    ValueError when they are more than ``limit``.

    A label is the local time at which the whole bucket begins: ``2026-03-29`` of a day or of a
    week's Monday, ``2026-03`` of a month, RFC 3339 with the offset of an hour or a minute.
    """
    if instants.end <= instants.start:
        return []
    at_least = (instants.end - instants.start) // (_SHORTEST_MS[interval] * 2)
    if at_least > limit:
        raise _too_many(interval, limit)
    found = list(islice(_buckets(instants, interval, zone), limit + 1))
    if len(found) > limit:
        raise _too_many(interval, limit)
    return found


def fitting_interval(instants: Range) -> Interval:
    """The interval that a chart of the range reads well in: tens of buckets, not hundreds."""
    length = instants.end - instants.start
    if length <= 2 * _HOUR_MS:
        return "minute"
    if length <= 3 * _DAY_MS:
        return "hour"
    return "day" if length <= 100 * _DAY_MS else "month"


def runs(buckets: Sequence[Bucket]) -> list[Run]:
    """The same buckets as few runs of equal width: what a database can number by division."""
    found: list[Run] = []
    for number, (_, (start, end), _) in enumerate(buckets):
        if found and found[-1].width == end - start:
            found[-1] = found[-1]._replace(end=end)
        else:
            found.append(Run(start, end, end - start, number))
    return found


def _too_many(interval: Interval, limit: int) -> ValueError:
    longer = _STEPS[_STEPS.index(interval) + 1 :]
    instead = f", or interval={longer[0]}" if longer else ""
    return ValueError(
        f"makes more than {limit:,} buckets of this range: ask for a shorter one{instead}"
    )


def _buckets(instants: Range, interval: Interval, zone: ZoneInfo) -> Iterator[Bucket]:
    step = _BY_CLOCK.get(interval)
    whole = _by_clock(instants.start, step, zone) if step else _BY_DATE[interval](instants, zone)
    for label, (start, end), _ in whole:
        if start >= instants.end:
            return
        if start < end:  # not so a day that a place left out when it changed sides of the date line
            part = Range(max(start, instants.start), min(end, instants.end))
            yield Bucket(label, part, part == (start, end))


_BY_CLOCK: dict[Interval, int] = {"minute": _MINUTE_MS, "hour": _HOUR_MS}


def _by_clock(instant: int, step: int, zone: ZoneInfo) -> Iterator[Bucket]:
    """Buckets that begin at full steps of the local clock, from that of ``instant`` on."""
    start = _on_the_clock(instant, step, zone)
    while True:
        end = _on_the_clock(start, step, zone) + step
        yield Bucket(_moment(start, zone).isoformat(), Range(start, end))
        start = end


def _on_the_clock(instant: int, step: int, zone: ZoneInfo) -> int:
    offset = _moment(instant, zone).utcoffset() or timedelta()
    return instant - (instant + offset // _MS) % step


def _moment(instant: int, zone: ZoneInfo) -> datetime:
    return (EPOCH + instant * _MS).astimezone(zone)


def _by_date(
    first: Callable[[date], date], after: Callable[[date], date], form: str
) -> Callable[[Range, ZoneInfo], Iterator[Bucket]]:
    """Buckets of whole days: ``first`` day of the bucket a day is in, and first day ``after``."""

    def whole(instants: Range, zone: ZoneInfo) -> Iterator[Bucket]:
        day = first(local_date(instants.start, zone))
        start = day_start(day, zone)
        while True:
            following = after(day)
            end = day_start(following, zone)
            yield Bucket(day.strftime(form), Range(start, end))
            day, start = following, end

    return whole


def _next_month(day: date) -> date:
    return (day.replace(day=1) + timedelta(days=31)).replace(day=1)


_BY_DATE = {
    "day": _by_date(lambda day: day, lambda day: day + timedelta(days=1), "%Y-%m-%d"),
    "week": _by_date(
        lambda day: day - timedelta(days=day.weekday()),
        lambda day: day + timedelta(days=7),
        "%Y-%m-%d",
    ),
    "month": _by_date(lambda day: day.replace(day=1), _next_month, "%Y-%m"),
}
