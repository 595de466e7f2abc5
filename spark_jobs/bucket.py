"""One bucket: its state and new records in, its state and messages out. Pure.

Records, events and watermark records alike, are applied in offset order. The bucket's
watermark is the largest it was told minus the delay; event times do not move it.
"""

from collections.abc import Iterable, Mapping

import msgspec

from contracts import (
    NOBODY_BARRED,
    WATERMARK_END,
    WATERMARK_START,
    Barred,
    BucketStats,
    EnrichedEvent,
    LateEvent,
    Tally,
)
from spark_jobs.directory import Directory
from spark_jobs.enrich import Enricher, Moments, Source, clamp, enriched
from spark_jobs.gaps import gap_reader
from spark_jobs.packing import Shelf
from spark_jobs.parse import Invalid, Record, Valid, dead_letter, parse_record
from spark_jobs.rules import Rules
from spark_jobs.sessions import KINDS, Kept, pack_identity
from spark_jobs.summary import summarize
from spark_jobs.visitor import Visitor

Message = tuple[str, bytes, bytes]
"""(topic role, key, value)."""

_json = msgspec.json.Encoder()
_packer = msgspec.msgpack.Encoder()


class Header(msgspec.Struct, array_like=True):
    """The small part of a bucket's state: enough to know that nothing is due.

    ``next_deadline`` is the smallest of the visitors' deadlines; ``reported`` the requests
    counted in the last published BucketStats, ``told`` the epoch it was published under.
    """

    watermark: int = WATERMARK_START
    next_deadline: int = WATERMARK_END
    tally: Tally = msgspec.field(default_factory=Tally)
    visitors: int = 0
    reported: int = 0
    told: int = 0


_read_header = msgspec.msgpack.Decoder(Header).decode


class Job(msgspec.Struct, frozen=True):
    """What all buckets of a run share.

    ``retold``: (topic, partition) → the offset before which earlier runs may have told of
    sessions that the state does not know of. ``barred``: who is erased. What is of them is
    dropped as if it had never come, but for the ledger.
    """

    rules: Rules
    enricher: Enricher
    epoch: int
    retold: Mapping[tuple[str, int], int] = {}
    barred: Barred = NOBODY_BARRED


