"""Saved views: kept for everyone, changed by administrators, and leading nowhere else."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Engine

from api.views import store
from api.views.store import FullError, Wish
from tests.support.access import bearer, new_key
from tests.support.api import client_of
from tests.support.history import new_history

VIEWS = "/api/v1/views"
FUNNEL = {"page": "explore", "name": "Check-out", "parameters": "?country=DE#/explore/funnel"}


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return new_history(tmp_path)


@pytest.fixture
def api(engine: Engine, tmp_path: Path) -> Iterator[httpx.Client]:
    with client_of(tmp_path, clock=lambda: 7_000) as client:
        yield client


def names(api: httpx.Client, query: str = "", **more: Any) -> list[str]:
    answer = api.get(f"{VIEWS}{query}", **more)
    assert answer.status_code == 200, answer.text
    return [one["name"] for one in answer.json()["items"]]


def test_a_view_is_there_for_everyone_until_it_is_deleted(api: httpx.Client) -> None:
    made = api.post(VIEWS, json=FUNNEL)
    assert made.status_code == 201
    view = made.json()
    assert {name: view[name] for name in FUNNEL} == FUNNEL
    assert view["created"] == 7_000
    api.post(VIEWS, json=FUNNEL | {"name": " Another "})
    api.post(VIEWS, json=FUNNEL | {"page": "history", "name": "March"})
    assert names(api) == ["Another", "Check-out", "March"]
    assert names(api, "?page=history") == ["March"]
    assert api.delete(f"{VIEWS}/{view['view_id']}").status_code == 204
    assert names(api, "?page=explore") == ["Another"]
    assert api.delete(f"{VIEWS}/{view['view_id']}").status_code == 404
    actions = [one["action"] for one in api.get("/api/v1/audit").json()["items"]]
    assert actions == ["view_deleted", "view_saved", "view_saved", "view_saved"]


@pytest.mark.parametrize(
    "change",
    [
        {"name": "  "},
        {"name": "x" * 81},
        {"parameters": "javascript:alert(1)"},
        {"parameters": "//elsewhere.example/#/explore"},
        {"parameters": "?a=1 #/explore"},
        {"parameters": ""},
        {"page": "../x"},
        {"colour": "red"},
    ],
)
def test_what_is_no_link_into_the_dashboard_is_refused(
    api: httpx.Client, change: dict[str, str]
) -> None:
    assert api.post(VIEWS, json=FUNNEL | change).status_code == 422
    assert names(api) == []


def test_readers_see_views_and_administrators_change_them(engine: Engine, tmp_path: Path) -> None:
    reader, admin = new_key(tmp_path, "read", "erase"), new_key(tmp_path, "read", "admin")
    with client_of(tmp_path, require_keys=True) as api:
        assert api.post(VIEWS, json=FUNNEL, headers=bearer(reader)).status_code == 403
        made = api.post(VIEWS, json=FUNNEL, headers=bearer(admin)).json()
        assert made["author"] == "a test's"
        assert names(api, headers=bearer(reader)) == ["Check-out"]
        address = f"{VIEWS}/{made['view_id']}"
        assert api.delete(address, headers=bearer(reader)).status_code == 403
        assert api.delete(address, headers=bearer(admin)).status_code == 204


def test_there_are_not_endlessly_many(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "MOST", 2)
    with engine.begin() as connection:
        for name in ("a", "b"):
            store.add(connection, Wish("explore", name, "#/explore"), "", 0)
        with pytest.raises(FullError):
            store.add(connection, Wish("explore", "c", "#/explore"), "", 0)
