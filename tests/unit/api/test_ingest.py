"""POST /api/v1/events: when it says yes, when no, and what the ledger is told."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from kafka.errors import KafkaConnectionError, KafkaTimeoutError
from kafka.future import Future

from api.access.scopes import Scope
from api.ingest import routes, sender
from api.ingest.batch import record_of
from api.ingest.counts import IngestCounts
from api.ingest.sender import Sender
from contracts import InterceptorStats, RequestEvent, partition_key
from tests.support.access import bearer, new_key
from tests.support.api import NO_KAFKA, client_of
from tests.support.history import new_history
from tests.support.requests import NOON, a_request
from tests.support.waiting import wait_until

EVENTS = "/api/v1/events"


class Producer:
    """Answers as a broker does, when the test says so."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes, bytes]] = []
        self.owed: list[Future] = []
        self.is_answering = True

    def send(self, topic: str, value: bytes, key: bytes) -> Future:
        self.sent.append((topic, value, key))
        answer = Future()
        if self.is_answering or topic != NO_KAFKA.topic("requests"):
            answer.success(None)
        else:
            self.owed.append(answer)
        return answer

    def flush(self, timeout: float) -> None:
        pass

    def close(self, timeout: float) -> None:
        pass

    def of(self, role: str) -> list[bytes]:
        return [value for topic, value, _ in self.sent if topic == NO_KAFKA.topic(role)]

    def counts(self) -> InterceptorStats:
        return msgspec.json.decode(self.of("interceptor-stats")[-1], type=InterceptorStats)


@pytest.fixture
def producer() -> Producer:
    return Producer()


@pytest.fixture
def sending(producer: Producer) -> Iterator[Sender]:
    made = Sender(NO_KAFKA, IngestCounts(NOON), 3, connect=lambda kafka: producer)
    yield made
    made.stop(10)


def records(*ids: str) -> list[Any]:
    return [record_of(msgspec.convert(a_request(one), RequestEvent)) for one in ids]


def test_a_batch_is_done_when_each_record_is_acknowledged(
    sending: Sender, producer: Producer
) -> None:
    producer.is_answering = False
    done = sending.submit(records("a", "b"))
    assert done is not None
    wait_until(lambda: len(producer.owed) == 2, what="both are sent")
    producer.owed[0].success(None)
    assert not done.done()
    producer.owed[1].success(None)
    assert done.result(10) is True


def test_records_have_the_contracts_key(sending: Sender, producer: Producer) -> None:
    done = sending.submit(records("a"))
    assert done is not None
    assert done.result(10)
    assert producer.sent[0][2] == partition_key("shop", "v1")


def test_one_refused_record_fails_its_batch_and_takes_a_new_producer(
    producer: Producer,
) -> None:
    producers = [producer, Producer()]
    made = Sender(NO_KAFKA, IngestCounts(NOON), 3, connect=lambda kafka: producers.pop(0))
    producer.is_answering = False
    done, second = made.submit(records("a", "b")), producers[-1]
    assert done is not None
    wait_until(lambda: len(producer.owed) == 2, what="both are sent")
    producer.owed[0].success(None)
    producer.owed[1].failure(KafkaTimeoutError())
    assert done.result(10) is False
    again = made.submit(records("c"))
    assert again is not None
    assert again.result(20) is True
    assert len(second.of("requests")) == 1
    made.stop(10)
    counted = second.counts()
    assert (counted.observed, counted.sent, counted.queued) == (3, 2, 0)
    assert counted.dropped == {"not_acknowledged": 1}


def test_beyond_its_bound_nothing_is_taken(sending: Sender, producer: Producer) -> None:
    producer.is_answering = False
    assert sending.submit(records("a", "b")) is not None
    assert sending.submit(records("c", "d")) is None
    wait_until(lambda: len(producer.owed) == 2, what="both are sent")
    for answer in producer.owed:
        answer.success(None)
    producer.is_answering = True
    assert wait_until(lambda: sending.submit(records("c", "d")), what="there is room")


def test_without_kafka_a_batch_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sender, "DEADLINE_S", 0.2)

    def refuse(_kafka: object) -> None:
        raise KafkaConnectionError("nobody there")

    counts = IngestCounts(NOON)
    made = Sender(NO_KAFKA, counts, 3, connect=refuse)
    done = made.submit(records("a", "b"))
    assert done is not None
    assert done.result(10) is False
    made.stop(10)
    (told,) = counts.news()
    assert (told.observed, told.sent, told.queued) == (2, 0, 0)


def test_the_ledger_is_told_site_by_site(sending: Sender, producer: Producer) -> None:
    events = [msgspec.convert(a_request(one, site_id=one), RequestEvent) for one in ("a", "b")]
    done = sending.submit([record_of(event) for event in events])
    assert done is not None
    assert done.result(10)
    sending.stop(10)
    told = [
        msgspec.json.decode(value, type=InterceptorStats)
        for value in producer.of("interceptor-stats")
    ]
    newest = {one.site_id: (one.observed, one.sent, one.queued) for one in told}
    assert newest == {"a": (1, 1, 0), "b": (1, 1, 0)}
    assert len({one.instance for one in told}) == 2


