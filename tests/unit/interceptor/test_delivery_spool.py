"""Between queue, disk and Kafka: nothing is lost, and the order is kept."""

import os
import threading

import msgspec
import pytest
from kafka.errors import KafkaTimeoutError, MessageSizeTooLargeError, NodeNotReadyError
from kafka.future import Future

from contracts import InterceptorStats
from contracts.kafka import KafkaSettings
from interceptor.emitter import Emitter
from interceptor.settings import SiteSettings
from interceptor.spools import Spools
from tests.support.waiting import wait_until
from tests.unit.interceptor.spooling import balances, event, files


class Broker:
    """Kafka as the emitter sees it: away, there, silent, or refusing single records."""

    def __init__(self, *, is_away=False):
        self.is_away, self.is_silent, self.refused = is_away, False, set()
        self.values, self.stats = [], []

    def connect(self, site, kafka):
        if self.is_away:
            raise NodeNotReadyError
        return self

    def send(self, topic, value, key):
        if self.is_away:
            return Future().failure(KafkaTimeoutError("away"))
        if self.is_silent:
            return Future()
        if topic.endswith("interceptor-stats"):
            self.stats.append(value)
        elif value in self.refused:
            return Future().failure(MessageSizeTooLargeError("big"))
        else:
            self.values.append(value)
        return Future().success(None)

    def flush(self, timeout):
        if self.is_silent:
            raise KafkaTimeoutError("silent")

    def close(self, timeout):
        pass

    @property
    def ids(self):
        return [int(value.split(b'"event_id":"e')[1].split(b'"')[0]) for value in self.values]


def emitter(broker, directory, **choices):
    plain = {"flush_deadline": "2s", "linger": "0ms", "stats_every": "100ms"}
    site = SiteSettings(**{**plain, "spool_directory": str(directory), **choices})
    return Emitter(site, KafkaSettings(topic_prefix="t"), connect=broker.connect)


def submit(sender, numbers, path="/"):
    for number in numbers:
        sender.ledger.observed()
        sender.submit(event(number, path))


def test_with_kafka_there_the_disk_is_not_touched(tmp_path):
    broker = Broker()
    sender = emitter(broker, tmp_path / "spool")
    submit(sender, range(100))
    sender.close()
    assert broker.ids == list(range(100))
    assert not (tmp_path / "spool").exists()


def test_while_kafka_is_away_events_are_on_the_disk_and_then_come_first(tmp_path):
    broker = Broker(is_away=True)
    sender = emitter(broker, tmp_path)
    submit(sender, range(2_000))
    wait_until(lambda: sender.stats().spooled == 2_000, what="all are on the disk")
    assert balances(sender.stats())
    broker.is_away = False
    submit(sender, range(2_000, 2_100))
    wait_until(lambda: sender.stats().sent == 2_100, what="all are sent")
    assert broker.ids == list(range(2_100))
    wait_until(lambda: files(tmp_path) == [], what="the disk is as before")
    sender.close()
    assert balances(sender.stats())


def test_an_outage_in_the_middle_keeps_the_order(tmp_path):
    broker = Broker()
    sender = emitter(broker, tmp_path)
    submit(sender, range(10))
    wait_until(lambda: sender.stats().sent == 10)
    broker.is_away = True
    submit(sender, range(10, 20))
    wait_until(lambda: sender.stats().spooled == 10)
    broker.is_away = False
    wait_until(lambda: sender.stats().sent == 20)
    submit(sender, range(20, 30))
    sender.close()
    assert broker.ids == list(range(30))


def test_more_events_than_the_queue_holds_go_to_the_disk(tmp_path):
    broker = Broker(is_away=True)
    sender = emitter(broker, tmp_path, queue_size=100)
    for start in range(0, 1_000, 50):
        submit(sender, range(start, start + 50))
        wait_until(lambda seen=start + 50: sender.stats().spooled == seen)
    assert sender.stats().lost == {}
    sender.close()


def test_a_full_spool_and_a_full_queue_refuse_the_newest(tmp_path):
    broker = Broker(is_away=True)
    sender = emitter(broker, tmp_path, queue_size=10, spool_size=65_536)
    total = 0
    while not sender.stats().lost:
        submit(sender, [total], path="/" + 2_000 * "x")
        total += 1
        wait_until(lambda: sender.stats().queued == 0 or sender._delivery.refusal == "spool_full")
    stats = sender.stats()
    assert (stats.lost, stats.queued) == ({"spool_full": 1}, 10)
    assert stats.spooled == total - 11
    broker.is_away = False
    wait_until(lambda: sender.stats().sent == total - 1)
    assert broker.ids == list(range(total - 1)), "the newest was refused"
    sender.close()
    assert balances(sender.stats())


