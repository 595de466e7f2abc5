"""The period before a period, to compare with. Pure: now is passed in."""

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from api.calendar import Range, day_start, local_date


def previous_range(instants: Range, zone: ZoneInfo, now: int) -> Range:
    """The range of the same kind that ends where this one begins.

    Before whole months are as many months, before whole days as many days, whatever their length
    in hours; before anything else is as much time. A range that is not over is compared with as
    much of the one before: today until noon with yesterday until noon.
    """
    start, end = instants
    before = _calendar_start(instants, zone)
    if before is None:
        before = start - (end - start)
    gone = max(now, start) - start
    return Range(before, min(start, before + gone) if now < end else start)


def _calendar_start(instants: Range, zone: ZoneInfo) -> int | None:
    first, after = local_date(instants.start, zone), local_date(instants.end, zone)
    is_whole = (day_start(first, zone), day_start(after, zone)) == instants
    if not is_whole or first == after:
        return None
    if first.day == after.day == 1:
        return day_start(_months_before(first, _month(after) - _month(first)), zone)
    return day_start(first - timedelta(days=(after - first).days), zone)


def _month(day: date) -> int:
    return day.year * 12 + day.month - 1


def _months_before(day: date, months: int) -> date:
    year, month = divmod(_month(day) - months, 12)
    return date(year, month + 1, 1)
