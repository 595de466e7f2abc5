"""Other gaps by site and path: how rules are read, and which one an event brings."""

import pytest

from contracts import ContractError
from spark_jobs.gaps import GapRule, gap_reader, read_gap_rules
from spark_jobs.rules import Rules
from spark_jobs.settings import load
from tests.support.buckets import BucketRun, in_order
from tests.support.journey import HOUR, MINUTE, Journey, at, record_of, watermark


def test_a_rule_names_site_path_and_gap() -> None:
    assert read_gap_rules("shop:/checkout*=1h, /video/*=2h, blog=45m") == (
        GapRule("shop", "/checkout*", HOUR),
        GapRule("*", "/video/*", 2 * HOUR),
        GapRule("blog", "*", 45 * MINUTE),
    )
    assert read_gap_rules("") == ()


@pytest.mark.parametrize(
    "text", ["1h", "/a", "/a=", "=1h", "shop:a=1h", "sh op=1h", "/a=1 hour", "/a=0s", "a:b:/c=1h"]
)
def test_a_rule_that_cannot_be_read_is_shown(text: str) -> None:
    with pytest.raises(ContractError, match=r"gap rule|duration|longer"):
        read_gap_rules(text)


def test_the_setting_is_named_before_anything_starts() -> None:
    with pytest.raises(ContractError, match="CLICKWAKE_JOB_GAPS is wrong: '1' is not"):
        load({"CLICKWAKE_JOB_GAPS": "checkout=1"})


@pytest.mark.parametrize(
    ("site", "path", "minutes"),
    [
        ("shop", "/checkout", 60),
        ("shop", "/checkout/pay", 60),
        ("blog", "/checkout", 45),
        ("blog", "/video/a/b", 120),
        ("shop", "/video", 0),
        ("shop2", "/checkout", 0),
        ("shop", "/a.b", 5),
        ("shop", "/axb", 0),
        ("shop", "/a\n/checkout", 0),
    ],
)
def test_the_first_rule_that_matches_the_whole_path_counts(
    site: str, path: str, minutes: int
) -> None:
    rules = read_gap_rules("shop:/checkout*=60m, /video/*=120m, blog=45m, shop:/a.b=5m")
    assert gap_reader(rules)(site, path) == minutes * MINUTE


CHECKOUT = Rules(gaps=read_gap_rules("shop:/checkout*=1h"))


def test_a_checkout_page_keeps_a_session_open_for_an_hour() -> None:
    events = Journey("v").view("/checkout").view("/thanks", after=HOUR).events
    run = BucketRun(CHECKOUT).feed([record_of(one, n) for n, one in enumerate(events)])
    (session,) = run.sessions().values()
    assert session.expires == events[1].event_time + 30 * MINUTE


def test_a_later_page_with_a_shorter_gap_does_not_shorten_it() -> None:
    events = Journey("v").view("/checkout").view("/", after=MINUTE).view("/", after=58 * MINUTE)
    run = BucketRun(CHECKOUT)
    run.feed([record_of(one, n) for n, one in enumerate(events.events)])
    assert [one.events for one in run.sessions().values()] == [3]


def test_one_ms_more_than_the_farthest_event_reaches_begins_another() -> None:
    events = Journey("v").view("/checkout").view("/", after=MINUTE).view("/", after=59 * MINUTE + 1)
    run = BucketRun(CHECKOUT)
    run.feed([record_of(one, n) for n, one in enumerate(events.events)])
    assert [one.events for one in in_order(run.sessions().values())] == [2, 1]


def test_a_checkout_page_that_arrives_afterwards_joins_what_was_two() -> None:
    one, two, three = (
        Journey("v").view("/").view("/checkout", after=MINUTE).view("/", after=59 * MINUTE).events
    )
    run = BucketRun(CHECKOUT).feed([record_of(one, 0), record_of(three, 1)])
    assert len(run.sessions()) == 2
    run.feed([record_of(two, 2)])
    assert [session.events for session in run.sessions().values()] == [3]
    assert [update.status for update in run.updates if update.status == "merged"] == ["merged"]


def test_what_is_final_is_remembered_for_as_long_as_the_longest_gap_can_reach() -> None:
    """Alone, the late checkout page would not be final yet; the session that it belongs to is."""
    first, late = Journey("v").view("/").view("/checkout", after=20 * MINUTE).events
    moment = at("2026-01-15 10:00:00") + 76 * MINUTE
    run = BucketRun(CHECKOUT).feed([record_of(first, 0, moment)])
    run.feed([watermark(moment + 10_000, 1)])
    assert [session.status for session in run.sessions().values()] == ["final"]
    run.feed([record_of(late, 2, moment)])
    assert (run.tally.late, len(run.sessions())) == (1, 1)
