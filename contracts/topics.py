"""The topic table: every topic, its key, its value and how Kafka keeps it."""

from typing import Literal

import msgspec

from contracts.base import ContractError
from contracts.erasures import Erasure
from contracts.events import EnrichedEvent, RequestEvent
from contracts.outcomes import BucketStats, DeadLetter, InterceptorStats, JobStatus, LateEvent
from contracts.salts import IdentitySalt
from contracts.sessions import SessionUpdate

HOUR_MS = 60 * 60 * 1000
DAY_MS = 24 * HOUR_MS
MAX_RECORD_BYTES = 8 * 1024 * 1024
"""What the broker accepts, so that an absurd record reaches the job and becomes a dead letter."""

Cleanup = Literal["delete", "compact", "compact,delete"]


class Topic(msgspec.Struct, frozen=True, kw_only=True):
    """One topic. ``retention_ms`` of -1 keeps for ever; ``clock`` topics carry watermarks.

    Kafka deletes whole segments only, when their newest record is old enough: ``segment_ms``
    ends one early, where what is old has to go.
    """

    role: str
    key: str
    value: type
    partitions: int
    retention_ms: int
    cleanup: Cleanup = "delete"
    clock: bool = False
    segment_ms: int | None = None

    def name(self, prefix: str) -> str:
        """The topic's name in Kafka under an installation's prefix, such as ``clickwake``."""
        return f"{prefix}.{self.role}"

    def config(self) -> dict[str, str]:
        """Kafka's topic settings. Append time is the broker's: it is the job's broker_time."""
        segment = {} if self.segment_ms is None else {"segment.ms": str(self.segment_ms)}
        return {
            "cleanup.policy": self.cleanup,
            "retention.ms": str(self.retention_ms),
            "message.timestamp.type": "LogAppendTime",
            "max.message.bytes": str(MAX_RECORD_BYTES),
            **segment,
        }


TOPICS: tuple[Topic, ...] = (
    Topic(
        role="requests",
        key="partition_key(site_id, visitor_id); null for watermark records",
        value=RequestEvent,
        partitions=2,
        retention_ms=7 * DAY_MS,
        clock=True,
    ),
    Topic(
        role="replay",
        key="partition_key(site_id, visitor_id); null for watermark records",
        value=RequestEvent,
        partitions=2,
        retention_ms=DAY_MS,
        clock=True,
    ),
    Topic(
        role="events",
        key="partition_key(site_id, visitor_id)",
        value=EnrichedEvent,
        partitions=2,
        retention_ms=7 * DAY_MS,
    ),
    Topic(
        role="sessions",
        key="session_id",
        value=SessionUpdate,
        partitions=2,
        retention_ms=30 * DAY_MS,
        cleanup="compact,delete",
    ),
    Topic(
        role="dead-letters",
        key="topic/partition/offset",
        value=DeadLetter,
        partitions=1,
        retention_ms=30 * DAY_MS,
    ),
    Topic(
        role="late-events",
        key="partition_key(site_id, visitor_id)",
        value=LateEvent,
        partitions=1,
        retention_ms=30 * DAY_MS,
    ),
    Topic(
        role="bucket-stats",
        key="topic/partition/bucket",
        value=BucketStats,
        partitions=1,
        retention_ms=-1,
        cleanup="compact",
    ),
    Topic(
        role="interceptor-stats",
        key="instance",
        value=InterceptorStats,
        partitions=1,
        retention_ms=30 * DAY_MS,
        cleanup="compact,delete",
    ),
    Topic(
        role="job-status",
        key="instance",
        value=JobStatus,
        partitions=1,
        retention_ms=DAY_MS,
        cleanup="compact,delete",
    ),
    Topic(
        role="identity-salts",
        key="site_id/day",
        value=IdentitySalt,
        # One, so that there is one first record. Once the salts are gone, nobody can work out
        # a day's visitor ids again, not even with the site's secret.
        partitions=1,
        retention_ms=2 * DAY_MS,
        segment_ms=6 * HOUR_MS,
    ),
    Topic(
        role="erasures",
        key="erasure_id",
        value=Erasure,
        partitions=1,
        # For ever: they keep who was erased from coming back with an old log or savepoint.
        retention_ms=-1,
        cleanup="compact",
    ),
)


def topic(role: str) -> Topic:
    """The topic with that role; ContractError names the known ones otherwise."""
    for candidate in TOPICS:
        if candidate.role == role:
            return candidate
    known = ", ".join(t.role for t in TOPICS)
    raise ContractError(f"no topic has the role {role!r}; known roles: {known}")
