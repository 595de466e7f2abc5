"""The live clock with a producer that Kafka hears nothing more from."""

import pytest
from kafka import KafkaProducer

from contracts.kafka import KafkaSettings
from spark_jobs import clock
from spark_jobs.clock import LiveClock
from tests.chaos.tail import read_all
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow


def test_a_producer_that_fell_silent_is_replaced(
    kafka: KafkaSettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clock, "ANSWER_S", 2.0)
    producers: list[KafkaProducer] = []

    def fall_silent(producer: KafkaProducer) -> None:
        """As when a record that was sent once expires, after a broker's absence."""
        if not producers and read_all(kafka, "requests"):
            producer._sender._transaction_manager.reset_producer_id()
        if producer not in producers and read_all(kafka, "requests"):
            producers.append(producer)

    live = LiveClock(kafka, 200, 1, lambda: 0, fall_silent)
    live.start()
    try:
        wait_until(lambda: len(producers) == 2, 60, "a second producer")
        told = len(read_all(kafka, "requests"))
        wait_until(lambda: len(read_all(kafka, "requests")) > told, 60, "the time told again")
        assert not producers[0]._sender.is_alive()
    finally:
        live.stop()
