"""What the API knows of itself and of the job at one moment, as metrics. Pure."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from api.feed import FeedState
from api.health import Components, is_ready
from api.history.meter import WriterMeter
from api.live.meter import Meter
from api.progress import Place
from contracts import JobStatus
from contracts.exposition import Family, Sample


class ReaderNow(NamedTuple):
    """One of the two readers of Kafka."""

    state: FeedState
    lags: Mapping[Place, int]
    unreadable: int


class Moment(NamedTuple):
    """``readers`` by name; ``behind`` counts dashboards whose connection is full."""

    components: Components
    readers: Mapping[str, ReaderNow]
    writer: WriterMeter
    live: Meter
    dashboards: int
    behind: int
    limit: int
    job: JobStatus | None


def moment_families(now: Moment) -> Iterator[Family]:
    """All of it."""
    yield from _health(now.components)
    yield from _readers(now.readers)
    yield from _writer(now.writer)
    yield from _live(now)
    yield now.live.batches.family(
        "clickwake_job_batch_seconds", "micro-batches of the job, one every few seconds"
    )
    if now.job is not None:
        yield from _job(now.job)


def _health(components: Components) -> Iterator[Family]:
    each = [
        Sample(getattr(components, name).ok, {"component": name})
        for name in components.__struct_fields__
    ]
    yield Family("clickwake_component_ok", "gauge", "1 if /readyz calls the component ok", each)
    yield _gauge("clickwake_ready", "1 if the API is ready", is_ready(components))


def _readers(readers: Mapping[str, ReaderNow]) -> Iterator[Family]:
    named = [(one, {"reader": name}) for name, one in readers.items()]
    connected = [Sample(one.state.connected, labels) for one, labels in named]
    lags = [
        Sample(lag, {**labels, "topic": place.topic, "partition": str(place.partition)})
        for one, labels in named
        for place, lag in sorted(one.lags.items())
    ]
    skipped = [Sample(one.unreadable, labels) for one, labels in named]
    yield Family("clickwake_reader_connected", "gauge", "1 while Kafka answers", connected)
    yield Family("clickwake_reader_lag_records", "gauge", "records that are still to read", lags)
    meaning = "records that broke their contract and were skipped"
    yield Family("clickwake_reader_unreadable_total", "counter", meaning, skipped)


def _writer(meter: WriterMeter) -> Iterator[Family]:
    records = [Sample(count, {"role": role}) for role, count in sorted(meter.records.items())]
    meaning = "records that were written into the history"
    yield Family("clickwake_writer_records_total", "counter", meaning, records)
    meaning = "batches of them, until they were in the database"
    yield meter.batches.family("clickwake_writer_batch_seconds", meaning)
    yield _counter("clickwake_writer_failures_total", "writes that failed", meter.failures)


def _live(now: Moment) -> Iterator[Family]:
    yield now.live.screen.family(
        "clickwake_event_to_screen_seconds", "from the site's response to the frame that tells it"
    )
    yield _counter("clickwake_live_frames_total", "frames for all dashboards", now.live.frames)
    yield _gauge("clickwake_live_clients", "dashboards that are connected", now.dashboards)
    yield _gauge("clickwake_live_clients_limit", "how many may be", now.limit)
    yield _gauge("clickwake_live_clients_behind", "those that a message waits for", now.behind)
    meaning = "dashboards that stopped reading"
    yield _counter("clickwake_live_clients_cut_off_total", meaning, now.live.cut_off)


def _job(job: JobStatus) -> Iterator[Family]:
    seen = job.processed_time / 1000
    yield _gauge("clickwake_job_last_seen_timestamp_seconds", "when the job last spoke", seen)
    yield _gauge("clickwake_job_behind_records", "requests that it has yet to read", job.behind)
    yield _gauge("clickwake_job_last_batch_seconds", "its last micro-batch", job.batch_ms / 1000)
    yield _gauge("clickwake_job_last_batch_records", "requests in it", job.rows)
    yield _gauge("clickwake_job_batch", "its number since the checkpoint began", job.batch)
    yield _gauge("clickwake_job_epoch", "the checkpoint's epoch", job.epoch)


def _gauge(name: str, meaning: str, value: float) -> Family:
    return Family(name, "gauge", meaning, [Sample(value)])


def _counter(name: str, meaning: str, value: float) -> Family:
    return Family(name, "counter", meaning, [Sample(value)])
