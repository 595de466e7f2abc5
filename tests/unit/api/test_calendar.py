"""Days, weeks and months in a time zone. All times are UTC unless the zone is said."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.calendar import (
    Range,
    day_range,
    day_start,
    days_of,
    local_date,
    parse_day,
    period_range,
    time_zone,
)

HOUR = 3_600_000
DAY = 24 * HOUR
ZONES = (
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Havana",
    "America/Sao_Paulo",
    "America/Goose_Bay",
    "Asia/Beirut",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kwajalein",
    "Africa/Casablanca",
)


def at(text: str) -> int:
    """``2026-03-29 01:00`` UTC, in ms since 1970."""
    return round(datetime.fromisoformat(f"{text}+00:00").timestamp() * 1000)


@pytest.mark.parametrize(
    ("zone", "day", "begins", "hours"),
    [
        ("UTC", "2026-03-01", "2026-03-01 00:00", 24),
        ("Europe/Berlin", "2026-03-01", "2026-02-28 23:00", 24),
        ("Asia/Kolkata", "2026-03-01", "2026-02-28 18:30", 24),
        # Spring forward, fall back.
        ("Europe/Berlin", "2026-03-29", "2026-03-28 23:00", 23),
        ("Europe/Berlin", "2026-10-25", "2026-10-24 22:00", 25),
        ("America/New_York", "2026-03-08", "2026-03-08 05:00", 23),
        ("America/New_York", "2026-11-01", "2026-11-01 04:00", 25),
        # Half an hour.
        ("Australia/Lord_Howe", "2026-10-04", "2026-10-03 13:30", 23.5),
        ("Australia/Lord_Howe", "2026-04-05", "2026-04-04 13:00", 24.5),
        # Midnight does not exist: the clock goes from 24:00 to 1:00.
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04 03:00", 23),
        ("Asia/Beirut", "2022-03-27", "2022-03-26 22:00", 23),
        # The half hour around midnight does not exist.
        ("America/Toronto", "1919-03-31", "1919-03-31 04:30", 23.5),
        # Midnight comes twice in the day: 0:00 follows on 1:00.
        ("America/Havana", "2026-11-01", "2026-11-01 04:00", 25),
        # The clock goes back from 24:00 to 23:00, or from 0:01 to 23:01 of the day before.
        ("America/Sao_Paulo", "2018-02-17", "2018-02-17 02:00", 25),
        ("America/Goose_Bay", "2010-11-06", "2010-11-06 03:00", 25),
        ("America/Goose_Bay", "2010-11-07", "2010-11-07 04:00", 24),
        # Samoa left a day out.
        ("Pacific/Apia", "2011-12-29", "2011-12-29 10:00", 24),
        ("Pacific/Apia", "2011-12-30", "2011-12-30 10:00", 0),
        ("Pacific/Apia", "2011-12-31", "2011-12-30 10:00", 24),
        # Leap days.
        ("UTC", "2024-02-29", "2024-02-29 00:00", 24),
        ("Asia/Tokyo", "2000-02-29", "2000-02-28 15:00", 24),
    ],
)
def test_a_day(zone: str, day: str, begins: str, hours: float) -> None:
    found = day_range(date.fromisoformat(day), ZoneInfo(zone))
    assert found == Range(at(begins), at(begins) + round(hours * HOUR))


@pytest.mark.parametrize(
    ("period", "now", "zone", "first", "last"),
    [
        ("today", "2026-03-01 12:00", "UTC", "2026-03-01 00:00", "2026-03-02 00:00"),
        ("today", "2026-03-01 23:59", "Asia/Tokyo", "2026-03-01 15:00", "2026-03-02 15:00"),
        ("today", "2026-03-01 03:00", "America/New_York", "2026-02-28 05:00", "2026-03-01 05:00"),
        ("today", "2026-03-29 10:00", "Europe/Berlin", "2026-03-28 23:00", "2026-03-29 22:00"),
        ("yesterday", "2026-03-30 10:00", "Europe/Berlin", "2026-03-28 23:00", "2026-03-29 22:00"),
        ("yesterday", "2024-03-01 12:00", "UTC", "2024-02-29 00:00", "2024-03-01 00:00"),
        # Sunday is the last day of its week, Monday the first.
        ("this_week", "2026-03-01 12:00", "UTC", "2026-02-23 00:00", "2026-03-02 00:00"),
        ("this_week", "2026-03-02 00:00", "UTC", "2026-03-02 00:00", "2026-03-09 00:00"),
        ("this_week", "2026-03-25 12:00", "Europe/Berlin", "2026-03-22 23:00", "2026-03-29 22:00"),
        ("last_7_days", "2026-03-02 12:00", "UTC", "2026-02-24 00:00", "2026-03-03 00:00"),
        (
            "last_7_days",
            "2026-11-01 12:00",
            "Europe/Berlin",
            "2026-10-25 23:00",
            "2026-11-01 23:00",
        ),
        ("this_month", "2024-02-10 12:00", "UTC", "2024-02-01 00:00", "2024-03-01 00:00"),
        ("this_month", "2026-12-31 23:30", "UTC", "2026-12-01 00:00", "2027-01-01 00:00"),
        ("this_month", "2026-12-31 23:30", "Europe/Berlin", "2026-12-31 23:00", "2027-01-31 23:00"),
        ("last_month", "2026-03-31 12:00", "UTC", "2026-02-01 00:00", "2026-03-01 00:00"),
        ("last_month", "2026-01-15 12:00", "UTC", "2025-12-01 00:00", "2026-01-01 00:00"),
        ("last_month", "2026-04-15 12:00", "Europe/Berlin", "2026-02-28 23:00", "2026-03-31 22:00"),
    ],
)
def test_a_period(period: str, now: str, zone: str, first: str, last: str) -> None:
    assert period_range(period, at(now), ZoneInfo(zone)) == Range(at(first), at(last))  # type: ignore[arg-type]


def test_the_days_of_a_range() -> None:
    berlin = ZoneInfo("Europe/Berlin")
    days = days_of(Range(at("2026-03-28 12:00"), at("2026-03-30 01:00")), berlin, 92)
    assert [(day.date.isoformat(), *day.range) for day in days] == [
        ("2026-03-28", at("2026-03-28 12:00"), at("2026-03-28 23:00")),
        ("2026-03-29", at("2026-03-28 23:00"), at("2026-03-29 22:00")),
        ("2026-03-30", at("2026-03-29 22:00"), at("2026-03-30 01:00")),
    ]


def test_a_day_that_was_left_out_is_no_day_of_a_range() -> None:
    days = days_of(
        Range(at("2011-12-29 12:00"), at("2011-12-31 09:00")), ZoneInfo("Pacific/Apia"), 9
    )
    assert [day.date.isoformat() for day in days] == ["2011-12-29", "2011-12-31"]


def test_of_many_days_the_last_ones_are_told() -> None:
    days = days_of(Range(-(2**53), at("2026-03-03 00:00")), ZoneInfo("UTC"), 2)
    assert [day.date.isoformat() for day in days] == ["2026-03-01", "2026-03-02"]
    assert days_of(Range(5, 5), ZoneInfo("UTC"), 2) == []
    assert days_of(Range(2**53, 2**53), ZoneInfo("UTC"), 2) == []
    assert days_of(Range(0, 2**53), ZoneInfo("Pacific/Kiritimati"), 1)[0].date.year == 9999


INSTANTS = st.integers(at("1950-01-01 00:00"), at("2037-12-31 00:00"))


@given(INSTANTS, st.sampled_from(ZONES))
def test_each_instant_belongs_to_the_day_around_it(instant: int, name: str) -> None:
    zone = ZoneInfo(name)
    start, end = day_range(local_date(instant, zone), zone)
    assert start <= instant < end


@given(INSTANTS, st.integers(0, 10 * DAY), st.sampled_from(ZONES))
def test_the_days_of_a_range_are_all_of_it(start: int, length: int, name: str) -> None:
    zone = ZoneInfo(name)
    days = days_of(Range(start, start + length), zone, 100)
    edges = [edge for day in days for edge in day.range]
    assert edges[:1] + edges[-1:] == ([start, start + length] if length else [])
    assert edges[1:-1:2] == edges[2::2]
    assert all(local_date(day.range.start, zone) == day.date for day in days)


@given(st.dates(date(1950, 1, 1), date(2037, 12, 31)), st.sampled_from(ZONES))
def test_a_day_begins_where_the_date_comes_to_stay(day: date, name: str) -> None:
    zone = ZoneInfo(name)
    start = day_start(day, zone)
    clock = datetime.fromtimestamp(start / 1000, zone).date()
    assert clock >= day
    assert datetime.fromtimestamp((start - 1) / 1000, zone).date() < day


@pytest.mark.parametrize("name", ["UTC", "Europe/Berlin", "Etc/GMT+5", "America/Argentina/Ushuaia"])
def test_zones(name: str) -> None:
    assert time_zone(name).key == name


@pytest.mark.parametrize(
    "name",
    ["", "Mars/Olympus", "Europe", "localtime", "posix/Europe/Berlin", "../../etc/passwd", "/etc",
     "Europe/Berlin\0", "UTC+1", "zone.tab", "x" * 300],
)  # fmt: skip
def test_what_is_no_zone(name: str) -> None:
    with pytest.raises(ValueError, match="IANA time zone such as Europe/Berlin"):
        time_zone(name)


def test_days_as_people_write_them() -> None:
    assert parse_day("2024-02-29") == date(2024, 2, 29)


@pytest.mark.parametrize(
    "text", ["", "today", "2026-02-29", "20260301", "2026-W09-1", "1899-12-31", "9999-12-31"]
)
def test_what_is_no_day(text: str) -> None:
    with pytest.raises(ValueError, match="such as 2026-03-01"):
        parse_day(text)
