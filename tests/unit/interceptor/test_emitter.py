import os
import threading

import pytest
from kafka.errors import KafkaTimeoutError, MessageSizeTooLargeError, NodeNotReadyError
from kafka.future import Future

from contracts.kafka import KafkaSettings
from interceptor.emitter import Emitter
from interceptor.settings import SiteSettings
from tests.support.waiting import wait_until
from tests.unit.interceptor.spooling import event


class Broker:
    """Answers each record of the requests topic with the next of ``answers``, then with yes."""

    def __init__(self, answers=(), refuses=0):
        self.answers, self.refuses = list(answers), refuses
        self.records, self.stats, self.connections = [], [], 0

    def connect(self, site, kafka):
        self.connections += 1
        if self.connections <= self.refuses:
            raise NodeNotReadyError
        return self

    def send(self, topic, value, key):
        if topic.endswith("interceptor-stats"):
            self.stats.append(value)
            return Future().success(None)
        answer = self.answers.pop(0) if self.answers else None
        if answer is None:
            self.records.append((topic, key, value))
            return Future().success(None)
        return Future().failure(answer)

    def flush(self, timeout):
        pass

    def close(self, timeout):
        pass


def emitter(broker, **choices):
    settings = SiteSettings(**{"flush_deadline": "5s", "linger": "0ms", **choices})
    return Emitter(settings, KafkaSettings(topic_prefix="t"), connect=broker.connect)


def test_events_reach_kafka_under_their_visitors_key():
    broker = Broker()
    sender = emitter(broker)
    assert sender.submit(event())
    wait_until(lambda: sender.stats().sent == 1)
    ((topic, key, value),) = broker.records
    assert (topic, key) == ("t.requests", b"shop/v")
    assert b'"event_id":"e0"' in value
    sender.close()


def test_a_full_queue_says_false_and_counts():
    never = threading.Event()

    def stuck(site, kafka):
        never.wait()
        return Broker()

    sender = Emitter(
        SiteSettings(queue_size=2, flush_deadline="0ms"),
        KafkaSettings(),
        connect=stuck,
    )
    assert [sender.submit(event(n)) for n in range(3)] == [True, True, False]
    assert sender.stats().lost == {"queue_full": 1}
    sender.close()
    assert sender.stats().lost == {"queue_full": 1, "shutdown": 2}
    assert sender.stats().queued == 0
    never.set()


def test_kafka_that_comes_late_gets_everything():
    broker = Broker(refuses=2)
    sender = emitter(broker)
    for number in range(3):
        sender.submit(event(number))
    wait_until(lambda: sender.stats().sent == 3)
    assert broker.connections == 3
    assert sender.stats().lost == {}
    sender.close()


def test_a_failed_send_is_tried_again_with_a_new_producer():
    broker = Broker(answers=[KafkaTimeoutError("slow")])
    sender = emitter(broker)
    sender.submit(event())
    wait_until(lambda: sender.stats().sent == 1)
    assert broker.connections == 2
    sender.close()


def test_failures_that_come_late_and_together_keep_the_order():
    """As when a broker goes away with a batch in flight: the producer's thread says so."""
    broker, pending = Broker(), []

    class Later(Broker):
        def send(self, topic, value, key):
            if topic.endswith("interceptor-stats"):
                return Future().success(None)
            pending.append(Future())
            return pending[-1]

    brokers = iter([Later(), broker])
    settings = SiteSettings(flush_deadline="5s", linger="0ms", stats_every="100ms")
    sender = Emitter(settings, KafkaSettings(), connect=lambda *_: next(brokers))
    for number in range(3):
        sender.submit(event(number))
    wait_until(lambda: len(pending) == 3)
    for future in pending:
        future.failure(KafkaTimeoutError("gone"))
    wait_until(lambda: sender.stats().sent == 3)
    assert [value.split(b'"')[5] for _, _, value in broker.records] == [b"e0", b"e1", b"e2"]
    sender.close()


def test_a_record_that_kafka_refuses_is_lost_and_the_next_one_is_sent():
    broker = Broker(answers=[MessageSizeTooLargeError("big")])
    sender = emitter(broker)
    sender.submit(event(1))
    sender.submit(event(2))
    wait_until(lambda: sender.stats().sent == 1)
    assert sender.stats().lost == {"refused": 1}
    sender.close()


def test_closing_sends_what_waits_and_the_last_counts():
    broker = Broker()
    sender = emitter(broker)
    for number in range(100):
        sender.submit(event(number))
    sender.close()
    assert len(broker.records) == 100
    assert b'"sent":100' in broker.stats[-1]
    assert b'"queued":0' in broker.stats[-1]


def test_it_can_be_used_again_after_closing():
    broker = Broker()
    sender = emitter(broker)
    sender.submit(event(1))
    sender.close()
    sender.submit(event(2))
    sender.close()
    assert len(broker.records) == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_sends_its_own_events_and_not_its_parents():
    broker = Broker(refuses=1_000_000)
    sender = emitter(broker, flush_deadline="0ms")
    sender.submit(event(1))
    child = os.fork()
    if child == 0:
        broker.refuses = 0
        sender.submit(event(2))
        wait_until(lambda: sender.stats().sent == 1, timeout_s=20)
        ids = [value for _, _, value in broker.records]
        os._exit(0 if len(ids) == 1 and b'"e2"' in ids[0] else 1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    assert sender.stats().queued == 1
    sender.close()


class Companion:
    def __init__(self):
        self.told = []

    def start(self):
        self.told.append("start")

    def stop(self):
        self.told.append("stop")

    def after_fork(self):
        self.told.append("after_fork")


def test_what_runs_beside_begins_with_the_first_event_and_ends_with_the_emitter():
    beside = Companion()
    sender = Emitter(SiteSettings(), KafkaSettings(), connect=Broker().connect, companion=beside)
    assert beside.told == []
    sender.submit(event())
    sender.submit(event())
    assert beside.told == ["start"]
    sender.close()
    assert beside.told == ["start", "stop"]
    sender.after_fork()
    assert beside.told == ["start", "stop", "after_fork"]