def test_what_kafka_does_not_take_at_the_end_is_sent_by_the_next_start(tmp_path):
    broker = Broker(is_away=True)
    first = emitter(broker, tmp_path)
    submit(first, range(50))
    first.close()
    stats = first.stats()
    assert (stats.spooled, stats.queued, stats.lost) == (50, 0, {})
    broker.is_away = False
    second = emitter(broker, tmp_path)
    submit(second, range(50, 60))
    second.close()
    assert broker.ids == list(range(60))
    last = {}
    for text in broker.stats:
        said = msgspec.json.decode(text, type=InterceptorStats)
        if said.revision >= last.get(said.instance, said).revision:
            last[said.instance] = said
    assert len(last) == 2, "the heir tells the first one's counts too"
    assert balances(*last.values())
    assert sum(one.observed for one in last.values()) == 60
    assert sum(one.sent for one in last.values()) == 60
    assert sum(one.spooled - one.adopted for one in last.values()) == 0


def test_a_silent_kafka_at_the_end_costs_the_deadline_and_no_event(tmp_path):
    broker = Broker()
    broker.is_silent = True
    sender = emitter(broker, tmp_path, flush_deadline="200ms")
    submit(sender, range(20))
    sender.close()
    assert (sender.stats().spooled, sender.stats().lost) == (20, {})


def test_a_silent_kafka_is_given_up_and_its_events_are_kept_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setattr("interceptor.delivery.HURRY_S", 0.1)
    broker = Broker()
    broker.is_silent = True
    sender = emitter(broker, tmp_path, queue_size=20)
    submit(sender, range(15))
    wait_until(lambda: sender.stats().spooled == 15, what="more than half full: to the disk")
    broker.is_silent = False
    monkeypatch.setattr("interceptor.delivery.STALL_S", 0.1)
    wait_until(lambda: sender.stats().sent == 15)
    assert broker.ids == list(range(15))
    sender.close()


def test_a_record_that_kafka_refuses_does_not_stop_the_spool(tmp_path):
    broker = Broker(is_away=True)
    sender = emitter(broker, tmp_path)
    submit(sender, range(3))
    wait_until(lambda: sender.stats().spooled == 3)
    broker.refused = {msgspec.json.encode(event(1))}
    broker.is_away = False
    wait_until(lambda: sender.stats().sent == 2)
    assert (broker.ids, sender.stats().lost) == ([0, 2], {"refused": 1})
    sender.close()
    assert balances(sender.stats())


@pytest.mark.parametrize("is_away", [False, True])
def test_an_event_that_cannot_be_encoded_holds_up_no_other(tmp_path, is_away):
    """As when an application's own visitor id is no text that UTF-8 can write."""
    broker = Broker(is_away=is_away)
    sender = emitter(broker, tmp_path)
    sender.ledger.observed()
    sender.submit(msgspec.structs.replace(event(0), visitor_id="\ud800"))
    submit(sender, [1, 2])
    wait_until(lambda: sender.stats().queued == 0, 20)
    broker.is_away = False
    wait_until(lambda: sender.stats().sent == 2, 20)
    assert (broker.ids, sender.stats().lost) == ([1, 2], {"internal_error": 1})
    sender.close()
    assert balances(sender.stats())


def test_a_disk_that_fails_is_as_no_spool(tmp_path, caplog):
    (tmp_path / "file").write_text("in the way")
    broker = Broker(is_away=True)
    sender = emitter(broker, tmp_path / "file", queue_size=10)
    submit(sender, range(10))
    wait_until(lambda: sender._delivery.refusal == "spool_failed")
    submit(sender, [10])
    assert sender.stats().lost == {"spool_failed": 1}
    broker.is_away = False
    wait_until(lambda: sender.stats().sent == 10)
    assert broker.ids == list(range(10))
    assert "the site is not affected" in caplog.text
    sender.close()


def test_at_the_end_a_failing_disk_is_named_as_the_reason(tmp_path):
    (tmp_path / "file").write_text("in the way")
    sender = emitter(Broker(is_away=True), tmp_path / "file")
    submit(sender, range(3))
    sender.close()
    assert sender.stats().lost == {"spool_failed": 3}


def test_only_the_delivery_thread_touches_the_disk(tmp_path, monkeypatch):
    seen = set()

    def watched(act):
        def noted(*arguments):
            seen.add(threading.current_thread().name)
            return act(*arguments)

        return noted

    for name in ("append", "commit", "adopt", "head", "close"):
        monkeypatch.setattr(Spools, name, watched(getattr(Spools, name)))
    sender = emitter(Broker(is_away=True), tmp_path)
    submit(sender, range(5))
    sender.close()
    assert seen == {"clickwake-delivery"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_forked_child_neither_holds_nor_sends_its_parents_spool(tmp_path):
    broker = Broker(is_away=True)
    sender = emitter(broker, tmp_path)
    submit(sender, [1])
    wait_until(lambda: sender.stats().spooled == 1)
    begin, finish = os.pipe()
    is_child_done, child_done = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(finish)
        broker.is_away = False
        submit(sender, [2])
        sender.close()
        os.write(child_done, b".")
        os.read(begin, 1)
        os._exit(0 if broker.ids == [2] else 1)
    try:
        os.read(is_child_done, 1)
        sender.close()
        heir = emitter(broker, tmp_path)
        broker.is_away = False
        submit(heir, [3])
        heir.close()
        assert broker.ids == [1, 3], "the child's copy of the lock holds nothing"
    finally:
        os.close(finish)
        _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
