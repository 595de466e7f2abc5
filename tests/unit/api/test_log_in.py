"""Logging in with a key, logging out, and what the audit log has of it."""

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.access import store
from tests.support.access import bearer, new_key
from tests.support.api import client_of
from tests.support.history import new_history
from tests.support.waiting import wait_until

LOGIN, LOGOUT, AUDIT = "/api/v1/login", "/api/v1/logout", "/api/v1/audit"
SESSIONS = "/api/v1/sessions"
UNKNOWN = f"cw_{'0' * 12}_{'5ec2e7' * 10}0000"
OWN = {"Origin": "http://localhost"}


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[httpx.Client]:
    """An API that needs keys."""
    new_history(tmp_path).dispose()
    with client_of(tmp_path, require_keys=True, login_lifetime="12h") as client:
        yield client


def log_in(client: httpx.Client, key: str, **headers: str) -> httpx.Response:
    return client.post(LOGIN, json={"key": key}, headers=OWN | headers)


def actions(client: httpx.Client, admin: str) -> list[tuple[str, str]]:
    items = client.get(AUDIT, headers=bearer(admin)).json()["items"]
    return [(item["action"], item["subject"] or item["actor"]) for item in items]


def test_a_key_becomes_a_cookie_that_scripts_cannot_read(
    tmp_path: Path, closed: httpx.Client
) -> None:
    key = new_key(tmp_path, "read")
    answer = log_in(closed, key)
    assert answer.status_code == 204
    cookie = answer.headers["set-cookie"]
    assert re.fullmatch(
        r"clickwake-login=cwl_[0-9a-f]{64}; Path=/; Max-Age=43200; HttpOnly; SameSite=Strict",
        cookie,
    )
    assert closed.get(SESSIONS).status_code == 200
    assert closed.get(LOGIN).json() == {
        "needs_key": True,
        "key_id": key.split("_")[1],
        "name": "a test's",
        "scopes": ["read"],
        "site": None,
        "expires": closed.get(LOGIN).json()["expires"],
    }


@pytest.mark.parametrize(
    "headers", [{"Origin": "https://localhost"}, {"X-Forwarded-Proto": "https"}]
)
def test_behind_https_the_cookie_is_secure(
    tmp_path: Path, closed: httpx.Client, headers: dict[str, str]
) -> None:
    cookie = log_in(closed, new_key(tmp_path, "read"), **headers).headers["set-cookie"]
    assert cookie.startswith("__Host-clickwake-login=cwl_")
    assert cookie.endswith("; Secure")


def test_who_logs_out_is_a_stranger(tmp_path: Path, closed: httpx.Client) -> None:
    log_in(closed, new_key(tmp_path, "read"))
    token = closed.cookies["clickwake-login"]
    answer = closed.post(LOGOUT, headers=OWN)
    assert answer.status_code == 204
    assert all("Max-Age=0" in one for one in answer.headers.get_list("set-cookie"))
    stolen = {"Cookie": f"clickwake-login={token}"}
    assert closed.get(SESSIONS, headers=stolen).status_code == 401


def test_every_log_in_has_a_token_of_its_own_and_ends_the_one_before(
    tmp_path: Path, closed: httpx.Client
) -> None:
    key = new_key(tmp_path, "read")
    log_in(closed, key)
    first = closed.cookies["clickwake-login"]
    log_in(closed, key)
    assert closed.cookies["clickwake-login"] != first
    assert closed.get(SESSIONS).status_code == 200
    closed.cookies.clear()
    former = {"Cookie": f"clickwake-login={first}"}
    assert closed.get(SESSIONS, headers=former).status_code == 401


def test_a_log_in_does_not_outlive_its_key(tmp_path: Path) -> None:
    now = 1_800_000_000_000
    key = new_key(tmp_path, "read", expires=now + 60_000)
    with client_of(tmp_path, lambda: now, require_keys=True) as client:
        assert "; Max-Age=60;" in log_in(client, key).headers["set-cookie"]


def test_revoking_a_key_ends_its_log_ins(tmp_path: Path) -> None:
    key, now = new_key(tmp_path, "read"), [1_900_000_000_000]
    with client_of(tmp_path, lambda: now[0], require_keys=True) as client:
        log_in(client, key)
        assert client.get(SESSIONS).status_code == 200
        engine = new_history(tmp_path)
        with engine.begin() as connection:
            store.revoke_key(connection, key.split("_")[1], now[0])
        engine.dispose()
        now[0] += 5_000
        assert client.get(SESSIONS).status_code == 401


def test_a_cookie_alone_does_not_let_a_foreign_page_act(
    tmp_path: Path, closed: httpx.Client
) -> None:
    log_in(closed, new_key(tmp_path, "read"))
    assert closed.post(LOGOUT, headers={"Origin": "http://evil.example"}).status_code == 403
    assert closed.get(SESSIONS).status_code == 200


def test_a_foreign_page_may_not_log_anyone_in(tmp_path: Path, closed: httpx.Client) -> None:
    refused = log_in(closed, new_key(tmp_path, "read"), Origin="http://evil.example")
    assert refused.status_code == 403
    assert "set-cookie" not in refused.headers


