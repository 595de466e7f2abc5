"""A topic as it is after hours of life, written to real Kafka record by record."""

import msgspec

from contracts import WATERMARK_END
from contracts.kafka import KafkaSettings
from spark_jobs.clock import Clock, make_producer
from spark_jobs.parse import Record
from tests.support.journey import MINUTE, SECOND, Journey, at, record_of, watermark

FAR_AHEAD = at("2099-01-01 00:00:00")
"""A broker_time that clamps nothing, as Kafka's own now does not for times that are past."""


def write_life(kafka: KafkaSettings, records: list[Record], partition: int = 0) -> None:
    """To the replay topic, in order: events to one partition, the clock to all."""
    producer, topic = make_producer(kafka), kafka.topic("replay")
    clock = Clock(producer, topic)
    for record in records:
        if record.watermark is None:
            producer.send(topic, key=record.key, value=record.value, partition=partition)
        else:
            clock.tell(record.watermark, wake_all=True)
    producer.flush(timeout=60)
    producer.close()


def interleaved(count: int, start: str = "2026-01-15 10:00:00") -> list[Record]:
    """Two tasks that wrote side by side: every other event is 65 minutes behind the newest.

    Twenty visitors; each has its n-th event twenty turns after the one before, five minutes
    later. A quarter of them get other ids twenty minutes after the start. The clock follows the
    newest.
    """
    rotation = at(start) + 20 * MINUTE
    records: list[Record] = []
    for number in range(count):
        newest = at(start) + number // 2 * 15 * SECOND
        behind = number % 2 * 65 * MINUTE
        name, previous = _names(number // 2 % 20, newest - behind >= rotation)
        journey = Journey(name).view(f"/{number}", event_id=f"e{number:04}")
        event = msgspec.structs.replace(
            journey.events[0], event_time=newest - behind, previous_visitor_id=previous
        )
        records.append(record_of(event, 0, FAR_AHEAD))
        if number % 40 == 39:
            records.append(watermark(newest, 0, FAR_AHEAD))
    return numbered([*records, watermark(WATERMARK_END, 0)])


def _names(visitor: int, is_rotated: bool) -> tuple[str, str | None]:
    if visitor % 4:
        return f"v{visitor:02}", None
    before, after = f"~{visitor:03}.before", f"~{visitor:03}.after"
    return (after, before) if is_rotated else (before, None)


def person_of(visitor_id: str) -> str:
    """Who goes by that name."""
    return visitor_id.partition(".")[0]


def numbered(records: list[Record]) -> list[Record]:
    """With the offsets that they get in a topic of their own, and nothing clamped."""
    return [
        msgspec.structs.replace(record, offset=offset, broker_time=FAR_AHEAD)
        for offset, record in enumerate(records)
    ]
