"""The one definition of every message, topic and code that Clickwake's parts exchange.

A deployable imports this package and never another deployable.
"""

from contracts.base import SCHEMA_VERSION, ContractError, Message
from contracts.clock import WATERMARK_CONTINUED, WATERMARK_END, WATERMARK_START, WatermarkRecord
from contracts.erasures import NOBODY_BARRED, Barred, Erasure
from contracts.events import (
    Agent,
    Attribution,
    EnrichedEvent,
    EventKind,
    Geo,
    RequestEvent,
    partition_key,
)
from contracts.outcomes import (
    BucketStats,
    DeadLetter,
    DeadReason,
    InterceptorStats,
    JobStatus,
    LateEvent,
    Tally,
)
from contracts.salts import IdentitySalt
from contracts.sessions import SessionStatus, SessionUpdate

__all__ = [
    "NOBODY_BARRED",
    "SCHEMA_VERSION",
    "WATERMARK_CONTINUED",
    "WATERMARK_END",
    "WATERMARK_START",
    "Agent",
    "Attribution",
    "Barred",
    "BucketStats",
    "ContractError",
    "DeadLetter",
    "DeadReason",
    "EnrichedEvent",
    "Erasure",
    "EventKind",
    "Geo",
    "IdentitySalt",
    "InterceptorStats",
    "JobStatus",
    "LateEvent",
    "Message",
    "RequestEvent",
    "SessionStatus",
    "SessionUpdate",
    "Tally",
    "WatermarkRecord",
    "partition_key",
]
