"""Spark's Kafka client with TLS and log-in, by the job's own options."""

from collections.abc import Iterator

import msgspec
import pytest
from kafka import KafkaProducer
from pyspark.sql import SparkSession

from infra.topics import ensure_topics
from tests.support.secure_kafka import SecureBroker

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def secure(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SecureBroker]:
    made = SecureBroker(tmp_path_factory.mktemp("secure"))
    with made.broker:
        ensure_topics(msgspec.structs.replace(made.broker.settings, topic_prefix="spark"), {})
        yield made


@pytest.mark.parametrize("way", ["SSL", "PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"])
def test_spark_reads_what_was_written(secure: SecureBroker, spark: SparkSession, way: str) -> None:
    kafka = secure.with_tls("spark") if way == "SSL" else secure.logged_in("spark", way)
    producer = KafkaProducer(**kafka.client_options())
    producer.send(kafka.topic("requests"), key=b"k", value=way.encode())
    producer.close()
    options = kafka.spark_options() | {"subscribe": kafka.topic("requests")}
    rows = spark.read.format("kafka").options(**options).load().select("value").collect()
    assert [bytes(row.value) for row in rows].count(way.encode()) == 1
