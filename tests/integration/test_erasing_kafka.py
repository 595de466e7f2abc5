"""Records of erased visitors leave a real Kafka's files, and nobody else notices."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from kafka import KafkaConsumer, TopicPartition

from contracts import Erasure
from contracts.erasures import mark_of
from contracts.kafka import KafkaSettings
from infra.erasing import control_topic
from infra.erasing.topics import rewrite, scan, segments_of, with_joined
from spark_jobs.barring import read_bars
from spark_jobs.clock import make_producer
from tests.support.journey import MINUTE, Journey, record_of
from tests.support.kafka import fresh_topics, new_broker

pytestmark = pytest.mark.slow

KEY = "0123456789abcdef" * 4
OLD, NEW, BOB = "~3f7.old-id", "~3f7.new-id", "~3f7.bob"


def an_erasure(**fields: Any) -> Erasure:
    return Erasure(
        erasure_id="01970000-0000-7000-8000-000000000001",
        site_id="shop",
        phase="requested",
        key=KEY,
        marks=[mark_of(KEY, "shop", OLD)],
        requested=0,
        **fields,
    )


def fill(kafka: KafkaSettings) -> None:
    """Batches of both, compressed as the job does it, then one of who is erased alone."""
    visits = [
        *Journey(OLD).view("/1").view("/2", after=MINUTE).events,
        *(
            msgspec.structs.replace(one, previous_visitor_id=OLD)
            for one in Journey(NEW).view("/3").events
        ),
        *Journey(BOB).view("/bob").events,
    ]
    producer = make_producer(kafka)
    for events in (visits, visits[:2]):
        for event in events:
            record = record_of(event, 0)
            producer.send(kafka.topic("requests"), record.value, record.key, partition=0)
        producer.flush(timeout=30)
    producer.close()


def read(kafka: KafkaSettings) -> tuple[list[tuple[int, int, bytes]], int]:
    """(offset, time, value) of all requests, and where the partition ends."""
    part = TopicPartition(kafka.topic("requests"), 0)
    consumer = KafkaConsumer(**kafka.client_options(), group_id=None)
    consumer.assign([part])
    consumer.seek_to_beginning(part)
    end, found = consumer.end_offsets([part])[part], []
    while consumer.position(part) < end:
        for records in consumer.poll(timeout_ms=500).values():
            found += [(one.offset, one.timestamp, one.value) for one in records]
    consumer.close()
    return found, end


def test_records_leave_the_files_and_the_others_keep_their_places(tmp_path: Path) -> None:
    with new_broker(tmp_path) as broker:
        kafka = fresh_topics(broker)
        fill(kafka)
        before, end = read(kafka)
        spots = segments_of(broker.layout.log_folder)
        erasure = with_joined(an_erasure(until=2**52), spots)
        assert len(erasure.marks) == 2
        assert scan(erasure, kafka) == {"requests": 5}

        broker.stop()
        assert rewrite(erasure, spots) == 5
        broker.start()

        kept, ends_now = read(kafka)
        assert kept == [one for one in before if BOB.encode() in one[2]]
        assert ends_now == end
        assert scan(erasure, kafka) == {}
        holding = [f for f in tmp_path.rglob("*") if f.is_file() and b"-id" in f.read_bytes()]
        assert not [f for f in holding if f.suffix == ".log" and "requests" in str(f)]

        # Producers go on where the partition ended, and an old event that comes now is found.
        fill(kafka)
        after, _ = read(kafka)
        assert after[len(kept)][0] == end
        assert scan(erasure, kafka) == {"requests": 5}


def test_the_newest_word_of_an_erasure_counts(kafka: KafkaSettings) -> None:
    assert read_bars(kafka) == ()
    asked = an_erasure()
    control_topic.tell(kafka, asked)
    assert read_bars(kafka) == ()
    done = msgspec.structs.replace(asked, phase="done", until=1_000)
    control_topic.tell(kafka, done)
    reader = control_topic.Reader(kafka)
    assert reader.newest() == [done]
    reader.close()
    assert [(bar.mark, bar.until) for bar in read_bars(kafka)] == [(asked.marks[0], 1_000)]
