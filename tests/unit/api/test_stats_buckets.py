"""Buckets of time, the period before, and quantiles. All times are UTC unless the zone is said."""

from datetime import datetime
from statistics import quantiles
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.calendar import Range
from api.history.stats.buckets import (
    FIRST_INSTANT,
    LAST_INSTANT,
    Interval,
    Run,
    buckets_of,
    fitting_interval,
    runs,
)
from api.history.stats.previous import previous_range
from api.history.stats.quantiles import Distribution, ranks

MINUTE = 60_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
BERLIN = ZoneInfo("Europe/Berlin")
UTC = ZoneInfo("UTC")


def at(text: str) -> int:
    """``2026-03-29 01:00`` UTC, in ms since 1970."""
    return round(datetime.fromisoformat(f"{text}+00:00").timestamp() * 1000)


def between(start: str, end: str) -> Range:
    return Range(at(start), at(end))


def lengths(instants: Range, interval: Interval, zone: str) -> list[tuple[str, float]]:
    """Each bucket's label and its length in hours."""
    found = buckets_of(instants, interval, ZoneInfo(zone))
    return [(label, (end - start) / HOUR) for label, (start, end), _ in found]


@pytest.mark.parametrize(
    ("instants", "interval", "zone", "expected"),
    [
        (
            between("2026-03-27 23:00", "2026-03-30 22:00"),
            "day",
            "Europe/Berlin",
            [("2026-03-28", 24), ("2026-03-29", 23), ("2026-03-30", 24)],
        ),
        (
            between("2026-10-24 22:00", "2026-10-26 23:00"),
            "day",
            "Europe/Berlin",
            [("2026-10-25", 25), ("2026-10-26", 24)],
        ),
        # No hour begins at two o'clock on the first day, and two do on the second.
        (
            between("2026-03-29 00:00", "2026-03-29 02:00"),
            "hour",
            "Europe/Berlin",
            [("2026-03-29T01:00:00+01:00", 1), ("2026-03-29T03:00:00+02:00", 1)],
        ),
        (
            between("2026-10-25 00:00", "2026-10-25 02:00"),
            "hour",
            "Europe/Berlin",
            [("2026-10-25T02:00:00+02:00", 1), ("2026-10-25T02:00:00+01:00", 1)],
        ),
        # The clock goes from 2:00 to 2:30.
        (
            between("2026-10-03 14:30", "2026-10-03 17:00"),
            "hour",
            "Australia/Lord_Howe",
            [
                ("2026-10-04T01:00:00+10:30", 1),
                ("2026-10-04T02:30:00+11:00", 0.5),
                ("2026-10-04T03:00:00+11:00", 1),
            ],
        ),
        (
            between("2026-03-01 12:10", "2026-03-01 14:00"),
            "hour",
            "Asia/Kolkata",
            [
                ("2026-03-01T17:00:00+05:30", 20 / 60),
                ("2026-03-01T18:00:00+05:30", 1),
                ("2026-03-01T19:00:00+05:30", 0.5),
            ],
        ),
        # A week across the change of the year, cut at both ends, with a Monday inside.
        (
            between("2025-12-31 00:00", "2026-01-06 00:00"),
            "week",
            "UTC",
            [("2025-12-29", 5 * 24), ("2026-01-05", 24)],
        ),
        (
            between("2026-03-22 23:00", "2026-04-05 22:00"),
            "week",
            "Europe/Berlin",
            [("2026-03-23", 7 * 24 - 1), ("2026-03-30", 7 * 24)],
        ),
        (
            between("2026-01-31 23:00", "2026-03-31 22:00"),
            "month",
            "Europe/Berlin",
            [("2026-02", 28 * 24), ("2026-03", 31 * 24 - 1)],
        ),
        (
            between("2026-03-01 12:00", "2026-03-01 12:02"),
            "minute",
            "UTC",
            [("2026-03-01T12:00:00+00:00", 1 / 60), ("2026-03-01T12:01:00+00:00", 1 / 60)],
        ),
        (between("2026-03-01 12:10", "2026-03-01 12:10"), "hour", "UTC", []),
        # Samoa left out 30 December.
        (
            between("2011-12-29 10:00", "2011-12-31 10:00"),
            "day",
            "Pacific/Apia",
            [("2011-12-29", 24), ("2011-12-31", 24)],
        ),
    ],
)
def test_buckets(
    instants: Range, interval: Interval, zone: str, expected: list[tuple[str, float]]
) -> None:
    assert lengths(instants, interval, zone) == expected


@pytest.mark.parametrize("interval", ["minute", "hour", "day", "week", "month"])
@pytest.mark.parametrize(
    "zone", ["UTC", "Europe/Berlin", "Australia/Lord_Howe", "America/Sao_Paulo", "Pacific/Apia"]
)
@given(start=st.integers(at("1990-01-01 00:00"), at("2030-01-01 00:00")), count=st.integers(1, 50))
def test_buckets_cover_the_range_and_runs_number_them(
    zone: str, interval: Interval, start: int, count: int
) -> None:
    length = (
        count * {"minute": 1, "hour": 60, "day": 1440, "week": 10_080, "month": 40_000}[interval]
    )
    instants = Range(start, start + length * MINUTE + 1)
    buckets = buckets_of(instants, interval, ZoneInfo(zone))
    edges = [bucket.range.start for bucket in buckets] + [buckets[-1].range.end]
    assert (edges[0], edges[-1]) == instants
    assert all(bucket.range.end == edge for bucket, edge in zip(buckets, edges[1:], strict=True))
    assert edges == sorted(set(edges))
    for number, bucket in enumerate(buckets):
        for instant in (bucket.range.start, bucket.range.end - 1):
            run = next(run for run in runs(buckets) if instant < run.end)
            assert (instant - run.start) // run.width + run.first == number


