"""/metrics: every number that operators were promised, in a form that Prometheus reads."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from api.feed import FeedState
from api.health import Component, Components
from api.history.meter import WriterMeter
from api.history.writer import HistoryWriter, StoppedError
from api.live.meter import Meter
from api.metrics.moment import Moment, ReaderNow, moment_families
from api.progress import Place
from contracts import Message
from contracts.exposition import exposition_of
from tests.support.api import client_of
from tests.support.exposition import Read, read_exposition
from tests.support.history import a_slice, new_history
from tests.support.messages import (
    NOON,
    a_bucket,
    a_job_status,
    a_late_event,
    an_event,
    an_interceptor,
)

GOOD = Component(ok=True, detail="")
BAD = Component(ok=False, detail="")
LATER = NOON + 30_000


@pytest.fixture
def measured(tmp_path: Path) -> dict[str, Read]:
    """What an API answers that has stored some records of every counted kind."""
    engine = new_history(tmp_path)
    writer = HistoryWriter(engine)
    buckets = [a_bucket(0), a_bucket(1, partition=1, processed_time=NOON + 2_000), a_bucket(2)]
    imported = a_bucket(9, topic="clickwake.replay", watermark=2**53)
    processes = [an_interceptor(), an_interceptor('odd "one"', spooled=5, adopted=2)]
    writer.take([a_slice("bucket-stats", [*buckets, imported])])
    writer.take([a_slice("interceptor-stats", processes)])
    writer.take([a_slice("late-events", [a_late_event()])])
    engine.dispose()
    with client_of(tmp_path, clock=lambda: LATER) as client:
        answer = client.get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    return read_exposition(answer.text)


def test_the_ledger_is_there_to_the_unit(measured: dict[str, Read]) -> None:
    live = {"topic": "clickwake.requests"}
    assert measured["clickwake_ledger_requests_total"].values(**live) == [12]
    outcomes = measured["clickwake_ledger_outcomes_total"]
    assert outcomes.values(**live, outcome="dead_letters") == [3]
    assert sum(outcomes.values(**live)) == 12
    assert measured["clickwake_ledger_unbalanced_buckets"].values() == [0]
    assert measured["clickwake_late_events_listed"].values() == [1]


def test_watermarks_are_those_of_the_live_topic(measured: dict[str, Read]) -> None:
    lag, age = (measured[f"clickwake_watermark_{name}_seconds"] for name in ("lag", "age"))
    assert (lag.values(partition="0"), lag.values(partition="1")) == ([10], [12])
    assert (age.values(partition="0"), age.values(partition="1")) == ([40], [40])
    assert len(lag.samples) == 2


def test_sites_are_summed_up_and_each_process_is_named(measured: dict[str, Read]) -> None:
    assert measured["clickwake_sites_sent_total"].values() == [8]
    assert measured["clickwake_sites_lost_total"].values(reason="queue_full") == [2]
    assert measured["clickwake_sites_lost_total"].values(reason="killed") == [0]
    assert measured["clickwake_sites_on_disk"].values() == [3]
    process = {"site": "shop", "process": 'odd "one"'}
    assert measured["clickwake_site_process_spooled"].values(**process) == [5]
    dropped = measured["clickwake_site_process_dropped_total"]
    assert dropped.values(**process, reason="image") == [2]


def test_the_process_itself(measured: dict[str, Read]) -> None:
    assert measured["process_resident_memory_bytes"].values()[0] > 10_000_000
    assert measured["process_cpu_seconds_total"].values()[0] > 0
    assert measured["process_start_time_seconds"].values() == [LATER / 1000]
    assert measured["process_open_fds"].values()[0] > 3


def test_components_are_numbers(measured: dict[str, Read]) -> None:
    assert measured["clickwake_ready"].values() == [0]
    assert len(measured["clickwake_component_ok"].samples) == 6
    assert measured["clickwake_component_ok"].values(component="dashboards") == [1]
    assert measured["clickwake_component_ok"].values(component="job") == [0]


def test_without_a_history_the_rest_is_answered(tmp_path: Path) -> None:
    with client_of(tmp_path) as client:
        found = read_exposition(client.get("/metrics").text)
    assert "clickwake_ledger_requests_total" not in found
    assert found["clickwake_live_clients"].values() == [0]


def test_it_answers_where_readyz_does(tmp_path: Path) -> None:
    foreign = {"Host": "rebound.example"}
    with client_of(tmp_path) as client:
        assert client.get("/readyz", headers=foreign).status_code == 421
        assert client.get("/metrics", headers=foreign).status_code == 421


def a_moment(**fields: Any) -> dict[str, Read]:
    plain: dict[str, Any] = {
        "components": Components(
            database=GOOD, consumer=GOOD, live=GOOD, job=BAD, geo=GOOD, dashboards=GOOD
        ),
        "readers": {},
        "writer": WriterMeter(),
        "live": Meter(NOON),
        "dashboards": 3,
        "behind": 1,
        "limit": 1000,
        "job": a_job_status(behind=7, batch=12, batch_ms=480),
    }
    return read_exposition(exposition_of(moment_families(Moment(**(plain | fields)))))


def test_the_readers_lags_by_partition() -> None:
    lags = {Place("clickwake.events", 1): 40, Place("clickwake.events", 0): 2}
    reader = ReaderNow(FeedState(True, "connected", 42, True), lags, 5)
    found = a_moment(readers={"history": reader})
    lag = found["clickwake_reader_lag_records"]
    assert lag.values(reader="history", topic="clickwake.events", partition="1") == [40]
    assert found["clickwake_reader_connected"].values(reader="history") == [1]
    assert found["clickwake_reader_unreadable_total"].values(reader="history") == [5]


def test_the_job_and_the_dashboards() -> None:
    found = a_moment()
    assert found["clickwake_job_behind_records"].values() == [7]
    assert found["clickwake_job_last_batch_seconds"].values() == [0.48]
    assert found["clickwake_job_last_seen_timestamp_seconds"].values() == [NOON / 1000]
    assert found["clickwake_live_clients"].values() == [3]
    assert found["clickwake_live_clients_behind"].values() == [1]
    assert found["clickwake_ready"].values() == [1]
    assert "clickwake_job_behind_records" not in a_moment(job=None)


def test_the_writer_counts_what_it_stored(tmp_path: Path) -> None:
    writer = HistoryWriter(new_history(tmp_path))
    writer.take([a_slice("events", [an_event("e1"), an_event("e2", offset=1), b"no JSON"])])
    found = a_moment(writer=writer.meter)
    assert found["clickwake_writer_records_total"].values(role="events") == [2]
    assert found["clickwake_writer_batch_seconds"].kind == "histogram"
    assert found["clickwake_writer_failures_total"].values() == [0]


def test_the_writer_counts_its_failures(tmp_path: Path) -> None:
    engine = new_history(tmp_path)
    writer = HistoryWriter(engine)
    with engine.begin() as connection:
        connection.execute(text("DROP TABLE events"))
    writer.stop()
    with pytest.raises(StoppedError):
        writer.take([a_slice("events", [an_event()])])
    assert writer.meter.failures == 1


def delays(*messages: Message, frame: int) -> list[float]:
    """The histogram's sum and count after one frame, by a process that began at noon."""
    meter = Meter(NOON)
    meter.see(messages)
    meter.sent(frame)
    screen = a_moment(live=meter)["clickwake_event_to_screen_seconds"].samples
    return [
        screen[f"clickwake_event_to_screen_seconds{part}", frozenset()]
        for part in ("_sum", "_count")
    ]


