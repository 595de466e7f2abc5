"""Runs the pure bucket core over records, in batches of any size."""

from collections.abc import Iterable, Sequence

import msgspec

from contracts import DeadLetter, EnrichedEvent, LateEvent, SessionUpdate, Tally
from spark_jobs.bucket import Bucket, Job
from spark_jobs.enrich import Enricher, Source
from spark_jobs.parse import Record
from spark_jobs.rules import Rules

SOURCE = Source("t.requests", 0)
MMDB = "tests/fixtures/data/maxmind-test/GeoIP2-City-Test.mmdb"
TYPES = {
    "sessions": SessionUpdate,
    "events": EnrichedEvent,
    "late-events": LateEvent,
    "dead-letters": DeadLetter,
}


class BucketRun:
    """One bucket fed batch by batch; its state goes through its stored form every time."""

    def __init__(self, rules: Rules | None = None, geo: tuple[str, ...] = (MMDB,)) -> None:
        self.job = Job(rules or Rules(), Enricher(geo), epoch=1)
        self.stored: tuple[bytes, bytes] | None = None
        self.tally = Tally()
        self.updates: list[SessionUpdate] = []
        self.events: list[EnrichedEvent] = []
        self.late: list[LateEvent] = []
        self.dead: list[DeadLetter] = []
        self.visitors = 0

    def feed(self, records: Iterable[Record]) -> "BucketRun":
        """One batch."""
        bucket = Bucket(self.job, SOURCE, 0, self.stored, now=0)
        bucket.apply(sorted(records, key=lambda record: record.offset))
        self.stored = bucket.stored()
        self.tally = bucket.header.tally
        self.visitors = bucket.header.visitors
        lists = {
            "sessions": self.updates,
            "events": self.events,
            "late-events": self.late,
            "dead-letters": self.dead,
        }
        for role, _key, value in bucket.messages:
            if role in lists:
                lists[role].append(msgspec.json.decode(value, type=TYPES[role]))
        return self

    def go_back(self, stored: tuple[bytes, bytes] | None, offset: int, told: int) -> None:
        """To a state that has read up to ``offset``, when records before ``told`` were fed.

        What was told of sessions stays told; of the rest only what came before counts.
        """
        self.job = msgspec.structs.replace(self.job, retold={("t.requests", 0): told})
        self.stored = stored
        header = Bucket(self.job, SOURCE, 0, stored, now=0).header
        self.tally, self.visitors = header.tally, header.visitors
        self.events = [event for event in self.events if event.offset < offset]
        self.late = [late for late in self.late if late.event.offset < offset]
        self.dead = [dead for dead in self.dead if dead.offset < offset]

    def feed_in(self, records: Sequence[Record], sizes: Sequence[int]) -> "BucketRun":
        """Batches of the given sizes, the last one with all that is left."""
        rest = list(records)
        for size in sizes:
            self.feed(rest[:size])
            rest = rest[size:]
        return self.feed(rest)

    def sessions(self) -> dict[str, SessionUpdate]:
        """What a consumer knows that keeps the highest revision; merged ones left out."""
        latest: dict[str, SessionUpdate] = {}
        for update in self.updates:
            known = latest.get(update.session_id)
            if known is None or (update.epoch, update.revision) > (known.epoch, known.revision):
                latest[update.session_id] = update
        return {key: value for key, value in latest.items() if value.status != "merged"}


def in_order(sessions: Iterable[SessionUpdate]) -> list[SessionUpdate]:
    """By start, then visitor."""
    return sorted(sessions, key=lambda session: (session.start, session.visitor_id))