def test_a_year_of_days_is_a_few_runs() -> None:
    days = buckets_of(between("2025-12-31 23:00", "2026-12-31 23:00"), "day", BERLIN)
    assert len(days) == 365
    assert runs(days) == [
        Run(at("2025-12-31 23:00"), at("2026-03-28 23:00"), DAY, 0),
        Run(at("2026-03-28 23:00"), at("2026-03-29 22:00"), 23 * HOUR, 87),
        Run(at("2026-03-29 22:00"), at("2026-10-24 22:00"), DAY, 88),
        Run(at("2026-10-24 22:00"), at("2026-10-25 23:00"), 25 * HOUR, 297),
        Run(at("2026-10-25 23:00"), at("2026-12-31 23:00"), DAY, 298),
    ]


def test_too_many_buckets_are_refused_at_once() -> None:
    assert len(buckets_of(Range(0, 1_500 * MINUTE), "minute", UTC)) == 1_500
    with pytest.raises(ValueError, match=r"more than 1,500 buckets .* or interval=hour"):
        buckets_of(Range(0, 1_501 * MINUTE), "minute", UTC)
    with pytest.raises(ValueError, match=r"ask for a shorter one$"):
        buckets_of(Range(FIRST_INSTANT, LAST_INSTANT), "month", UTC)
    for interval in ("minute", "hour", "day", "week"):
        with pytest.raises(ValueError, match="more than 1,500 buckets"):
            buckets_of(Range(FIRST_INSTANT, LAST_INSTANT), interval, UTC)


@pytest.mark.parametrize(
    ("length", "interval"),
    [(HOUR, "minute"), (DAY, "hour"), (30 * DAY, "day"), (366 * DAY, "month")],
)
def test_the_interval_suits_the_range(length: int, interval: str) -> None:
    assert fitting_interval(Range(0, length)) == interval


LATER = "2027-01-01 00:00"


@pytest.mark.parametrize(
    ("instants", "now", "expected"),
    [
        # Whole days, of whatever length.
        (
            between("2026-03-28 23:00", "2026-03-29 22:00"),
            LATER,
            between("2026-03-27 23:00", "2026-03-28 23:00"),
        ),
        (
            between("2026-03-29 22:00", "2026-04-05 22:00"),
            LATER,
            between("2026-03-22 23:00", "2026-03-29 22:00"),
        ),
        # Whole months.
        (
            between("2026-02-28 23:00", "2026-03-31 22:00"),
            LATER,
            between("2026-01-31 23:00", "2026-02-28 23:00"),
        ),
        (
            between("2025-12-31 23:00", "2026-12-31 23:00"),
            LATER,
            between("2024-12-31 23:00", "2025-12-31 23:00"),
        ),
        # Anything else.
        (
            between("2026-03-29 00:30", "2026-03-29 02:30"),
            LATER,
            between("2026-03-28 22:30", "2026-03-29 00:30"),
        ),
        # A day that is not over is compared with as much of the day before.
        (
            between("2026-03-29 22:00", "2026-03-30 22:00"),
            "2026-03-30 10:00",
            between("2026-03-28 23:00", "2026-03-29 11:00"),
        ),
        # A month that is longer gone than the month before was.
        (
            between("2026-02-28 23:00", "2026-03-31 22:00"),
            "2026-03-31 10:00",
            between("2026-01-31 23:00", "2026-02-28 23:00"),
        ),
        # One that has not begun.
        (
            between("2026-03-29 22:00", "2026-03-30 22:00"),
            "2026-03-29 10:00",
            Range(at("2026-03-28 23:00"), at("2026-03-28 23:00")),
        ),
    ],
)
def test_the_period_before_in_berlin(instants: Range, now: str, expected: Range) -> None:
    assert previous_range(instants, BERLIN, at(now)) == expected


def test_quantiles_by_hand() -> None:
    assert ranks(1, 5) == (1, 1, 0)
    assert ranks(4, 5) == (2, 3, 5)
    assert Distribution(4, {2: 10, 3: 21, 4: 40}).quantile(5) == round(15.5)
    assert Distribution(4, {2: 10, 3: 20, 4: 40}).quantile(9) == 34
    assert Distribution(0, {}).quantile(5) is None


@given(st.lists(st.integers(0, 10**9), min_size=2, max_size=40))
def test_quantiles_are_those_of_the_standard_library(durations: list[int]) -> None:
    ordered = sorted(durations)
    found = Distribution(len(ordered), dict(enumerate(ordered, start=1)))
    deciles = quantiles(durations, n=10, method="inclusive")
    assert (found.quantile(5), found.quantile(9)) == (round(deciles[4]), round(deciles[8]))
