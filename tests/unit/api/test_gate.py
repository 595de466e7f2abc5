"""The gate: who gets in, with what, and what everyone else is told."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from sqlalchemy import text

from api.access import store
from api.access.rules import needed_scope
from api.access.scopes import SCOPES
from tests.support.access import bearer, new_key
from tests.support.api import client_of
from tests.support.history import new_history

SESSIONS = "/api/v1/sessions"
UNKNOWN = f"cw_{'0' * 12}_{'0' * 64}"


class Clock:
    """Wall time that a test moves."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def closed(tmp_path: Path, clock: Clock) -> Iterator[httpx.Client]:
    """An API that needs keys."""
    new_history(tmp_path).dispose()
    with client_of(tmp_path, clock, require_keys=True) as client:
        yield client


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/", None),
        ("GET", "/assets/index.js", None),
        ("GET", "/healthz", None),
        ("GET", "/readyz", None),
        ("POST", "/api/v1/login", None),
        ("GET", "/metrics", "read"),
        ("GET", "/api/v1/sessions", "read"),
        ("GET", "/api/v2/not-yet-there", "read"),
        ("POST", "/api/v1/live/tickets", "read"),
        ("GET", "/api/v1/sessions/export", "export"),
        ("DELETE", "/api/v1/visitors/v1", "erase"),
        ("POST", "/api/v1/events", "ingest"),
        ("GET", "/api/v1/audit", "admin"),
        ("HEAD", "/api/v1/audit", "admin"),
    ],
)
def test_every_address_of_the_api_needs_a_scope(method: str, path: str, scope: str | None) -> None:
    assert needed_scope(method, path) == scope


def test_on_loopback_nobody_needs_a_key(tmp_path: Path) -> None:
    new_history(tmp_path).dispose()
    with client_of(tmp_path) as client:
        assert client.get(SESSIONS).status_code == 200


def test_without_a_key_the_answer_says_how_to_get_one(closed: httpx.Client) -> None:
    answer = closed.get(SESSIONS)
    assert answer.status_code == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert answer.headers["content-type"] == "application/problem+json"
    assert "./clickwake keys create" in answer.json()["detail"]
    assert "content-security-policy" in answer.headers


def test_a_key_opens_what_its_scopes_say(tmp_path: Path, closed: httpx.Client) -> None:
    reader, admin = new_key(tmp_path, "read"), new_key(tmp_path, "admin")
    assert closed.get(SESSIONS, headers=bearer(reader)).status_code == 200
    assert closed.get(SESSIONS, headers={"X-Clickwake-Key": reader}).status_code == 200
    refused = closed.get(SESSIONS, headers=bearer(admin))
    assert refused.status_code == 403
    assert "needs the scope 'read'" in refused.json()["detail"]
    assert refused.json()["detail"].endswith("has admin.")


def test_a_shown_key_counts_where_none_is_needed(tmp_path: Path) -> None:
    ingest = new_key(tmp_path, "ingest")
    with client_of(tmp_path) as client:
        assert client.get(SESSIONS, headers=bearer(ingest)).status_code == 403
        assert client.get(SESSIONS, headers=bearer(UNKNOWN)).status_code == 401


@pytest.mark.parametrize("header", ["Basic c2hvcDpzaG9w", "Bearer eyJhbGciOi.J9.e30", "Bearer"])
def test_a_proxys_own_log_in_is_no_key(tmp_path: Path, header: str) -> None:
    new_history(tmp_path).dispose()
    with client_of(tmp_path) as client:
        assert client.get(SESSIONS, headers={"Authorization": header}).status_code == 200


def test_half_a_key_opens_nothing(tmp_path: Path, closed: httpx.Client) -> None:
    key = new_key(tmp_path, *SCOPES)
    id_part = key.rpartition("_")[0]
    for wrong in (id_part, key[:-1], f"{id_part}_{'0' * 64}", key + "0", key.upper()):
        assert closed.get(SESSIONS, headers=bearer(wrong)).status_code == 401


