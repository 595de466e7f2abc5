"""Writes time into a request topic: the owner of its clock appends watermark records."""

import logging
from collections import deque
from collections.abc import Callable
from threading import Event, Thread
from time import monotonic, time
from typing import Literal

import msgspec
from kafka import KafkaProducer
from kafka.errors import KafkaError, KafkaTimeoutError
from kafka.future import Future

from contracts import WatermarkRecord
from contracts.kafka import KafkaSettings
from contracts.producers import end_producer
from contracts.topics import MAX_RECORD_BYTES

log = logging.getLogger(__name__)

Wake = Literal["share", "all", "none"]

ANSWER_S = 20.0
"""So long Kafka may owe an answer; then the clock takes a new producer.

kafka-python's idempotent one is mute for good once a record that it had sent expires unanswered,
which it does after two minutes without a broker: it drops its producer id, and asks for no other.
"""

_encode = msgspec.json.Encoder().encode


class Clock:
    """Appends watermark records to every partition of one topic."""

    def __init__(self, producer: KafkaProducer, topic: str) -> None:
        self._producer = producer
        self._topic = topic
        self._turn = 0
        self.written = 0
        """Records that Kafka has acknowledged."""

    def tell(self, watermark: int, *, wake_all: bool = False) -> list[Future]:
        """ "Every event before ``watermark`` (ms) has been sent": raises KafkaError if it can't.

        Returns Kafka's answers to come, one a partition.
        """
        turn = -1 if wake_all else self._turn
        self._turn += not wake_all
        value = _encode(WatermarkRecord(watermark=watermark, turn=turn))
        answers = []
        for partition in sorted(self._producer.partitions_for(self._topic) or ()):
            sent = self._producer.send(self._topic, key=None, value=value, partition=partition)
            sent.add_callback(self._count)
            answers.append(sent)
        return answers

    def _count(self, _metadata: object) -> None:
        self.written += 1


class Owed:
    """Answers that Kafka owes us. ``now`` is in seconds. Pure."""

    def __init__(self) -> None:
        self._waiting: deque[tuple[float, Future]] = deque()

    def add(self, answers: list[Future], now: float) -> None:
        """What was asked now."""
        self._waiting.extend((now, answer) for answer in answers)

    def check(self, now: float) -> None:
        """Raises KafkaError when one came as a failure, or one has not come in time."""
        while self._waiting and self._waiting[0][1].is_done:
            _, answer = self._waiting.popleft()
            if answer.exception is not None:
                raise answer.exception
        if self._waiting and now - self._waiting[0][0] > ANSWER_S:
            raise KafkaTimeoutError(f"no answer for {ANSWER_S:.0f} s")


class Pace:
    """When to write: at each tick while others write too, and once a turn when nobody does.

    An idle topic so costs one micro-batch a turn, and sessions on it end as soon. Pure.
    """

    def __init__(self, shares: int) -> None:
        self._shares = shares
        self._most: int | None = None
        self._still = 0

    def next(self, others: int) -> Wake:
        """What to wake at this tick. ``others``: records of others that the job has read by now.

        It may fall a little, as our own records are counted before the job has read them.
        """
        if self._most is None or others > self._most:
            self._most, self._still = others, 0
        else:
            self._still += 1
        if self._still < self._shares:
            return "share"
        return "none" if self._still % self._shares else "all"


class LiveClock(Thread):
    """The live topic's clock: now, at the pace of ``interval_ms``, until stopped.

    ``records_read`` says how many records of the request topics the job has read. A broker that
    is away is tried again at the next tick; the time missed is no loss, as the next record says
    more than the missing ones did.
    """

    def __init__(
        self,
        kafka: KafkaSettings,
        interval_ms: int,
        shares: int,
        records_read: Callable[[], int],
        each_tick: Callable[[KafkaProducer], None],
    ) -> None:
        super().__init__(name="live-clock", daemon=True)
        self._kafka = kafka
        self._interval_s = interval_ms / 1000
        self._shares = shares
        self._records_read = records_read
        self._each_tick = each_tick
        self._stopped = Event()

    def stop(self) -> None:
        """Ask the thread to end, and wait a little."""
        self._stopped.set()
        self.join(timeout=5)

    def run(self) -> None:
        """Tick until stopped, with a new producer after a failure."""
        while not self._stopped.is_set():
            try:
                self._tick_on(make_producer(self._kafka))
            except KafkaError as error:
                log.warning("the live clock cannot reach Kafka (%s); trying again", error)
            except Exception:
                log.exception("the live clock failed; trying again")
            self._stopped.wait(self._interval_s)

    def _tick_on(self, producer: KafkaProducer) -> None:
        clock, pace = Clock(producer, self._kafka.topic("requests")), Pace(self._shares)
        owed = Owed()
        try:
            while not self._stopped.is_set():
                owed.check(monotonic())
                wake = pace.next(self._records_read() - clock.written)
                if wake != "none":
                    answers = clock.tell(int(time() * 1000), wake_all=wake == "all")
                    owed.add(answers, monotonic())
                self._each_tick(producer)
                self._stopped.wait(self._interval_s)
        finally:
            end_producer(producer, timeout_s=2)


def make_producer(kafka: KafkaSettings) -> KafkaProducer:
    """A durable producer that gives up soon instead of blocking for a minute."""
    return KafkaProducer(
        **kafka.client_options(),
        acks="all",
        enable_idempotence=True,
        linger_ms=2,
        bootstrap_timeout_ms=10_000,
        max_block_ms=5_000,
        max_request_size=MAX_RECORD_BYTES,
    )
