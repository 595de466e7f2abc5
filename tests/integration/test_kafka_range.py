"""From when on a recomputation can know all of a session's events."""

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, TopicPartition

from contracts.kafka import KafkaSettings
from spark_jobs.kafka_range import kafka_range
from spark_jobs.topic_copy import begin_topics
from tests.support.job import produce, tell
from tests.support.journey import Journey, record_of

pytestmark = [pytest.mark.slow, pytest.mark.timeout(120)]

EVENTS = [record_of(one, n) for n, one in enumerate(Journey("v").view().view().view().events)]


def test_topics_from_their_first_record_are_whole(kafka: KafkaSettings) -> None:
    produce(kafka, "requests", EVENTS)
    found = kafka_range(kafka)
    assert found.edge is None
    assert found.end[kafka.topic("requests")] == {"0": 3, "1": 0}
    assert set(found.begin) == {kafka.topic("requests"), kafka.topic("replay")}


def test_what_retention_deleted_makes_an_edge(kafka: KafkaSettings) -> None:
    produce(kafka, "requests", EVENTS)
    delete(kafka, "requests", 2)
    found = kafka_range(kafka)
    assert found.begin[kafka.topic("requests")] == {"0": 2, "1": 0}
    assert found.edge == broker_times(kafka)[-1]


def test_a_topic_that_goes_on_where_another_ended_has_an_edge(kafka: KafkaSettings) -> None:
    begin_topics(kafka, {"requests": 2, "replay": 2})
    produce(kafka, "requests", EVENTS)
    edge = kafka_range(kafka).edge
    assert edge is not None
    assert edge <= broker_times(kafka)[-1]


def test_a_replay_that_is_partly_deleted_is_left_out(kafka: KafkaSettings) -> None:
    tell(kafka, 0)
    produce(kafka, "replay", EVENTS)
    delete(kafka, "replay", 2)
    assert set(kafka_range(kafka).begin) == {kafka.topic("requests")}


def delete(kafka: KafkaSettings, role: str, before: int) -> None:
    """What retention does, now."""
    admin = KafkaAdminClient(**kafka.client_options())
    admin.delete_records({TopicPartition(kafka.topic(role), 0): before})
    admin.close()


def broker_times(kafka: KafkaSettings) -> list[int]:
    """Of what partition 0 of the request topic still holds."""
    place = TopicPartition(kafka.topic("requests"), 0)
    consumer = KafkaConsumer(**kafka.client_options(), group_id=None)
    consumer.assign([place])
    consumer.seek_to_beginning(place)
    end = consumer.end_offsets([place])[place]
    times: list[int] = []
    while consumer.position(place) < end:
        for records in consumer.poll(timeout_ms=500).values():
            times += [record.timestamp for record in records]
    consumer.close()
    return times