def test_a_key_ends_when_it_expires(tmp_path: Path, closed: httpx.Client, clock: Clock) -> None:
    key = new_key(tmp_path, "read", expires=clock.now + 1_000)
    assert closed.get(SESSIONS, headers=bearer(key)).status_code == 200
    clock.now += 1_000
    assert closed.get(SESSIONS, headers=bearer(key)).status_code == 401


def test_a_revoked_key_ends_within_five_seconds(
    tmp_path: Path, closed: httpx.Client, clock: Clock
) -> None:
    key = new_key(tmp_path, "read")
    assert closed.get(SESSIONS, headers=bearer(key)).status_code == 200
    engine = new_history(tmp_path)
    with engine.begin() as connection:
        assert store.revoke_key(connection, key.split("_")[1], clock.now)
    engine.dispose()
    clock.now += 5_000
    assert closed.get(SESSIONS, headers=bearer(key)).status_code == 401


def test_the_secret_is_not_in_the_database(tmp_path: Path, closed: httpx.Client) -> None:
    key = new_key(tmp_path, "read")
    closed.get(SESSIONS, headers=bearer(key))
    files = list(tmp_path.glob("history.db*"))
    assert files
    for file in files:
        assert key.rpartition("_")[2].encode() not in file.read_bytes()


def test_wrong_keys_from_one_address_are_refused_after_ten(
    tmp_path: Path, closed: httpx.Client
) -> None:
    key = new_key(tmp_path, "read")
    assert closed.get(SESSIONS, headers=bearer(key)).status_code == 200
    found = [
        closed.get(SESSIONS, headers=bearer(f"cw_{n:012x}_{'0' * 64}")).status_code
        for n in range(12)
    ]
    assert found == [401] * 10 + [429] * 2
    assert closed.get(SESSIONS, headers=bearer(key)).status_code == 200, "seen a moment ago"


def test_a_key_has_a_limit_of_its_own(tmp_path: Path) -> None:
    one, other = new_key(tmp_path, "read"), new_key(tmp_path, "read")
    with client_of(tmp_path, key_requests_per_minute=3) as client:
        statuses = [client.get(SESSIONS, headers=bearer(one)).status_code for _ in range(4)]
        refused = client.get(SESSIONS, headers=bearer(one))
        assert statuses == [200, 200, 200, 429]
        assert 1 <= int(refused.headers["retry-after"]) <= 20
        assert client.get(SESSIONS, headers=bearer(other)).status_code == 200


def test_a_foreign_page_may_not_change_anything(tmp_path: Path) -> None:
    new_history(tmp_path).dispose()
    with client_of(tmp_path) as client:
        refused = client.post("/api/v1/anything", headers={"Origin": "http://evil.example"})
        assert refused.status_code == 403
        assert "evil.example" in refused.json()["detail"]
        own = client.post("/api/v1/anything", headers={"Origin": "http://localhost"})
        assert own.status_code != 403


def test_a_key_cannot_be_judged_without_the_database(tmp_path: Path) -> None:
    with client_of(tmp_path, require_keys=True) as client:
        answer = client.get(SESSIONS, headers=bearer(UNKNOWN))
    assert answer.status_code == 503
    assert answer.headers["retry-after"] == "2"


def test_a_good_key_stays_good_while_the_database_is_away(
    tmp_path: Path, closed: httpx.Client, clock: Clock
) -> None:
    key = new_key(tmp_path, "read")
    assert closed.get("/api/v1/nothing", headers=bearer(key)).status_code == 404
    engine = new_history(tmp_path)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE api_keys RENAME TO away"))
    engine.dispose()
    clock.now += 60_000
    assert closed.get("/api/v1/nothing", headers=bearer(key)).status_code == 404
    clock.now += 300_000
    assert closed.get("/api/v1/nothing", headers=bearer(key)).status_code == 503
