"""The topic alone decides: through real Kafka, whenever it is read and in whatever batches."""

import time
from collections import defaultdict

import msgspec
import pytest

from spark_jobs.rules import Rules
from tests.support.buckets import BucketRun
from tests.support.job import TopicReader, latest_sessions, produce, running_job
from tests.support.journey import Journey, record_of
from tests.support.kafka import fresh_topics
from tests.support.oracle import described, expected_sessions
from tests.support.stories import RULES, stories
from tests.support.topic_life import interleaved, numbered, person_of, write_life
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PATIENCE_S = 180
ROLES = ("sessions", "late-events", "dead-letters", "bucket-stats", "events")
AS_IN_STORIES = {
    "gaps": "shop:/checkout*=1h",
    "max_session_events": "6",
    "max_events_per_minute": "4",
    "max_session_length": "4h",
}


class Reading:
    """What one run of the job, from the topic's start, made of it."""

    def __init__(self, kafka, folder, requests, **settings):
        self._readers = {role: TopicReader(kafka, role) for role in ROLES}
        self._seen = {role: len(each.read_whole()) for role, each in self._readers.items()}
        folder.mkdir()
        with running_job(kafka, folder, **settings):
            wait_until(lambda: self._is_whole(requests), PATIENCE_S, "the whole ledger")
        for reader in self._readers.values():
            reader.close()

    def _of(self, role):
        return self._readers[role].messages[self._seen[role] :]

    def _is_whole(self, requests):
        """The ledger is told in the same batch as the rest, but not in the same moment."""
        for reader in self._readers.values():
            reader.read_whole()
        tally = self.ledger
        return (
            tally["requests"] == requests
            and (len(self.late), len(self.dead)) == (tally["late"], tally["dead_letters"])
            and sum(s.events for s in self.final.values()) == tally["events"]
            and all(s.status == "final" for s in self.final.values())
            and len(self.accepted) == tally["events"] + tally["cut"]
        )

    @property
    def ledger(self):
        return ledger(self._of("bucket-stats"))

    @property
    def final(self):
        latest = latest_sessions(self._of("sessions"))
        return {k: msgspec.structs.replace(s, epoch=0, processed_time=0) for k, s in latest.items()}

    @property
    def accepted(self):
        return {each.offset: each for each in self._of("events")}

    @property
    def late(self):
        return {
            late.event.offset: msgspec.structs.replace(
                late, event=msgspec.structs.replace(late.event, processed_time=0)
            )
            for late in self._of("late-events")
        }

    @property
    def dead(self):
        return {
            letter.offset: msgspec.structs.replace(letter, processed_time=0)
            for letter in self._of("dead-letters")
        }


def ledger(stats):
    newest = {(s.topic, s.partition, s.bucket): s.tally for s in stats}
    total = defaultdict(int)
    for tally in newest.values():
        for column, count in msgspec.structs.asdict(tally).items():
            total[column] += count
    return total


def balances(tally):
    parts = ("events", "duplicates", "late", "dead_letters", "cut")
    return tally["requests"] == sum(tally[part] for part in parts)


def unclocked(sessions):
    return {key: msgspec.structs.replace(s, broker_time=0, epoch=0) for key, s in sessions.items()}


def test_two_hours_interleaved_in_one_partition_balance_and_what_is_late_is_listed(kafka, tmp_path):
    records = interleaved(1200)
    write_life(kafka, records)
    found = Reading(kafka, tmp_path / "a", 1200, max_records_per_batch="170")
    pure = BucketRun().feed(records)
    assert balances(found.ledger)
    assert found.ledger["late"] == len(found.late) == pure.tally.late
    assert 0 < found.ledger["late"] < 600
    assert {late.reason for late in found.late.values()} == {"session_final"}
    assert {late.event.event_id for late in found.late.values()} == {
        late.event.event_id for late in pure.late
    }
    assert {s.status for s in found.final.values()} == {"final"}
    assert sum(s.events for s in found.final.values()) == found.ledger["events"]
    gap = Rules().gap
    assert described(found.final.values()) == expected_sessions(
        found.accepted.values(), Rules(), lambda _site, _path: gap, person_of
    )
    assert any(session.other_visitor_ids for session in found.final.values())


def test_a_backlog_is_judged_as_it_would_have_been_live_and_again_by_every_reading(kafka, tmp_path):
    """Six hours of the topic stand there before the job first starts."""
    records = numbered([*interleaved(400, "2026-01-12 10:00:00")[:-1], *stories()])
    requests = sum(record.watermark is None for record in records)
    write_life(kafka, records)
    first = Reading(kafka, tmp_path / "a", requests, **AS_IN_STORIES, max_records_per_batch="40")
    live = BucketRun(RULES)
    for record in records:
        live.feed([record])
    assert unclocked(first.final) == {
        key: msgspec.structs.replace(s, broker_time=0, epoch=0)
        for key, s in live.sessions().items()
    }
    assert sorted(first.late) == [late.event.offset for late in live.late]
    assert sorted(first.dead) == [letter.offset for letter in live.dead]
    assert balances(first.ledger)
    again = Reading(kafka, tmp_path / "b", requests, **AS_IN_STORIES)
    assert again.final == first.final
    assert again.late == first.late
    assert again.dead == first.dead
    assert again.ledger == first.ledger


def test_sessions_close_live_with_one_of_six_partitions_used(broker, tmp_path):
    kafka = fresh_topics(broker, requests=6)
    sessions = TopicReader(kafka, "sessions")
    rules = {"gap": "4s", "watermark_delay": "1s", "allowed_lateness": "2s"}
    waited = []
    with running_job(kafka, tmp_path, **rules):
        for visitor in ("warm-up", "ann", "bob"):
            journey = Journey(visitor)
            journey.time = int(time.time() * 1000)
            produce(kafka, "requests", [record_of(journey.view().events[0], 0)], partition=2)
            closed = wait_until(
                lambda visitor=visitor: [
                    update
                    for update in sessions.read()
                    if update.visitor_id == visitor and update.status in ("closed", "final")
                ],
                PATIENCE_S,
                "the session to close",
            )
            waited.append((closed[0].processed_time - journey.time) / 1000)
    print("closed after", waited, "s")
    assert min(waited) <= 4 + 1 + 15
