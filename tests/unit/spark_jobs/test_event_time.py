"""event_time is read right or refused, never misread."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from spark_jobs.event_time import EARLIEST_MS, LATEST_MS, EventTimeError, read_event_time
from tests.support.journey import at

MOMENT = at("2026-01-15 10:00:00") + 123


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (MOMENT, MOMENT),
        (MOMENT // 1000, MOMENT // 1000 * 1000),
        (MOMENT * 1000 + 456, MOMENT),
        (MOMENT / 1000, MOMENT),
        (1_079_861_860.182, 1_079_861_860_182),
        ("1079861860.182", 1_079_861_860_182),
        (float(MOMENT) + 0.9, MOMENT),
        (str(MOMENT), MOMENT),
        (str(MOMENT // 1000), MOMENT // 1000 * 1000),
        (str(MOMENT * 1000), MOMENT),
        ("2026-01-15T10:00:00.123Z", MOMENT),
        ("2026-01-15T10:00:00.123456Z", MOMENT),
        ("2026-01-15 10:00:00.123+00:00", MOMENT),
        ("2026-01-15T11:30:00.123+01:30", MOMENT),
        ("2026-01-15t10:00:00z", MOMENT // 1000 * 1000),
        ("2024-02-29T00:00:00Z", at("2024-02-29 00:00:00")),
        (EARLIEST_MS // 1000, EARLIEST_MS),
        (EARLIEST_MS, EARLIEST_MS),
        (EARLIEST_MS * 1000, EARLIEST_MS),
        (LATEST_MS // 1000 - 1, LATEST_MS - 1000),
        (LATEST_MS - 1, LATEST_MS - 1),
        (LATEST_MS * 1000 - 1, LATEST_MS - 1),
        (f"  {MOMENT}\n", MOMENT),
        (f"{MOMENT // 1000}.123456789", MOMENT),
    ],
)
def test_is_read(value, expected):
    assert read_event_time(value) == expected


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "event_time_missing"),
        ("  ", "event_time_missing"),
        ("not-a-date", "event_time_unreadable"),
        ("2026-02-30T00:00:00Z", "event_time_unreadable"),
        ("2025-02-29T00:00:00Z", "event_time_unreadable"),
        ("2026-01-15T25:00:00Z", "event_time_unreadable"),
        ("2026-01-15T10:00:00", "event_time_unreadable"),
        ("2026-01-15", "event_time_unreadable"),
        ("1999-12-31T23:59:59Z", "event_time_out_of_range"),
        (-1, "event_time_out_of_range"),
        (0, "event_time_out_of_range"),
        (20260115, "event_time_out_of_range"),
        (9e18, "event_time_out_of_range"),
        (MOMENT * 1_000_000, "event_time_out_of_range"),
        ("99999999999999999999", "event_time_out_of_range"),
        (10**400, "event_time_out_of_range"),
        (EARLIEST_MS // 1000 - 1, "event_time_out_of_range"),
        (LATEST_MS // 1000, "event_time_out_of_range"),
        (EARLIEST_MS - 1, "event_time_out_of_range"),
        (LATEST_MS, "event_time_out_of_range"),
        (EARLIEST_MS * 1000 - 1, "event_time_out_of_range"),
        (LATEST_MS * 1000, "event_time_out_of_range"),
        (float("inf"), "event_time_out_of_range"),
        (float("-inf"), "event_time_out_of_range"),
        (float("nan"), "event_time_out_of_range"),
        (-MOMENT, "event_time_out_of_range"),
        (f"{MOMENT}000000", "event_time_out_of_range"),
        (f"-{MOMENT}", "event_time_unreadable"),
        (f"+{MOMENT}", "event_time_unreadable"),
        ("1.7684712e12", "event_time_unreadable"),
        ("1768471200,5", "event_time_unreadable"),
        ("1_768_471_200", "event_time_unreadable"),
        ("0x19bc0d5d0c0", "event_time_unreadable"),
        ("NaN", "event_time_unreadable"),
        ("Infinity", "event_time_unreadable"),
        ("2016-12-31T23:59:60Z", "event_time_unreadable"),
        ("2026-01-15T10:00:00+99:00", "event_time_unreadable"),
        ("15/01/2026 10:00:00", "event_time_unreadable"),
    ],
)
def test_is_refused(value, reason):
    with pytest.raises(EventTimeError) as caught:
        read_event_time(value)
    assert caught.value.reason == reason


@given(st.integers(EARLIEST_MS, LATEST_MS - 1))
def test_the_three_units_and_text_agree(moment):
    assert read_event_time(moment) == moment
    assert read_event_time(moment * 1000) == moment
    assert read_event_time(moment // 1000) == moment // 1000 * 1000
    assert read_event_time(str(moment)) == moment
    assert read_event_time(moment / 1000) == moment
    assert read_event_time(f"{moment // 1000}.{moment % 1000:03}") == moment
