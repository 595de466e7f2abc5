"""The client's rules: what it asks, what an answer means, when it asks again."""

from datetime import UTC, datetime
from random import Random
from typing import Any

import msgspec
import pytest

from clickwake_client import ApiError, UnreachableError
from clickwake_client.asking import Asking
from clickwake_client.following import Follower, MissedError, live_address
from clickwake_client.pace import Backoff
from clickwake_client.paging import Page, query, read_page
from contracts.live import Heartbeat, LiveCounts, Pong, Snapshot, Update
from tests.support.messages import NOON, a_session, encoded

COUNTS = LiveCounts(open_sessions=1, open_bots=0, minutes=[])
EMPTY = b'{"items":[],"next_cursor":null}'


def test_filters_are_the_apis_parameters() -> None:
    filters: dict[str, Any] = {
        "from_": datetime(2026, 3, 1, 12, tzinfo=UTC),
        "to": NOON,
        "status": ["open", "closed"],
        "site": "shop",
        "country": None,
        "exact": True,
    }
    assert query(filters, 100, "c1") == {
        "from": "2026-03-01T12:00:00+00:00",
        "to": "1772366400000",
        "status": "open,closed",
        "site": "shop",
        "exact": "true",
        "limit": "100",
        "cursor": "c1",
    }
    assert "cursor" not in query({}, 100, None)


def test_a_time_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="has no time zone"):
        query({"from_": datetime(2026, 3, 1, 12)}, 1, None)  # noqa: DTZ001


def test_a_page_is_typed_by_the_contract() -> None:
    body = b'{"items":[%b],"next_cursor":"c2","new":1}' % encoded(a_session("s1"))
    assert read_page(200, body) == Page([a_session("s1")], "c2")


def test_a_refusal_says_what_and_which_call() -> None:
    with pytest.raises(ApiError, match="422: limit is wrong") as raised:
        read_page(422, b'{"detail":"limit is wrong","request_id":"r1"}')
    assert (raised.value.status, raised.value.request_id) == (422, "r1")


def test_what_is_no_clickwake_is_named() -> None:
    for status, body in ((200, b"<html>"), (200, b'{"items":3}'), (404, b"<html>")):
        with pytest.raises(ApiError, match="is this a Clickwake API"):
            read_page(status, body)


def test_a_busy_api_is_asked_again_when_it_says() -> None:
    asking = Asking("http://api", tries=3)
    assert asking.answered(503, {"retry-after": "2"}, b"") == 2.0
    assert 0.5 <= asking.answered(503, {}, b"") <= 1.0  # type: ignore[operator]
    with pytest.raises(ApiError, match="still busy"):
        asking.answered(503, {}, b'{"detail":"still busy"}')
    assert Asking("http://api", tries=3).answered(200, {}, EMPTY) == Page([], None)


def test_an_api_that_stays_away_is_given_up() -> None:
    asking = Asking("http://api", tries=2)
    assert 0.25 <= asking.failed(OSError("refused")) <= 0.5
    with pytest.raises(UnreachableError, match="http://api does not answer: refused"):
        asking.failed(OSError("refused"))


def test_waits_grow_to_half_a_minute_and_begin_again() -> None:
    backoff = Backoff(Random(1))
    waits = [backoff.failed() for _ in range(12)]
    limits = [0.5, 1, 2, 4, 8, 16, 30, 30, 30, 30, 30, 30]
    assert all(limit / 2 <= wait <= limit for wait, limit in zip(waits, limits, strict=True))
    backoff.worked()
    assert backoff.failed() <= 0.5


def snapshot(sequence: int) -> bytes:
    return msgspec.json.encode(
        Snapshot(sequence=sequence, server_time=NOON, sessions=[a_session()], counts=COUNTS)
    )


def update(sequence: int) -> bytes:
    return msgspec.json.encode(
        Update(
            sequence=sequence, server_time=NOON, sessions=[], counts=COUNTS, newest_response=None
        )
    )


def test_messages_follow_each_other() -> None:
    follower = Follower()
    first, second = follower.take(snapshot(1)), follower.take(update(2))
    assert isinstance(first, Snapshot)
    assert first.sessions == [a_session()]
    assert isinstance(second, Update)
    heartbeat = Heartbeat(sequence=3, server_time=NOON, pipeline_age_ms=None)
    assert follower.take(msgspec.json.encode(heartbeat)) == heartbeat
    assert follower.take(msgspec.json.encode(Pong(sent=1.0, server_time=2.0))) is None


@pytest.mark.parametrize("wrong", [update(3), update(1), b"no JSON", b'{"type":"other"}'])
def test_a_hole_is_never_passed_over(wrong: bytes) -> None:
    follower = Follower()
    follower.take(snapshot(1))
    with pytest.raises(MissedError):
        follower.take(wrong)


def test_the_live_address() -> None:
    assert live_address("http://127.0.0.1:8020/") == "ws://127.0.0.1:8020/api/v1/live"
    assert live_address("https://stats.example") == "wss://stats.example/api/v1/live"
