"""What the pipeline's addresses answer. Times are ms since 1970 UTC."""

from typing import Literal

from msgspec import Struct

from contracts import EnrichedEvent, JobStatus
from contracts.findings import Finding
from contracts.ledger import Ledger


class Partition(Struct, frozen=True, kw_only=True):
    """One partition of a request topic, as its buckets last published themselves.

    ``watermark`` is that of the bucket that spoke last, at ``told``; one with nothing to do is
    silent, which does not mean that it is behind.
    """

    topic: str
    partition: int
    buckets: int
    watermark: int
    told: int
    visitors: int
    requests: int


class ReaderLag(Struct, frozen=True, kw_only=True):
    """Records that a reader of this API has still to read: for the history, or for live."""

    reader: str
    topic: str
    partition: int
    lag: int


class BatchTaken(Struct, frozen=True, kw_only=True):
    """A micro-batch that the job told of: when, which, how long it took, for how many records."""

    time: int
    batch: int
    batch_ms: int
    rows: int


class ReasonCount(Struct, frozen=True, kw_only=True):
    """Dead letters with one reason: all that are kept, and those of the last day."""

    reason: str
    count: int
    last_day: int


class Pipeline(Struct, frozen=True, kw_only=True):
    """How everything is doing.

    ``findings`` are all parts, what is wrong first, with what to do. ``batches`` are the newest
    that this process was told of, oldest first. ``ledger`` is without its buckets.
    """

    now: int
    findings: list[Finding]
    ledger: Ledger
    partitions: list[Partition]
    readers: list[ReaderLag]
    job: JobStatus | None
    batches: list[BatchTaken]
    dead_letters: list[ReasonCount]


class Stored(Struct, frozen=True, kw_only=True):
    """What one thing takes on a disk. ``size`` in bytes; null when nobody could tell."""

    kind: Literal["history", "state", "topic"]
    name: str
    size: int | None
    detail: str


class Storage(Struct, frozen=True, kw_only=True):
    """What takes how much. ``fault`` says why Kafka did not tell, empty when it did."""

    items: list[Stored]
    fault: str


class DeadLetterItem(Struct, frozen=True, kw_only=True):
    """A record that is no event, without its bytes. ``raw_size`` is how many it has."""

    id: str
    reason: str
    detail: str
    topic: str
    partition: int
    offset: int
    broker_time: int
    raw_size: int


class DeadLetters(Struct, frozen=True, kw_only=True):
    """Dead letters, the newest first, and the cursor of the next page; null at the end."""

    items: list[DeadLetterItem]
    next_cursor: str | None


class RawRecord(Struct, frozen=True, kw_only=True):
    """A record's bytes: ``raw`` is base64, ``text`` the same as text where it can be.

    ``source`` is ``topic`` when they are whole and as they came, ``history`` when Kafka has
    dropped the record: then addresses in them are cut, and long ones end after 64 KiB.
    """

    id: str
    source: Literal["topic", "history"]
    key: str | None
    raw: str
    text: str
    size: int


class LateItem(Struct, frozen=True, kw_only=True):
    """A valid event whose session was final. ``placed``: by now it is in one, by a backfill."""

    id: str
    late_ms: int
    placed: bool
    broker_time: int
    event: EnrichedEvent


class LateEvents(Struct, frozen=True, kw_only=True):
    """Late events, the newest first, and the cursor of the next page; null at the end."""

    items: list[LateItem]
    next_cursor: str | None


class Unreplayed(Struct, frozen=True, kw_only=True):
    """A dead letter that was not sent again, and why in a sentence."""

    id: str
    why: str


class Replayed(Struct, frozen=True, kw_only=True):
    """What became of a replay: each letter that was asked for is in one column.

    ``published`` were sent to the requests topic again and acknowledged. ``known`` are events or
    late events of the history already. ``refused`` would only be dead letters again, or are
    gone from Kafka; ``reasons`` has the first of them. ``more`` says that the filter found more.
    """

    asked: int
    published: int
    known: int
    refused: int
    reasons: list[Unreplayed]
    more: bool
    detail: str
