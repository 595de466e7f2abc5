"""An earlier run published between any two records; this one takes them in one batch."""

import msgspec
import pytest

from contracts import SessionUpdate
from spark_jobs.parse import Record
from spark_jobs.rules import Rules
from tests.support.buckets import BucketRun
from tests.support.journey import SECOND, Journey, record_of

SHORT = Rules(gap=20 * SECOND, max_per_minute=2)


def clicks(*moments: str) -> list[Record]:
    """One visitor's, in the order of their arrival."""
    events = [event for moment in moments for event in Journey("ann", moment).view("/").events]
    named = [
        msgspec.structs.replace(event, event_id=f"e{number}") for number, event in enumerate(events)
    ]
    return [record_of(event, number) for number, event in enumerate(named)]


def told_before(rules: Rules, records: list[Record]) -> dict[str, SessionUpdate]:
    """What a run with a batch for each record published."""
    run = BucketRun(rules)
    for record in records:
        run.feed([record])
    return {update.session_id: update for update in run.updates if update.status == "open"}


def told_again(rules: Rules, records: list[Record], retold: int) -> dict[str, SessionUpdate]:
    """What one batch of all publishes, when what came before ``retold`` may have been told."""
    run = BucketRun(rules)
    run.go_back(None, 0, retold)
    run.feed(records)
    return {update.session_id: update for update in run.updates}


@pytest.mark.parametrize(
    ("rules", "moments"),
    [
        (SHORT, ["2026-03-01 12:00:10", "2026-03-01 12:00:00"]),
        (SHORT, ["2026-03-01 12:00:00", "2026-03-01 12:00:50", "2026-03-01 12:00:10"]),
        (
            Rules(max_events=2),
            [f"2026-03-01 12:0{minute}:00" for minute in (0, 2, 3, 1)],
        ),
    ],
    ids=["an earlier first event", "pushed out of its minute", "another cut by a bound"],
)
def test_every_name_that_may_have_been_told_is_told_again(rules, moments) -> None:
    records = clicks(*moments)
    before = told_before(rules, records)
    again = told_again(rules, records, retold=len(records))
    assert set(before) <= set(again)
    gone = {name for name, update in again.items() if update.status == "merged"}
    assert len(gone) == 1
    assert {again[name].merged_into for name in gone} <= set(again) - gone


def test_names_of_later_records_are_not() -> None:
    records = clicks("2026-03-01 12:00:10", "2026-03-01 12:00:00")
    (only,) = told_again(SHORT, records, retold=0).values()
    assert (only.status, only.events) == ("open", 2)
