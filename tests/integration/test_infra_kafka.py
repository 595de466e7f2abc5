"""The embedded broker: it starts, serves the contract's topics, and keeps its records."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient

from contracts.kafka import KafkaSettings
from contracts.topics import TOPICS
from infra.errors import InfraError
from infra.kafka_broker import EmbeddedBroker, is_serving
from infra.ports import is_free
from infra.topics import ensure_topics
from tests.support.kafka import new_broker
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow


def send(kafka: KafkaSettings, value: bytes) -> None:
    producer = KafkaProducer(**kafka.client_options(), acks="all")
    producer.send(kafka.topic("requests"), value=value, partition=0).get(timeout=30)
    producer.close()


def read(kafka: KafkaSettings) -> list[bytes]:
    consumer = KafkaConsumer(
        **kafka.client_options(), auto_offset_reset="earliest", consumer_timeout_ms=1000
    )
    consumer.assign([TopicPartition(kafka.topic("requests"), 0)])
    try:
        return [record.value for record in consumer]
    finally:
        consumer.close()


@pytest.fixture
def own_broker(tmp_path: Path) -> Iterator[EmbeddedBroker]:
    running = new_broker(tmp_path / "kafka")
    yield running
    running.stop()


def test_records_survive_a_stop_and_a_kill(own_broker: EmbeddedBroker) -> None:
    kafka = own_broker.settings
    own_broker.start()
    assert len(ensure_topics(kafka)) == len(TOPICS)
    send(kafka, b"first")

    own_broker.stop()
    assert is_free(own_broker.layout.port)
    own_broker.start()
    send(kafka, b"second")

    own_broker.kill()
    own_broker.start()
    send(kafka, b"third")
    assert read(kafka) == [b"first", b"second", b"third"]


def test_a_stopped_broker_is_not_serving(own_broker: EmbeddedBroker) -> None:
    assert not is_serving(own_broker.settings)


def test_topics_are_made_once_and_as_the_contract_says(kafka: KafkaSettings) -> None:
    assert ensure_topics(kafka) == []
    admin = KafkaAdminClient(**kafka.client_options())
    described = {t["name"]: t for t in admin.describe_topics([kafka.topic(t.role) for t in TOPICS])}
    for topic in TOPICS:
        assert len(described[kafka.topic(topic.role)]["partitions"]) == topic.partitions
    resource = ConfigResource(ConfigResourceType.TOPIC, kafka.topic("bucket-stats"))
    found = admin.describe_configs([resource], config_filter="all")["topic"][resource.name]
    assert found["cleanup.policy"]["value"] == "compact"
    assert found["message.timestamp.type"]["value"] == "LogAppendTime"
    admin.close()


def test_too_few_partitions_are_one_sentence(kafka: KafkaSettings) -> None:
    with pytest.raises(InfraError, match=r"late-events has 1 partition\(s\) but 4 are needed"):
        ensure_topics(kafka, {"late-events": 4})


def test_an_unreachable_kafka_is_one_sentence() -> None:
    nowhere = KafkaSettings(bootstrap_servers="127.0.0.1:1")
    with pytest.raises(InfraError, match="cannot be reached"):
        ensure_topics(nowhere)


def test_an_absurdly_large_record_is_accepted(kafka: KafkaSettings) -> None:
    producer = KafkaProducer(**kafka.client_options(), max_request_size=8_000_000)
    producer.send(kafka.topic("requests"), value=b"x" * 5_000_000, partition=0).get(timeout=60)
    producer.close()
    wait_until(lambda: [len(value) for value in read(kafka)] == [5_000_000], what="5 MB read back")
