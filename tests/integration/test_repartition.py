"""Another number of buckets and of partitions, by the command line, with a real job and Kafka."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from functools import partial

import msgspec
import pytest
from kafka import KafkaConsumer, TopicPartition

from contracts import Tally
from contracts.kafka import KafkaSettings
from infra.kafka_broker import EmbeddedBroker
from spark_jobs.parse import Record
from spark_jobs.positions import read_positions
from spark_jobs.topic_copy import copy, partition_of
from tests.integration.test_session_job import journey_now
from tests.support.job import ROOT, TopicReader, latest_sessions, produce
from tests.support.job_stack import PATIENCE_S, JobStack
from tests.support.kafka import fresh_topics
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

VISITORS = [*(f"visitor-{number}" for number in range(8)), *(f"~00{n}.id-{n}" for n in range(4))]
GAP = {"CLICKWAKE_JOB_GAP": "10m", "CLICKWAKE_JOB_ALLOWED_LATENESS": "10m"}
"""Sessions stay open for the whole test, so what came before and after must meet in one."""


@pytest.fixture
def kafka(broker: EmbeddedBroker) -> KafkaSettings:
    return fresh_topics(broker)


@pytest.fixture
def here(kafka: KafkaSettings, tmp_path) -> JobStack:
    stack = JobStack(kafka, tmp_path / "here")
    stack.environment |= GAP
    return stack


def visits(tag: str) -> dict[str, Record]:
    """One event a visitor, whose id no other visit has."""
    found = {}
    for visitor in VISITORS:
        (record,) = journey_now(visitor)
        value = record.value.replace(b"-0000", f"-{tag}".encode())
        found[visitor] = msgspec.structs.replace(record, value=value)
    return found


def send(kafka: KafkaSettings, records: Iterable[Record], partition: int | None = None) -> None:
    """To the partition that a visitor's events are always in."""
    for record in records:
        number = int(record.key[-1:]) % 2 if partition is None else partition
        produce(kafka, "requests", [record], number)


def counts(sessions: TopicReader) -> dict[str, int]:
    """Visitor → events of each of its sessions, one after the other."""
    found: dict[str, int] = {}
    for one in latest_sessions(sessions.read()).values():
        found[one.visitor_id] = found.get(one.visitor_id, 0) * 100 + one.events
    return found


def ledger(stats: TopicReader, kafka: KafkaSettings) -> Tally:
    """The sum of the newest epoch's buckets."""
    newest = {(s.partition, s.bucket, s.epoch): s for s in stats.read() if "requests" in s.topic}
    epoch = max((one.epoch for one in newest.values()), default=0)
    own = [one.tally for one in newest.values() if one.epoch == epoch]
    names = Tally.__struct_fields__
    return Tally(**{name: sum(getattr(one, name) for one in own) for name in names})


def test_other_buckets_on_the_same_topics(kafka, here):
    sessions, stats = TopicReader(kafka, "sessions"), TopicReader(kafka, "bucket-stats")
    with here.running():
        send(kafka, visits("first").values())
        send(kafka, visits("again").values())
        send(kafka, visits("again").values())
        wait_until(lambda: counts(sessions) == dict.fromkeys(VISITORS, 2), PATIENCE_S, "sessions")
        here.environment.pop("CLICKWAKE_JOB_BUCKETS")
    before = here.manifest()
    killed = subprocess.Popen(
        [sys.executable, "-m", "infra.cli", "repartition", "--buckets", "6", "--data", here.data],
        env=here.environment,
        stdout=subprocess.DEVNULL,
    )
    wait_until((here.data / "checkpoint.draft/seeds").exists, PATIENCE_S, "seeds begin")
    os.kill(killed.pid, signal.SIGKILL)
    killed.wait()
    assert here.manifest() == before, "the old job could go on"
    said = here.done("repartition", "--buckets", "6")
    assert "has 6 buckets now" in said.replace("\n", " ")
    assert "has 6 buckets already" in here.done("repartition", "--buckets", "6").replace("\n", " ")
    manifest = here.manifest()
    assert (manifest["buckets"], manifest["per_partition"]) == (6, 3)
    assert manifest["epoch"] > before["epoch"]
    with here.running():
        send(kafka, visits("after").values())
        send(kafka, visits("first").values())
        wait_until(lambda: counts(sessions) == dict.fromkeys(VISITORS, 3), PATIENCE_S, "sessions")
        expected = Tally(requests=60, events=36, duplicates=24)
        wait_until(lambda: ledger(stats, kafka) == expected, PATIENCE_S, "the whole ledger")
    assert {one.epoch for one in sessions.messages} == {before["epoch"], manifest["epoch"]}


