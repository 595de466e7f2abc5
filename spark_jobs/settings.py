"""The session job's settings, from ``CLICKWAKE_JOB_*``."""

import os
from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta

from contracts import ContractError
from contracts.kafka import KafkaSettings
from contracts.settings import Duration, from_environment, milliseconds
from spark_jobs.gaps import GapRule, read_gap_rules
from spark_jobs.rules import Rules


class JobSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How the session job runs.

    ``checkpoint``: the folder of offsets and state.
    ``jars``: the folder with ``spark/`` and ``localfs/`` jars; empty when Spark has them already.
    ``geo``: MMDB files, comma-separated; empty for no geo.
    ``master``: Spark's master.
    ``driver_memory``: heap of Spark's JVM.
    ``start_from``: where a new checkpoint begins to read the request topics: earliest, latest, or
    an RFC 3339 time. A checkpoint that exists goes on where it was.
    ``buckets``: how many buckets the live topic's visitors fall into. Fixed by the checkpoint, and
    unset means what that has; a new one gets 256.
    ``wake_shares``: a watermark record wakes one of so many shares of a partition's buckets.
    ``watermark_interval``: how often the job's clock writes watermark records. When nobody else
    writes any, one that wakes all buckets stands for ``wake_shares`` of them.
    ``max_records_per_batch``: bounds a micro-batch, and so memory and the delay of a catch-up.
    ``polling_delay``: how long an idle job waits before it looks for new records again.
    ``shuffle_partitions``: how many tasks share the buckets; as many as cores.
    ``gap``: the silence that ends a session; an event exactly one gap later joins.
    ``gaps``: other gaps by site and path, as ``shop:/checkout*=1h, /video/*=2h, blog=45m``; each
    event brings its own, the first that matches, and a session ends after the farthest of them.
    ``watermark_delay``: how far a watermark trails the clock, so that slow events are in time.
    ``allowed_lateness``: how long after closing a session still accepts events.
    ``max_session_length``: a session this long is cut, and the next event begins another.
    ``max_session_events``: a session of so many events is cut likewise.
    ``max_events_per_minute``: how many of one visitor's events in one clock minute are kept.
    ``clock_tolerance``: an event_time further than this beyond its broker_time is set back to it.
    """

    checkpoint: str = ".clickwake/data/checkpoint"
    jars: str = ""
    geo: str = ""
    master: str = "local[2]"
    driver_memory: str = "640m"
    start_from: str = "earliest"
    buckets: Annotated[int, Meta(ge=1, le=65_536)] | None = None
    wake_shares: Annotated[int, Meta(ge=1, le=256)] = 5
    watermark_interval: Duration = "2s"
    max_records_per_batch: Annotated[int, Meta(ge=1)] = 400_000
    polling_delay: Duration = "100ms"
    shuffle_partitions: Annotated[int, Meta(ge=1)] = 2
    gap: Duration = "30m"
    gaps: str = ""
    watermark_delay: Duration = "10s"
    allowed_lateness: Duration = "15m"
    max_session_length: Duration = "24h"
    max_session_events: Annotated[int, Meta(ge=2)] = 5_000
    max_events_per_minute: Annotated[int, Meta(ge=1)] = 1_000
    clock_tolerance: Duration = "60s"

    def rules(self) -> Rules:
        """The session rules in ms."""
        return Rules(
            gap=milliseconds(self.gap),
            gaps=self._gap_rules(),
            delay=milliseconds(self.watermark_delay),
            lateness=milliseconds(self.allowed_lateness),
            max_length=milliseconds(self.max_session_length),
            max_events=self.max_session_events,
            max_per_minute=self.max_events_per_minute,
            clock_tolerance=milliseconds(self.clock_tolerance),
        )

    def _gap_rules(self) -> tuple[GapRule, ...]:
        try:
            return read_gap_rules(self.gaps)
        except ContractError as error:
            raise ContractError(f"CLICKWAKE_JOB_GAPS is wrong: {error}") from None

    def geo_paths(self) -> tuple[str, ...]:
        """The MMDB files."""
        return tuple(path.strip() for path in self.geo.split(",") if path.strip())


def load(environ: Mapping[str, str] = os.environ) -> tuple[JobSettings, KafkaSettings]:
    """Both settings the job needs; ContractError says which variable is wrong."""
    job = from_environment(JobSettings, "JOB", environ)
    job.rules()  # what cannot be read is said before anything has started
    return job, from_environment(KafkaSettings, "KAFKA", environ)
