"""What became of every record that is not simply an event in a session, and the counts."""

from typing import Literal

import msgspec

from contracts.base import Message
from contracts.events import EnrichedEvent

RAW_LIMIT = 64 * 1024
"""Bytes of an unreadable record that its dead letter keeps."""

DeadReason = Literal[
    "empty",
    "tombstone",
    "too_large",
    "not_utf8",
    "not_json",
    "not_an_object",
    "unknown_schema_version",
    "missing_field",
    "wrong_type",
    "invalid_value",
    "event_time_missing",
    "event_time_unreadable",
    "event_time_out_of_range",
    "wrong_key",
    "wrong_format",
]

LateReason = Literal["session_final"]

LOST_REASONS = (
    "queue_full",
    "spool_full",
    "spool_failed",
    "spool_damaged",
    "killed",
    "shutdown",
    "refused",
)
"""Why an interceptor may lose an event; docs/operations.md says what to do about each."""


class DeadLetter(Message, frozen=True, kw_only=True):
    """A record that cannot become an event. ``raw`` is base64, cut at 64 KiB of bytes."""

    reason: DeadReason
    detail: str
    topic: str
    partition: int
    offset: int
    broker_time: int
    processed_time: int
    raw: str
    raw_size: int


class LateEvent(Message, frozen=True, kw_only=True):
    """A valid event whose session was already final. ``late_ms``: watermark minus event_time."""

    reason: LateReason
    watermark: int
    late_ms: int
    event: EnrichedEvent


class Tally(msgspec.Struct, kw_only=True):
    """The ledger's columns: requests are the sum of all others.

    ``erased`` are events of erased visitors that came after the erasure, and were dropped.
    """

    requests: int = 0
    events: int = 0
    duplicates: int = 0
    late: int = 0
    dead_letters: int = 0
    cut: int = 0
    erased: int = 0


class BucketStats(Message, frozen=True, kw_only=True):
    """One bucket's ledger since its checkpoint began, and what it holds now."""

    topic: str
    partition: int
    bucket: int
    epoch: int
    watermark: int
    tally: Tally
    visitors: int
    state_bytes: int
    processed_time: int


class InterceptorStats(Message, frozen=True, kw_only=True):
    """One interceptor process's counts since it started.

    observed + adopted = dropped + sent + queued + spooled + lost, but for requests in progress.
    ``sent`` was acknowledged by Kafka; ``dropped`` was chosen not to be logged, by reason;
    ``lost`` was meant to be logged and could not be, by reason; ``queued`` waits in memory.
    ``spooled`` waits on the disk or, when the process has ended, was left there to an heir.
    ``adopted`` was taken over from the disks of processes that had ended, so the sum of
    ``spooled`` minus that of ``adopted`` lies on disks. ``spool_errors`` counts what the disk
    refused to do. ``instance`` names the process, and ``revision`` grows with all it says.
    ``told`` is when it said this, by its own clock; 0 of versions that did not say.
    """

    instance: str
    site_id: str
    started: int
    observed: int
    sent: int
    queued: int
    dropped: dict[str, int]
    lost: dict[str, int]
    spooled: int = 0
    adopted: int = 0
    spool_errors: int = 0
    revision: int = 0
    told: int = 0


class JobStatus(Message, frozen=True, kw_only=True):
    """What the session job says of itself, after its start and then every few seconds.

    ``batch`` is the last finished micro-batch (-1: none yet), which took ``batch_ms`` for
    ``rows`` records; ``behind`` records of the request topics were still unread after it.
    ``geo_ok`` is false when events flow without geo, and ``geo_detail`` says why and what to do.
    ``problem`` is its last word when it ended because only a person can help: what to do.
    """

    instance: str
    epoch: int
    started: int
    batch: int
    rows: int
    batch_ms: int
    behind: int
    geo_ok: bool
    geo_detail: str
    processed_time: int
    problem: str = ""
