"""What Kafka refuses later must not go unnoticed."""

import pytest
from kafka.errors import MessageSizeTooLargeError
from kafka.future import Future

from contracts.kafka import KafkaSettings
from spark_jobs import sender
from spark_jobs.sender import Sender, SendError


class LateRefusal:
    """A producer that answers only when it is flushed, as a real one mostly does."""

    def __init__(self) -> None:
        self.waiting: list[Future] = []

    def send(self, topic: str, **record: object) -> Future:
        self.waiting.append(Future())
        return self.waiting[-1]

    def flush(self, timeout: float) -> None:
        for one in self.waiting:
            one.failure(MessageSizeTooLargeError("too large"))

    def close(self, timeout: float) -> None:
        pass


def test_a_refusal_that_comes_with_the_flush_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "make_producer", lambda kafka: LateRefusal())
    sending = Sender(KafkaSettings())
    sending.send("t", b"k", b"v")
    with pytest.raises(SendError, match=r"Kafka did not take a record .*run it again"):
        sending.finish()
