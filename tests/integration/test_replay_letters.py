"""Dead letters on a real Kafka: their bytes as they came, and another try for those that can."""

from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from sqlalchemy import Engine

from api.history.writer import HistoryWriter
from contracts import partition_key
from contracts.kafka import KafkaSettings
from tests.support.api import api_settings, served
from tests.support.history import a_slice, new_history
from tests.support.messages import a_bucket, a_dead_letter, an_event
from tests.support.requests import a_request

pytestmark = pytest.mark.slow

GARBAGE = b'{"ip":"81.2.69.142",'
KEY = partition_key("shop", "v1")


def letters_of(kafka: KafkaSettings, values: list[bytes]) -> list[Any]:
    """Records under a wrong key on the requests topic, and the letters that the job writes."""
    producer = KafkaProducer(**kafka.client_options(), acks="all")
    topic = kafka.topic("requests")
    sent = [producer.send(topic, value, b"wrong", partition=0).get(30) for value in values]
    producer.close(timeout=5)
    return [
        msgspec.structs.replace(
            a_dead_letter(one.offset), topic=topic, reason="wrong_key", raw_size=len(value)
        )
        for one, value in zip(sent, values, strict=True)
    ]


def sent_again(kafka: KafkaSettings) -> list[dict[str, Any]]:
    """What stands on the requests topic under the visitor's own key."""
    consumer = KafkaConsumer(**kafka.client_options())
    topic = kafka.topic("requests")
    parts = [TopicPartition(topic, n) for n in sorted(consumer.partitions_for_topic(topic) or ())]
    consumer.assign(parts)
    consumer.seek_to_beginning(*parts)
    ends = consumer.end_offsets(parts)
    found = []
    while any(consumer.position(part) < ends[part] for part in parts):
        for records in consumer.poll(timeout_ms=500).values():
            found += [msgspec.json.decode(one.value) for one in records if one.key == KEY]
    consumer.close()
    return found


def keep(engine: Engine, role: str, *messages: Any) -> None:
    HistoryWriter(engine).take([a_slice(role, messages)])


def test_letters_that_can_be_read_go_to_the_topic_again_under_their_own_key(
    kafka: KafkaSettings, tmp_path: Path
) -> None:
    engine = new_history(tmp_path)
    good, there = a_request("good"), a_request("there")
    letters = letters_of(kafka, [msgspec.json.encode(good), GARBAGE, msgspec.json.encode(there)])
    keep(engine, "dead-letters", *letters)
    keep(engine, "events", an_event("there", visitor_id="v1"))
    keep(engine, "bucket-stats", a_bucket(topic=kafka.topic("requests")))
    engine.dispose()
    with served(api_settings(tmp_path), kafka) as api:
        address = f"http://{api.address}/api/v1"
        ids = [one["id"] for one in api.get("/api/v1/dead-letters").json()["items"]]
        raw = api.get(f"/api/v1/dead-letters/{ids[1]}/raw").json()
        done = httpx.post(f"{address}/dead-letters/replay", json={"ids": ids}, timeout=30).json()
        sizes = api.get("/api/v1/pipeline/storage").json()
        audit = api.get("/api/v1/audit").json()["items"]
    assert (raw["source"], raw["text"], raw["key"]) == ("topic", GARBAGE.decode(), "wrong")
    numbers = {name: done[name] for name in ("asked", "published", "known", "refused")}
    assert numbers == {"asked": 3, "published": 1, "known": 1, "refused": 1}
    assert done["reasons"][0]["id"] == ids[1]
    assert [one["event_id"] for one in sent_again(kafka)] == ["good"]
    assert [one["action"] for one in audit] == ["dead_letters_replayed", "dead_letter_read"]
    assert sizes["fault"] == ""
    by_name = {one["name"]: one["size"] for one in sizes["items"]}
    assert by_name[kafka.topic("requests")] > len(GARBAGE)
    assert by_name["history"] > 0
    assert by_name["state"] == 300