class Bucket:
    """A bucket while a batch's records are applied to it."""

    def __init__(
        self, job: Job, source: Source, number: int, stored: tuple[bytes, bytes] | None, now: int
    ) -> None:
        self.job = job
        self.source = source
        self.number = number
        self.now = now
        header, self._body = stored or (b"", b"")
        self.header = _read_header(header) if header else Header()
        self.messages: list[Message] = []
        self._shelf: Shelf | None = None
        self._woken = False
        self._gap_of = gap_reader(job.rules.gaps)
        self._retold = job.retold.get((source.topic, source.partition), 0)
        self._visitors = Directory(self._load, job.rules, self._retold)

    def apply(self, records: Iterable[Record]) -> None:
        """Apply a batch's records, which must be in offset order, and settle what is due."""
        retelling = False
        for record in records:
            if retelling and record.offset >= self._retold:
                # An earlier run's batch may have ended here.
                self._settle_due()
            retelling = record.offset < self._retold
            if record.watermark is None:
                self._receive(record)
            else:
                self._advance(record.watermark, record.broker_time)
        self._settle_due()
        self._report()

    def stored(self) -> tuple[bytes, bytes]:
        """(header, body) to keep until the next batch."""
        if self._shelf is not None:
            self._body = self._shelf.pack()
        return _packer.encode(self.header), self._body

    def _advance(self, told: int, broker_time: int) -> None:
        self._woken = True
        if told <= WATERMARK_START:
            # A new replay on this topic: whatever an unfinished one left behind ends here.
            self.header.watermark = WATERMARK_END
            self._settle_due()
            self.header.watermark = WATERMARK_START
        elif told >= WATERMARK_END:
            self.header.watermark = WATERMARK_END
        else:
            # A clock that runs ahead must not close everybody's sessions.
            told, _ = clamp(told, broker_time, self.job.rules)
            self.header.watermark = max(self.header.watermark, told - self.job.rules.delay)

    def _receive(self, record: Record) -> None:
        self.header.tally.requests += 1
        parsed = parse_record(record)
        if isinstance(parsed, Invalid):
            self._bury(parsed, record)
        elif self.job.barred:
            self._sort_in_unless_erased(parsed, record)
        else:
            self._sort_in(parsed, record)

    def _bury(self, why: Invalid, record: Record) -> None:
        self.header.tally.dead_letters += 1
        letter = dead_letter(why, record, self.source.topic, self.source.partition, self.now)
        key = f"{letter.topic}/{letter.partition}/{letter.offset}".encode()
        self.messages.append(("dead-letters", key, _json.encode(letter)))

    def _sort_in_unless_erased(self, valid: Valid, record: Record) -> None:
        """An erased id is linked to nothing more, either: who comes after it is somebody new."""
        event, barred = valid.event, self.job.barred
        if barred.covers(event.site_id, event.visitor_id, valid.time, record.broker_time):
            self.header.tally.erased += 1
            return
        previous = event.previous_visitor_id
        if previous is not None and barred.until(event.site_id, previous) is not None:
            valid = Valid(msgspec.structs.replace(event, previous_visitor_id=None), valid.time)
        self._sort_in(valid, record)

    def _sort_in(self, valid: Valid, record: Record) -> None:
        event, watermark = valid.event, self.header.watermark
        found = self.job.enricher.findings(event)
        time, is_clamped = clamp(valid.time, record.broker_time, self.job.rules)
        kept = Kept(
            time=time,
            sequence=event.sequence,
            identity=pack_identity(event.event_id),
            arrival=record.offset,
            kind=KINDS[event.kind],
            path=event.path,
            response=round(event.duration_ms),
            broker_time=record.broker_time,
            is_error=event.status >= 400,
            is_clamped=is_clamped,
            gap=self._gap_of(event.site_id, event.path),
            engaged=event.engaged_ms or 0,
        )
        outcome = self._visitors.accept(event, kept, found.context, watermark)
        if outcome == "duplicate":
            self.header.tally.duplicates += 1
            return
        moments = Moments(time, self.now, is_clamped)
        published = enriched(event, found, record, self.source, moments)
        if outcome == "accepted":
            self.header.tally.events += 1
            self.messages.append(("events", record.key or b"", _json.encode(published)))
        else:
            self._list_late(published, record.key or b"")

    def _list_late(self, event: EnrichedEvent, key: bytes) -> None:
        self.header.tally.late += 1
        watermark = self.header.watermark
        late = LateEvent(
            reason="session_final",
            watermark=watermark,
            late_ms=watermark - event.event_time,
            event=event,
        )
        self.messages.append(("late-events", key, _json.encode(late)))

    def _load(self) -> Shelf:
        if self._shelf is None:
            self._shelf = Shelf(self._body)
        return self._shelf

    def _settle_due(self) -> None:
        watermark = self.header.watermark
        if not self._visitors and watermark <= self.header.next_deadline:
            return
        shelf = self._load()
        self._visitors.take_overdue(watermark)
        for visitor in self._visitors.settle(watermark):
            self._publish(visitor)
            self.header.tally.events -= visitor.evicted
            self.header.tally.cut += visitor.evicted
        self.header.visitors = len(shelf)
        self.header.next_deadline = shelf.next_due(WATERMARK_END)

    def _publish(self, visitor: Visitor) -> None:
        for change in visitor.changes:
            update = summarize(change, visitor.owner, self.job.epoch, self.now)
            self.messages.append(("sessions", change.session_id.encode(), _json.encode(update)))

    def _report(self) -> None:
        """The ledger goes out when a watermark record wakes the bucket and it has news."""
        header = self.header
        known = header.reported == header.tally.requests and header.told == self.job.epoch
        if not self._woken or known or not header.tally.requests:
            return
        header.reported, header.told = header.tally.requests, self.job.epoch
        stats = BucketStats(
            topic=self.source.topic,
            partition=self.source.partition,
            bucket=self.number,
            epoch=self.job.epoch,
            watermark=header.watermark,
            tally=header.tally,
            visitors=header.visitors,
            state_bytes=len(self._body),
            processed_time=self.now,
        )
        key = f"{stats.topic}/{stats.partition}/{stats.bucket}".encode()
        self.messages.append(("bucket-stats", key, _json.encode(stats)))