def test_sites_beyond_a_thousand_are_counted_together() -> None:
    counts = IngestCounts(NOON)
    for number in range(1_010):
        counts.taken(f"site-{number}")
    told = counts.news()
    assert len(told) == 1_001
    assert {one.site_id: one.observed for one in told}["other-sites"] == 10


@pytest.fixture
def client(
    tmp_path: Path, producer: Producer, monkeypatch: pytest.MonkeyPatch
) -> Iterator[httpx.Client]:
    """An API on loopback whose producer answers as the test says."""
    monkeypatch.setattr(Sender.__init__, "__defaults__", (lambda kafka: producer,))
    new_history(tmp_path).dispose()
    with client_of(tmp_path, sites="shop, blog", ingest_queue=3) as client:
        yield client


def post(client: httpx.Client, *items: Any, **headers: str) -> httpx.Response:
    body = "\n".join(json.dumps(item) for item in items)
    return client.post(
        EVENTS, content=body, headers={"Content-Type": "application/x-ndjson"} | headers
    )


def test_on_loopback_an_event_is_taken_without_a_key(
    client: httpx.Client, producer: Producer
) -> None:
    answer = client.post(EVENTS, json=a_request())
    assert (answer.status_code, answer.json()) == (200, {"accepted": 1, "errors": []})
    (value,) = producer.of("requests")
    assert msgspec.json.decode(value, type=RequestEvent).event_id == "e1"
    assert client.post(EVENTS, json=a_request()).status_code == 200, "again: the job counts it once"


def test_each_item_is_judged_by_itself(client: httpx.Client, producer: Producer) -> None:
    some = post(client, a_request("a"), a_request("b", status=0), a_request("c", site_id="x"))
    assert some.status_code == 207
    assert some.json()["accepted"] == 1
    assert [(one["index"], one["field"]) for one in some.json()["errors"]] == [
        (1, "status"),
        (2, "site_id"),
    ]
    none = post(client, a_request("b", colour="red"))
    assert none.status_code == 422
    assert none.headers["content-type"] == "application/problem+json"
    assert none.json()["errors"][0]["field"] == "colour"
    assert len(producer.of("requests")) == 1


@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"{}", {"Content-Type": "application/json", "Content-Encoding": "gzip"}, 415),
        (b"[{", {"Content-Type": "application/json"}, 422),
        (b" " * 1_000_001, {"Content-Type": "application/json"}, 413),
        (b" " * 1_000_001, {"Content-Type": "application/json", "Content-Length": "1"}, 413),
        (b" " * 1_000_000, {"Content-Type": "application/json"}, 422),
    ],
)
def test_bodies_that_are_refused_whole(
    client: httpx.Client, content: bytes, headers: dict[str, str], status: int
) -> None:
    answer = client.post(EVENTS, content=content, headers=headers)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_full_queue_is_a_429(client: httpx.Client, producer: Producer) -> None:
    producer.is_answering = False
    first: list[int] = []
    waiting = threading.Thread(
        target=lambda: first.append(post(client, a_request("a"), a_request("b")).status_code)
    )
    waiting.start()
    wait_until(lambda: len(producer.owed) == 2, what="both are sent")
    full = post(client, a_request("c"), a_request("d"))
    assert (full.status_code, full.headers["retry-after"]) == (429, "1")
    for answer in producer.owed:
        answer.success(None)
    waiting.join(20)
    assert first == [200]


def test_more_than_ever_fits_is_a_413(client: httpx.Client) -> None:
    assert post(client, *(a_request(f"e{n}") for n in range(4))).status_code == 413


def test_what_kafka_does_not_acknowledge_in_time_is_a_503(
    client: httpx.Client, producer: Producer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "DEADLINE_S", 0.1)
    producer.is_answering = False
    answer = post(client, a_request("a"))
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
    assert "send them again" in answer.json()["detail"]
    for owed in producer.owed:
        owed.success(None)


@pytest.mark.parametrize(
    ("scopes", "status"), [(("ingest",), 200), (("read", "admin"), 403), ((), 401)]
)
def test_where_keys_are_needed_it_takes_the_scope(
    tmp_path: Path,
    producer: Producer,
    monkeypatch: pytest.MonkeyPatch,
    scopes: tuple[Scope, ...],
    status: int,
) -> None:
    monkeypatch.setattr(Sender.__init__, "__defaults__", (lambda kafka: producer,))
    headers = bearer(new_key(tmp_path, *scopes)) if scopes else {}
    with client_of(tmp_path, require_keys=True) as client:
        assert client.post(EVENTS, json=a_request(), headers=headers).status_code == status


def test_a_key_bound_to_a_site_sends_no_others(
    tmp_path: Path, client: httpx.Client, producer: Producer
) -> None:
    headers = bearer(new_key(tmp_path, "ingest", site="blog"))
    answer = post(client, a_request("a"), a_request("b", site_id="blog"), **headers)
    assert answer.status_code == 207
    assert answer.json()["errors"][0]["error"] == "the key may send events of blog only"


def test_a_foreign_page_sends_no_events(client: httpx.Client) -> None:
    answer = client.post(EVENTS, json=a_request(), headers={"Origin": "http://evil.example"})
    assert answer.status_code == 403
