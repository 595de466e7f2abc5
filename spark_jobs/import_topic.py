"""The replay topic while an import writes to it."""

from collections.abc import Iterable
from types import TracebackType

from kafka import KafkaConsumer, TopicPartition
from kafka.future import Future

from contracts import WATERMARK_END, WATERMARK_START, partition_key
from contracts.kafka import KafkaSettings
from spark_jobs.clock import Clock, make_producer
from spark_jobs.parse import Valid
from spark_jobs.sender import FLUSH_S

POLL_MS = 10_000
_MARKS = tuple(f'{{"watermark":{mark},'.encode() for mark in (WATERMARK_START, WATERMARK_END))


class Lane:
    """Sends events and time in order. Whoever has settled knows that Kafka took every record.

    ``ends`` are the offsets behind its last records, by partition.
    """

    def __init__(self, kafka: KafkaSettings, topic: str, ends: dict[str, int]) -> None:
        self.ends = dict(ends)
        self._topic = topic
        self._producer = make_producer(kafka)
        self._clock = Clock(self._producer, topic)
        self._waiting: list[Future] = []

    def __enter__(self) -> "Lane":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._producer.close(timeout=10 if kind is None else 1)

    def send(self, events: Iterable[tuple[Valid, bytes]]) -> int:
        """Send a block's events; how many there were."""
        count = 0
        for valid, value in events:
            key = partition_key(valid.event.site_id, valid.event.visitor_id)
            self._waiting.append(self._producer.send(self._topic, key=key, value=value))
            count += 1
        return count

    def tell(self, watermark: int, *, wake_all: bool = False) -> None:
        """Every event before ``watermark`` has been sent."""
        self._waiting += self._clock.tell(watermark, wake_all=wake_all)

    def settle(self) -> None:
        """Wait for Kafka's answers. KafkaError when it refused a record or was too long silent."""
        self._producer.flush(timeout=FLUSH_S)
        for answer in self._waiting:
            where = answer.get(timeout=FLUSH_S)
            place = str(where.partition)
            self.ends[place] = max(self.ends.get(place, 0), where.offset + 1)
        self._waiting = []


def was_disturbed(kafka: KafkaSettings, topic: str, ends: dict[str, int]) -> bool:
    """Whether another replay has used the topic since: then all open sessions were closed.

    True too when the topic ends before ``ends``, since then it is another one. KafkaError when
    Kafka does not answer.
    """
    consumer = KafkaConsumer(**kafka.client_options(), group_id=None, bootstrap_timeout_ms=10_000)
    try:
        parts = [TopicPartition(topic, int(number)) for number in ends]
        there = consumer.end_offsets(parts)
        if any(there[part] < ends[str(part.partition)] for part in parts):
            return True
        return any(_has_marks(consumer, part, ends[str(part.partition)]) for part in parts)
    finally:
        consumer.close()


def _has_marks(consumer: KafkaConsumer, part: TopicPartition, begin: int) -> bool:
    consumer.assign([part])
    consumer.seek(part, begin)
    end = consumer.end_offsets([part])[part]
    while consumer.position(part) < end:
        for records in consumer.poll(timeout_ms=POLL_MS).values():
            if any(one.key is None and (one.value or b"").startswith(_MARKS) for one in records):
                return True
    return False
