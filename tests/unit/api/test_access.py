"""The parts that the gate is made of: limits, addresses, tokens, last use."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine

from api.access import store, tokens
from api.access.address import address_finder, is_loopback, network, networks
from api.access.limits import Limit
from contracts import ContractError
from tests.support.access import bearer, new_key
from tests.support.api import client_of
from tests.support.history import new_history

NOON = 1_772_366_400_000


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    opened = new_history(tmp_path)
    yield opened
    opened.dispose()


def test_a_limit_fills_up_again_with_time() -> None:
    limit = Limit(each_minute=2)
    assert [limit.take("a", 0), limit.take("a", 0)] == [0, 0]
    assert limit.take("a", 0) == pytest.approx(30)
    assert limit.take("a", 29) > 0
    assert limit.take("a", 31) == 0
    assert limit.take("b", 0) == 0


def test_a_limit_below_one_a_minute_lets_one_pass() -> None:
    limit = Limit(each_minute=0.1)
    assert limit.take("a", 0) == 0
    assert limit.take("a", 0) == pytest.approx(600)


def test_a_limits_memory_is_bounded() -> None:
    limit = Limit(each_minute=2, most_names=100)
    for number in range(1_000):
        limit.take(f"name-{number}", 0)
    assert len(limit) == 100


def scope(peer: str, forwarded: str = "") -> dict[str, Any]:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    return {"type": "http", "client": (peer, 1), "headers": headers}


@pytest.mark.parametrize(
    ("trusted", "peer", "forwarded", "found"),
    [
        ("", "203.0.113.9", "1.2.3.4", "203.0.113.9"),
        ("10.0.0.0/8", "203.0.113.9", "1.2.3.4", "203.0.113.9"),
        ("10.0.0.0/8", "10.0.0.1", "1.2.3.4", "1.2.3.4"),
        ("10.0.0.0/8", "10.0.0.1", "6.6.6.6, 1.2.3.4", "1.2.3.4"),
        ("10.0.0.0/8", "10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2", "1.2.3.4"),
        ("10.0.0.0/8", "10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.0/8", "10.0.0.1", "junk", "unknown"),
        ("", "2001:db8:1:2:3::4", "", "2001:db8:1:2::"),
        ("", "::ffff:1.2.3.4", "", "1.2.3.4"),
    ],
)
def test_only_trusted_proxies_say_who_asks(
    trusted: str, peer: str, forwarded: str, found: str
) -> None:
    assert address_finder(networks(trusted))(scope(peer, forwarded)) == found


def test_a_network_that_is_none_is_named() -> None:
    with pytest.raises(ContractError, match=r"CLICKWAKE_API_TRUSTED_PROXIES has '10\.0\.0'"):
        networks("127.0.0.1, 10.0.0")


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("203.0.113.9", "203.0.113.0/24"),
        ("2001:db8:1:2::3", "2001:db8:1::/48"),
        ("unknown", None),
        (None, None),
    ],
)
def test_no_whole_address_is_kept(address: str | None, kept: str | None) -> None:
    assert network(address) == kept


@pytest.mark.parametrize(("host", "is_it"), [("127.0.0.1", True), ("::1", True), ("", False)])
def test_loopback(host: str, is_it: bool) -> None:
    assert is_loopback(host) is is_it


def test_keys_and_log_ins_are_random_and_long() -> None:
    keys = {tokens.new_key().text for _ in range(1_000)}
    assert len(keys) == 1_000
    assert {len(key.rpartition("_")[2]) * 4 for key in keys} == {256}
    assert len({tokens.new_login() for _ in range(1_000)}) == 1_000


def test_a_use_is_written_once_a_minute(tmp_path: Path, engine: Engine) -> None:
    key_id = new_key(tmp_path, "read").split("_")[1]
    seen = []
    for now in (NOON, NOON + 59_999, NOON + 60_000):
        with engine.begin() as connection:
            store.note_use(connection, key_id, now)
        with engine.connect() as connection:
            seen.append(store.all_keys(connection)[0].last_used)
    assert seen == [NOON, NOON, NOON + 60_000]


@pytest.fixture
def closed(tmp_path: Path, engine: Engine) -> Iterator[httpx.Client]:
    with client_of(tmp_path, require_keys=True) as client:
        yield client


def test_a_key_in_an_address_opens_nothing(tmp_path: Path, closed: httpx.Client) -> None:
    key = new_key(tmp_path, "read")
    for name in ("key", "api_key", "access_token", "token"):
        answer = closed.get(f"/api/v1/sessions?{name}={key}")
        assert answer.status_code == 401
        assert key not in answer.text


@pytest.mark.parametrize("path", ["/api/v1/logout", "/api/v1/events"])
def test_nothing_changes_by_a_get(tmp_path: Path, closed: httpx.Client, path: str) -> None:
    answer = closed.get(path, headers=bearer(new_key(tmp_path, "read", "ingest")))
    assert answer.status_code in {404, 405}


@pytest.mark.parametrize("path", ["sessions", "stats", "ledger", "audit", "login"])
def test_answers_are_in_no_cache(tmp_path: Path, closed: httpx.Client, path: str) -> None:
    key = new_key(tmp_path, "read", "admin")
    answer = closed.get(f"/api/v1/{path}", headers=bearer(key))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"


def test_no_other_origin_may_read(closed: httpx.Client) -> None:
    for method in ("GET", "OPTIONS"):
        headers = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
        answer = closed.request(method, "/api/v1/login", headers=headers)
        assert not [name for name in answer.headers if name.startswith("access-control-")]
