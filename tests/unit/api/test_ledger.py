"""The ledger: every request in one column, and the interceptors' own counts beside it."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from sqlalchemy import Engine, text

from api.history.engine import migrate, open_engine
from api.history.writer import HistoryWriter
from api.ledger.accounting import Known, ledger
from api.ledger.shared import Shared
from contracts import BucketStats, InterceptorStats, Tally
from contracts.ledger import Ledger
from tests.support.api import client_of
from tests.support.history import a_slice, late_before_the_column, new_history
from tests.support.messages import (
    NOON,
    a_bucket,
    a_job_status,
    a_late_event,
    an_event,
    an_interceptor,
)

PREFIX = "clickwake"


def summed(
    buckets: Sequence[BucketStats], interceptors: Sequence[InterceptorStats] = (), behind: int = 0
) -> Ledger:
    return ledger(Known(PREFIX, buckets, interceptors, a_job_status(behind=behind), 0, 0))


def test_columns_are_summed_up_by_topic_and_over_all() -> None:
    found = summed(
        [
            a_bucket(0),
            a_bucket(1, Tally(requests=10, events=8, cut=2)),
            a_bucket(0, Tally(requests=5, events=5), topic="clickwake.replay", epoch=3),
        ]
    )
    assert found.total == Tally(requests=19, events=14, duplicates=1, late=1, dead_letters=1, cut=2)
    assert [(t.topic, t.epoch, t.buckets, t.tally.requests) for t in found.topics] == [
        ("clickwake.replay", 3, 1, 5),
        ("clickwake.requests", 1, 2, 14),
    ]
    assert found.balances
    assert found.detail == (
        "19 requests = 14 events + 1 duplicates + 1 late + 1 dead letters + 2 cut: "
        "every request is accounted for, in each bucket."
    )


def test_one_unit_missing_in_one_bucket_is_seen() -> None:
    """Even when another bucket has one too many, so that the sums agree."""
    found = summed(
        [
            a_bucket(0),
            a_bucket(7, Tally(requests=1000, events=999)),
            a_bucket(8, Tally(requests=1, events=2)),
        ]
    )
    assert not found.balances
    assert found.detail == (
        "Bucket 7 of clickwake.requests/0 (and 1 more) does not balance: "
        "1,000 requests, of which 999 are accounted for."
    )
    assert [bucket.balances for bucket in found.buckets] == [True, False, False]
    assert [topic.balances for topic in found.topics] == [False]


def test_buckets_of_an_earlier_epoch_do_not_count() -> None:
    found = summed([a_bucket(0, epoch=2), a_bucket(200, Tally(requests=9), epoch=1)])
    assert found.total.requests == 4
    assert [bucket.bucket for bucket in found.buckets] == [0]
    assert found.balances


@pytest.mark.parametrize("topic", ["other.requests", "clickwake.staging.requests", "clickwake"])
def test_topics_of_other_installations_do_not_count(topic: str) -> None:
    assert summed([a_bucket(topic=topic)]).total == Tally()


def test_nothing_is_known_before_the_first_count() -> None:
    found = ledger(Known(PREFIX, [], [], None, 0, 0))
    assert (found.balances, found.behind, found.job_seen) == (True, None, None)
    assert "No bucket has published" in found.detail
    assert "No interceptor has published" in found.interceptors.detail


def test_interceptors_are_summed_up() -> None:
    processes = [
        an_interceptor("old", started=NOON - 2, dropped={"head": 1, "image": 1}),
        an_interceptor("new", started=NOON, queued=3, lost={}),
    ]
    found = summed([a_bucket(0, Tally(requests=8, events=8))], processes).interceptors
    assert (found.processes, found.observed, found.sent, found.queued) == (2, 14, 8, 3)
    assert found.dropped == {"head": 1, "image": 3}
    assert found.lost == {"queue_full": 1}
    assert [process.instance for process in found.newest] == ["new", "old"]
    assert (found.requests, found.unexplained) == (8, 0)
    assert "just as many" in found.detail


def test_events_that_went_over_disks_balance_over_all_processes() -> None:
    """One ended with six on its disk; its heir has sent four of them and none of its own."""
    ended = an_interceptor("ended", observed=13, spooled=6)
    heir = an_interceptor("heir", observed=3, adopted=6, spooled=2, spool_errors=1)
    found = summed([], [ended, heir]).interceptors
    assert (found.observed, found.adopted, found.spooled, found.sent) == (16, 6, 8, 8)
    counted = found.sent + found.queued + found.spooled
    counted += sum(found.dropped.values()) + sum(found.lost.values())
    assert found.observed + found.adopted == counted
    assert found.spool_errors == 1


def test_records_of_before_the_spool_are_read() -> None:
    old = {"instance": "old", "site_id": "shop", "started": 0, "observed": 1, "sent": 1}
    text = msgspec.json.encode(old | {"queued": 0, "dropped": {}, "lost": {}})
    stats = msgspec.json.decode(text, type=InterceptorStats)
    assert (stats.spooled, stats.adopted, stats.spool_errors, stats.revision) == (0, 0, 0, 0)


@pytest.mark.parametrize(
    ("read", "behind", "unexplained", "sentence"),
    [
        (6, 0, 2, "2 more than the interceptors said they sent: other producers"),
        (3, 0, -1, "1 fewer than the interceptors sent: the newest are not in"),
        (1, 5, -3, "3 fewer than the interceptors sent: 5 records are unread"),
    ],
)
def test_a_difference_to_the_interceptors_is_explained(
    read: int, behind: int, unexplained: int, sentence: str
) -> None:
    bucket = a_bucket(0, Tally(requests=read, events=read))
    found = summed([bucket], [an_interceptor()], behind).interceptors
    assert found.unexplained == unexplained
    assert sentence in found.detail


def test_replays_are_not_compared_with_what_interceptors_sent() -> None:
    found = summed([a_bucket(topic="clickwake.replay"), a_bucket()], [an_interceptor()])
    assert (found.interceptors.requests, found.total.requests) == (4, 8)


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return new_history(tmp_path)


@pytest.fixture
def api(engine: Engine, tmp_path: Path) -> Iterator[httpx.Client]:
    with client_of(tmp_path) as client:
        yield client


def keep(engine: Engine, role: str, *messages: msgspec.Struct) -> None:
    HistoryWriter(engine).take([a_slice(role, messages)])


def test_the_ledger_is_served(api: httpx.Client, engine: Engine) -> None:
    keep(engine, "bucket-stats", a_bucket(0), a_bucket(1))
    keep(engine, "interceptor-stats", an_interceptor())
    newest = a_job_status(NOON, instance="job-2", behind=12)
    keep(engine, "job-status", a_job_status(NOON - 1), newest)
    answer = api.get("/api/v1/ledger")
    found = msgspec.json.decode(answer.content, type=Ledger)
    assert answer.headers["cache-control"] == "no-store"
    assert (found.total.requests, found.balances, found.behind, found.job_seen) == (
        8,
        True,
        12,
        NOON,
    )
    assert [bucket.bucket for bucket in found.buckets] == [0, 1]
    assert found.interceptors.newest == [an_interceptor()]


def test_the_newest_counts_win_even_when_no_request_came(api: httpx.Client, engine: Engine) -> None:
    """A queue or a spool that drains after the last request."""
    waiting = an_interceptor(sent=1, spooled=3, revision=4)
    sent = an_interceptor(sent=4, spooled=0, revision=5)
    keep(engine, "interceptor-stats", waiting, sent)
    keep(engine, "interceptor-stats", waiting)
    found = msgspec.json.decode(api.get("/api/v1/ledger").content, type=Ledger)
    assert found.interceptors.newest == [sent]


def test_buckets_may_be_left_out(api: httpx.Client, engine: Engine) -> None:
    keep(engine, "bucket-stats", a_bucket(0, Tally(requests=1)))
    found: dict[str, Any] = api.get("/api/v1/ledger?buckets=false").json()
    assert (found["buckets"], found["balances"]) == ([], False)
    assert "Bucket 0" in found["detail"]
    assert api.get("/api/v1/ledger?buckets=some").status_code == 422


def test_a_costly_ledger_is_shared_by_those_who_ask() -> None:
    now, made = 100.0, 0

    def make() -> int:
        nonlocal now, made
        now += 2.0
        made += 1
        return made

    shared = Shared(make, lambda: now)
    assert shared.get() == 1
    now = 111.9
    assert shared.get() == 1
    now = 112.0
    assert shared.get() == 2


def test_late_events_that_a_backfill_placed_are_counted(api: httpx.Client, engine: Engine) -> None:
    placed = a_late_event("placed", offset=1)
    keep(engine, "late-events", placed, a_late_event("waiting", offset=2))
    keep(engine, "late-events", a_late_event("other", offset=3, visitor_id="somebody"))
    keep(engine, "events", placed.event, an_event("other"), an_event("on-time"))
    found: dict[str, Any] = api.get("/api/v1/ledger").json()
    assert (found["late_listed"], found["late_placed"]) == (3, 1)


def test_late_events_of_an_older_history_are_found_too(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'history.db'}")
    late_before_the_column(engine)
    migrate(engine)
    with engine.connect() as connection:
        found = connection.execute(text('SELECT "offset", event_id FROM late_events')).all()
    assert sorted(found) == [(n, f"late-{n}") for n in range(1_500)]