def test_other_partitions_on_new_topics(kafka, here):
    prefix = f"{kafka.topic_prefix}-new"
    new = msgspec.structs.replace(kafka, topic_prefix=prefix)
    command = ("repartition", "--partitions", "3", "--prefix", prefix)
    sessions = TopicReader(kafka, "sessions")
    with here.running():
        send(kafka, visits("first").values())
        send(kafka, visits("again").values())
        wait_until(lambda: counts(sessions) == dict.fromkeys(VISITORS, 2), PATIENCE_S, "sessions")
    # While no job runs: these are in the old topics only.
    send(kafka, visits("unread").values())
    send(kafka, [Record(None, b"no JSON", 0, 0)], 1)
    here.done(*command)
    assert "Copied 0 record(s)" in here.done(*command).replace("\n", " ")
    refused = here.run("job")
    assert f"set CLICKWAKE_KAFKA_TOPIC_PREFIX={prefix}" in refused.stderr + refused.stdout

    # A site that has not moved, and one that has.
    send(kafka, visits("behind").values())
    here.done(*command)
    here.environment["CLICKWAKE_KAFKA_TOPIC_PREFIX"] = prefix
    later, stats = TopicReader(new, "sessions"), TopicReader(new, "bucket-stats")
    with here.running():
        wait_until(lambda: counts(later) == dict.fromkeys(VISITORS, 4), PATIENCE_S, "sessions")
        expected = Tally(requests=49, events=48, dead_letters=1)
        wait_until(lambda: ledger(stats, new) == expected, PATIENCE_S, "the whole ledger")
    every = {one.session_id for one in sessions.read()}
    assert {one.session_id for one in later.messages} == every, "the sessions of before go on"
    assert min(one.revision for one in later.messages) >= 0


COPY = """
import sys
from contracts.kafka import KafkaSettings
from spark_jobs.topic_copy import copy
servers, old, new = sys.argv[1:]
source, target = (KafkaSettings(bootstrap_servers=servers, topic_prefix=p) for p in (old, new))
copy(source, target, {"0": 100}, 3)
"""


def test_a_copy_that_is_killed_goes_on_where_it_was(broker, kafka):
    new = fresh_topics(broker, requests=3, replay=3)
    keys = [f"shop/visitor-{number % 50}".encode() for number in range(40_000)]
    produce(kafka, "requests", [Record(k, b"%d" % i, i, 0) for i, k in enumerate(keys)])
    command = [sys.executable, "-c", COPY, kafka.bootstrap_servers, kafka.topic_prefix]
    for count in (1, 15_000):
        with subprocess.Popen([*command, new.topic_prefix], cwd=ROOT) as process:
            wait_until(partial(holds, new, count), PATIENCE_S, "some copies")
            process.kill()
    assert not holds(new, len(keys) - 100), "killed before its end"
    copy(kafka, new, {"0": 100}, 3)
    found = contents(new)
    assert sorted(offset for part in found.values() for offset, _ in part) == [
        *range(100, len(keys))
    ]
    for number, part in found.items():
        assert [*part] == sorted(part), "in the order of the source"
        assert {partition_of(keys[offset], 0, 3) for offset, _ in part} == {number}
        assert all(value == b"%d" % offset for offset, value in part)


def holds(kafka: KafkaSettings, count: int) -> bool:
    positions = read_positions(kafka)
    return sum(positions.end[kafka.topic("requests")].values()) >= count


def contents(kafka: KafkaSettings) -> dict[int, list[tuple[int, bytes]]]:
    """Partition → (source offset, value) of every record in it."""
    consumer = KafkaConsumer(**kafka.client_options(), group_id=None)
    parts = [TopicPartition(kafka.topic("requests"), number) for number in range(3)]
    consumer.assign(parts)
    consumer.seek_to_beginning(*parts)
    ends, found = consumer.end_offsets(parts), {number: [] for number in range(3)}
    while any(consumer.position(part) < ends[part] for part in parts):
        for part, records in consumer.poll(timeout_ms=500).items():
            for record in records:
                ((_, source),) = record.headers
                found[part.partition].append((int(source.split(b"/")[1]), record.value))
    consumer.close()
    return found


def test_what_makes_no_sense_is_said(here):
    refused = here.run("repartition", "--partitions", "3")
    assert refused.returncode == 1
    assert "Say either --buckets N, or --partitions N with --prefix NEW" in refused.stderr