def test_wrong_keys_are_refused_and_after_ten_not_even_looked_at(closed: httpx.Client) -> None:
    found = [log_in(closed, f"cw_{n:012x}_{'0' * 64}").status_code for n in range(11)]
    assert found == [401] * 10 + [429]


def test_a_key_makes_no_endless_log_ins(tmp_path: Path, closed: httpx.Client) -> None:
    key = new_key(tmp_path, "read")
    found = [log_in(closed, key) for _ in range(21)]
    assert [answer.status_code for answer in found] == [204] * 20 + [429]
    assert found[-1].headers["retry-after"] in {"2", "3"}


@pytest.mark.parametrize(
    "body", [b"", b"no JSON", b'{"key":1}', b'{"kay":"cw_"}', b'{"key":"%s"}' % (b"x" * 300)]
)
def test_a_body_that_is_no_log_in_is_said_to_be_wrong(closed: httpx.Client, body: bytes) -> None:
    headers = OWN | {"Content-Type": "application/json"}
    answer = closed.post(LOGIN, content=body, headers=headers)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_beyond_the_limit_is_refused(closed: httpx.Client) -> None:
    told = closed.post(LOGIN, content=b" " * 65_537, headers=OWN)
    untold = closed.post(LOGIN, content=b" " * 65_537, headers=OWN | {"Content-Length": "1"})
    assert (told.status_code, untold.status_code) == (413, 413)
    assert "65,536 bytes" in told.json()["detail"]
    assert "65,536 bytes" in untold.json()["detail"]


def test_every_change_is_in_the_audit_log(tmp_path: Path, closed: httpx.Client) -> None:
    key, admin = new_key(tmp_path, "read"), new_key(tmp_path, "admin")
    actor = f"key {key.split('_')[1]}"
    log_in(closed, key)
    closed.post(LOGOUT, headers=OWN)
    log_in(closed, UNKNOWN)
    log_in(closed, UNKNOWN)
    closed.cookies.clear()
    closed.get(AUDIT, headers=bearer(key))
    closed.get(AUDIT, headers=bearer(key))
    wait_until(lambda: len(actions(closed, admin)) == 4, what="the refusals are entered")
    assert actions(closed, admin) == [
        ("scope_denied", "scope admin"),
        ("log_in_refused", "key 000000000000"),
        ("log_out", actor),
        ("log_in", actor),
    ]
    networks = {item["network"] for item in audit_items(closed, admin)}
    assert networks == {"127.0.0.0/24"}


def audit_items(client: httpx.Client, admin: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = client.get(AUDIT, headers=bearer(admin)).json()["items"]
    return found


def test_the_audit_log_has_pages_and_is_for_administrators(
    tmp_path: Path, closed: httpx.Client
) -> None:
    key, admin = new_key(tmp_path, "read"), new_key(tmp_path, "admin")
    for _ in range(3):
        log_in(closed, key)
        closed.cookies.clear()
    assert closed.get(AUDIT, headers=bearer(new_key(tmp_path, "read"))).status_code == 403
    first = closed.get(f"{AUDIT}?limit=2", headers=bearer(admin)).json()
    rest = closed.get(f"{AUDIT}?before={first['next_before']}", headers=bearer(admin)).json()
    assert len(first["items"]) == 2
    log_ins = [one for one in first["items"] + rest["items"] if one["action"] == "log_in"]
    assert len({one["entry_id"] for one in log_ins}) == 3
    assert rest["next_before"] is None


def test_strangers_learn_whether_and_not_why(tmp_path: Path, closed: httpx.Client) -> None:
    assert closed.get("/healthz").json() == {"alive": True}
    assert closed.get("/readyz").json() == {"ready": False}
    readable = closed.get("/readyz", headers=bearer(new_key(tmp_path, "read"))).json()
    assert "database" in readable["components"]
    with_a_wrong_key = closed.get("/healthz", headers=bearer(UNKNOWN))
    assert (with_a_wrong_key.status_code, with_a_wrong_key.json()) == (200, {"alive": True})


def test_no_secret_is_in_any_log_answer_or_file(
    tmp_path: Path, closed: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    """Canaries through every place a key can be put, right and wrong."""
    key = new_key(tmp_path, "read", "ingest")
    canaries = [key.rpartition("_")[2], UNKNOWN.rpartition("_")[2]]
    seen = ""
    with caplog.at_level(logging.DEBUG):
        for text in (key, UNKNOWN):
            answers = [
                log_in(closed, text),
                closed.post(LOGIN, json={"kay": text}, headers=OWN),
                closed.post(LOGIN, json={"key": [text]}, headers=OWN),
                closed.post(LOGIN, content=text.encode(), headers=OWN),
                closed.get(SESSIONS, headers=bearer(text)),
                closed.get(SESSIONS, headers=bearer(text + "0")),
                closed.get(SESSIONS, headers={"X-Clickwake-Key": text}),
                closed.get(AUDIT, headers=bearer(text)),
                closed.get("/readyz", headers=bearer(text)),
            ]
            seen += "".join(answer.text for answer in answers)
        token = closed.cookies["clickwake-login"]
        closed.post(LOGOUT, headers=OWN)
    seen += caplog.text.replace("Response", "")
    kept = b"".join(file.read_bytes() for file in tmp_path.glob("history.db*"))
    for canary in (*canaries, token):
        assert canary not in seen
        assert canary.encode() not in kept
