"""Notes that people pin to a day: who may, who sees them, and what the audit log has of it."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.access.rules import needed_scope
from tests.support.access import bearer, new_key
from tests.support.api import client_of
from tests.support.history import new_history

ANNOTATIONS = "/api/v1/annotations"
NOON = 1_772_366_400_000  # 2026-03-01T12:00:00Z


@pytest.fixture
def client(tmp_path: Path) -> Iterator[httpx.Client]:
    """An API that needs no keys."""
    new_history(tmp_path).dispose()
    with client_of(tmp_path, lambda: NOON) as client:
        yield client


def pin(client: httpx.Client, day: str, text: str, **fields: str) -> httpx.Response:
    return client.post(ANNOTATIONS, json={"day": day, "text": text} | fields)


def texts(client: httpx.Client, query: str = "") -> list[str]:
    return [item["text"] for item in client.get(f"{ANNOTATIONS}?{query}").json()["items"]]


def test_a_note_is_kept_shown_and_taken_away(client: httpx.Client) -> None:
    made = pin(client, "2026-03-01", "  New shop ")
    assert made.status_code == 201
    note = made.json()
    assert note == {
        "annotation_id": note["annotation_id"],
        "day": "2026-03-01",
        "site_id": None,
        "text": "New shop",
        "author": "",
        "created": NOON,
    }
    assert client.get(ANNOTATIONS).json() == {"items": [note]}
    gone = client.delete(f"{ANNOTATIONS}/{note['annotation_id']}")
    assert gone.status_code == 204
    assert texts(client) == []
    again = client.delete(f"{ANNOTATIONS}/{note['annotation_id']}")
    assert again.status_code == 404
    assert note["annotation_id"] in again.json()["detail"]


def test_notes_come_by_day_of_a_range_and_a_site(client: httpx.Client) -> None:
    pin(client, "2026-03-03", "third")
    pin(client, "2026-03-01", "first")
    pin(client, "2026-03-01", "first, too", site="shop")
    pin(client, "2026-03-02", "second", site="blog")
    assert texts(client) == ["first", "first, too", "second", "third"]
    assert texts(client, "from=2026-03-02&to=2026-03-03") == ["second", "third"]
    assert texts(client, "to=2026-03-01") == ["first", "first, too"]
    assert texts(client, "site=shop") == ["first", "first, too", "third"]


@pytest.mark.parametrize(
    "body",
    [
        {"day": "2026-02-30", "text": "no such day"},
        {"day": "2026-03-01", "text": "   "},
        {"day": "2026-03-01", "text": "a\0b"},
        {"day": "2026-03-01", "text": "x" * 501},
        {"day": "2026-03-01", "text": "x", "colour": "red"},
        {"text": "when?"},
    ],
)
def test_a_note_that_is_none_is_refused(client: httpx.Client, body: dict[str, str]) -> None:
    answer = client.post(ANNOTATIONS, json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert texts(client) == []


def test_days_that_end_before_they_begin_are_a_422(client: httpx.Client) -> None:
    answer = client.get(f"{ANNOTATIONS}?from=2026-03-02&to=2026-03-01")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["parameter"] == "to"


def test_where_keys_are_needed_only_administrators_write(tmp_path: Path) -> None:
    new_history(tmp_path).dispose()
    reader, admin = new_key(tmp_path, "read", "erase"), new_key(tmp_path, "read", "admin")
    with client_of(tmp_path, require_keys=True) as closed:
        body = {"day": "2026-03-01", "text": "New shop"}
        refused = closed.post(ANNOTATIONS, json=body, headers=bearer(reader))
        assert refused.status_code == 403
        assert "'admin'" in refused.json()["detail"]
        made = closed.post(ANNOTATIONS, json=body, headers=bearer(admin)).json()
        assert made["author"] == "a test's"
        seen = closed.get(ANNOTATIONS, headers=bearer(reader)).json()
        assert seen == {"items": [made]}
        address = f"{ANNOTATIONS}/{made['annotation_id']}"
        assert closed.delete(address, headers=bearer(reader)).status_code == 403
        assert closed.delete(address, headers=bearer(admin)).status_code == 204
        entries = closed.get("/api/v1/audit", headers=bearer(admin)).json()["items"]
    told = [(entry["action"], entry["detail"]) for entry in entries]
    assert ("annotation_made", "2026-03-01: New shop") in told
    assert ("annotation_deleted", "2026-03-01: New shop") in told
    actor = f"key {admin.split('_')[1]}"
    assert {entry["actor"] for entry in entries if entry["action"].startswith("ann")} == {actor}


def test_a_page_of_a_foreign_origin_may_not_write(client: httpx.Client) -> None:
    body = {"day": "2026-03-01", "text": "New shop"}
    answer = client.post(ANNOTATIONS, json=body, headers={"Origin": "https://evil.example"})
    assert answer.status_code == 403
    assert texts(client) == []


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", ANNOTATIONS, "read"),
        ("POST", ANNOTATIONS, "admin"),
        ("DELETE", f"{ANNOTATIONS}/018f", "admin"),
        ("DELETE", f"{ANNOTATIONS}-elsewhere", "erase"),
    ],
)
def test_the_scopes(method: str, path: str, scope: str) -> None:
    assert needed_scope(method, path) == scope