def test_a_delay_is_from_the_responses_end_to_the_frame() -> None:
    clicks = [an_event(event_time=NOON + 1_000, duration_ms=500.0), an_event(event_time=NOON)]
    assert delays(*clicks, frame=NOON + 2_000) == [0.5 + 1.9875, 2]


def test_a_clock_that_is_ahead_makes_no_negative_delay() -> None:
    assert delays(an_event(event_time=NOON + 9_000), frame=NOON + 2_000) == [0, 1]


def test_what_nobody_could_have_shown_is_not_counted() -> None:
    before = an_event(event_time=NOON - 60_000)
    replayed = an_event(event_time=NOON + 1_000, topic="clickwake.replay")
    assert delays(before, replayed, frame=NOON + 2_000) == [0, 0]


def test_a_frame_is_counted_once() -> None:
    meter = Meter(NOON)
    meter.see([an_event(event_time=NOON + 100)])
    meter.sent(NOON + 500)
    meter.sent(NOON + 900)
    found = a_moment(live=meter)
    assert found["clickwake_live_frames_total"].values() == [2]
    assert found["clickwake_event_to_screen_seconds"].values(le="+Inf") == [1]


def test_a_batch_that_is_told_of_twice_counts_once() -> None:
    meter = Meter(NOON)
    told = [(7, NOON), (7, NOON + 3_000), (8, NOON + 6_000), (-1, NOON + 9_000), (3, NOON - 1)]
    meter.see(a_job_status(at, batch=batch, batch_ms=300) for batch, at in told)
    found = a_moment(live=meter)["clickwake_job_batch_seconds"]
    assert found.values(le="0.3") == [2]
    assert found.values(le="0.2") == [0]
