"""The suite's own judge must be able to say no: lose, double or change something, and it does."""

import os
from collections import Counter
from typing import Any

import msgspec
import pytest

from contracts import BucketStats, Tally
from tests.chaos.batch import batch_sessions
from tests.chaos.events import SITE, EventMaker, Message, event_id
from tests.chaos.oracle import Found, Oracle, judge, ledger_of
from tests.chaos.tail import TopicRecord
from tests.support.messages import NOON

RULES = {"CLICKWAKE_JOB_GAP": "5s", "CLICKWAKE_JOB_ALLOWED_LATENESS": "24h"}
MARKERS = {"chaos-site-1", "chaos-site-2"}


def sent(seed: int = 7) -> list[Message]:
    """Some minutes of an oracle's messages, with repetitions and everything."""
    maker = EventMaker(seed, visits=5)
    return [one for second in range(60) for one in maker.some(NOON + second * 1000, 5)]


class Story:
    """What was sent, and a product that kept every promise; a test breaks one."""

    def __init__(self) -> None:
        messages = sent()
        self.oracle = Oracle()
        self.records = [
            TopicRecord(0, offset, NOON + offset * 10, one.key, one.value)
            for offset, one in enumerate(messages)
        ]
        for offset, one in enumerate(messages):
            self.oracle.sent(one)
            self.oracle.acknowledged(one, (0, offset))
        for marker in MARKERS:
            self.oracle.answered(marker)
        self.late = [(SITE, event_id(one.number)) for one in messages if one.fate == "late"]
        self.dead = [(0, place) for place, one in enumerate(messages) if one.fate == "dead"]
        self.events = sorted({(SITE, event_id(m.number)) for m in messages if m.fate == "event"})
        self.expected = batch_sessions(self.records, set(self.late), os.environ | RULES)

    def found(self, **changes: Any) -> Found:
        """What a right product has, but for the changes."""
        plain = {
            "events": self.events,
            "late": self.late,
            "dead": self.dead,
            "sessions": [msgspec.structs.replace(s, status="closed") for s in self.expected],
            "stats": [self.stats()],
            "records": len(self.records),
        }
        return Found(**(plain | changes))

    def stats(self, **changes: int) -> BucketStats:
        """The one bucket's ledger, but for the changes."""
        counts = {
            "requests": len(self.records),
            "events": len(self.events),
            "late": len(self.late),
            "dead_letters": len(self.dead),
        }
        repeated = len(self.records) - sum(counts.values()) + counts["requests"]
        tally = Tally(**(counts | {"duplicates": repeated} | changes))
        return BucketStats(
            topic="clickwake.requests",
            partition=0,
            bucket=0,
            epoch=1,
            watermark=NOON,
            tally=tally,
            visitors=1,
            state_bytes=1,
            processed_time=NOON,
        )

    def verdict(self, **changes: Any) -> list[str]:
        """The judge's sentences."""
        return judge(self.oracle, self.found(**changes), MARKERS, self.expected)


@pytest.fixture(scope="module")
def story() -> Story:
    return Story()


def test_the_load_has_everything_that_can_go_wrong() -> None:
    fates = Counter(one.fate for one in sent())
    numbers = Counter(one.number for one in sent())
    assert min(fates["event"], fates["late"], fates["dead"]) > 0
    assert max(numbers.values()) > 1


def test_a_seed_sends_the_same_again() -> None:
    assert sent(3) == sent(3)
    assert sent(3) != sent(4)


def test_a_right_product_is_believed(story: Story) -> None:
    assert len(story.expected) > 20
    assert story.verdict() == []


def test_a_lost_event_is_found(story: Story) -> None:
    verdict = story.verdict(events=story.events[1:])
    assert f"acknowledged but lost: 1 ({story.events[0][1]})" in verdict


def test_an_event_may_be_missing_that_nobody_acknowledged(story: Story) -> None:
    oracle = Oracle()
    for one in sent():
        oracle.sent(one)
    assert judge(oracle, story.found(), MARKERS, story.expected) == []


def test_a_doubled_event_is_found(story: Story) -> None:
    verdict = story.verdict(events=[*story.events, story.events[5]])
    assert any(sentence.startswith("events there twice: 1") for sentence in verdict)


def test_an_event_that_is_also_late_is_found(story: Story) -> None:
    verdict = story.verdict(late=[*story.late, story.events[5]])
    assert any(sentence.startswith("both in time and late: 1") for sentence in verdict)


def test_an_event_that_was_made_late_is_found(story: Story) -> None:
    verdict = story.verdict(events=story.events[1:], late=[*story.late, story.events[0]])
    assert any(sentence.startswith("late for no reason: 1") for sentence in verdict)


def test_an_invented_event_is_found(story: Story) -> None:
    verdict = story.verdict(events=[*story.events, (SITE, "chaos-99999999")])
    assert "events that nobody sent: 1 (chaos-99999999)" in verdict


@pytest.mark.parametrize(
    ("part", "words"),
    [("late", "too old but not listed as late"), ("dead", "garbage without a dead letter")],
)
def test_what_is_missing_elsewhere_is_found(story: Story, part: str, words: str) -> None:
    verdict = story.verdict(**{part: []})
    assert any(sentence.startswith(words) for sentence in verdict)


def test_a_request_to_the_site_that_is_lost_is_found_unless_excused(story: Story) -> None:
    some = {"chaos-site-1"}
    verdict = judge(story.oracle, story.found(), some, story.expected)
    assert verdict == ["answered by the site but lost: 1 (chaos-site-2)"]
    excused = Story()
    excused.oracle.excuse(["chaos-site-2"])
    assert judge(excused.oracle, excused.found(), some, excused.expected) == []


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("duration_ms", 1),
        ("exit_page", "/other"),
        ("events", 99),
        ("referrer", "https://x.example/"),
    ],
)
def test_a_changed_session_is_found(story: Story, field: str, value: object) -> None:
    changed, *rest = story.found().sessions
    changed = msgspec.structs.replace(changed, **{field: value})
    verdict = story.verdict(sessions=[changed, *rest])
    assert any(
        sentence.startswith(f"sessions that differ: 1 ({changed.session_id} {field}: ")
        for sentence in verdict
    )


def test_a_lost_a_doubled_and_an_open_session_are_found(story: Story) -> None:
    first, *rest = story.found().sessions
    opened = msgspec.structs.replace(first, status="open")
    cases = [
        (rest, "sessions only in the batch job's result: 1"),
        ([first, first, *rest], "sessions there twice: 1"),
        ([opened, *rest], "sessions still open: 1"),
    ]
    for sessions, words in cases:
        assert any(one.startswith(words) for one in story.verdict(sessions=sessions))


def test_a_session_that_another_took_in_is_no_difference(story: Story) -> None:
    first, *rest = story.found().sessions
    gone = msgspec.structs.replace(first, session_id="gone", status="merged", merged_into="x")
    assert story.verdict(sessions=[first, gone, *rest]) == []


@pytest.mark.parametrize("column", ["requests", "events", "duplicates", "late", "dead_letters"])
def test_a_ledger_that_is_one_off_is_found(story: Story, column: str) -> None:
    tally = story.stats().tally
    wrong = story.stats(**{column: getattr(tally, column) + 1})
    assert story.verdict(stats=[wrong])


def test_the_ledger_is_the_newest_epochs_newest_word(story: Story) -> None:
    old = msgspec.structs.replace(story.stats(requests=10**6), epoch=0)
    earlier = story.stats(requests=1)
    assert ledger_of([earlier, story.stats(), old])["requests"] == len(story.records)
