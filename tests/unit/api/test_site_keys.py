"""A key of one site reads only that site, whatever it asks for."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from api.history.writer import HistoryWriter
from api.live.filters import OtherSiteError, confined
from contracts.live import Subscription
from tests.support.access import bearer, new_key
from tests.support.api import client_of
from tests.support.history import a_slice, new_history
from tests.support.messages import MINUTE, NOON, a_session

SCOPES = ("read", "export", "admin")


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A client with a key of the site shop, in a history of two sites."""
    folder: Path = tmp_path_factory.mktemp("sites")
    sessions = [
        a_session("in-shop", visitor_id="v"),
        a_session("in-blog", visitor_id="v", site_id="blog"),
        a_session("merged", site_id="blog", status="merged", merged_into="in-blog"),
    ]
    key = new_key(folder, *SCOPES, site="shop")
    engine = new_history(folder)
    HistoryWriter(engine, clock=lambda: NOON).take([a_slice("sessions", sessions)])
    engine.dispose()
    with client_of(folder, clock=lambda: NOON + MINUTE, require_keys=True) as client:
        client.headers.update(bearer(key))
        yield client


def test_lists_exports_and_statistics_are_of_the_site(shop: httpx.Client) -> None:
    items = shop.get("/api/v1/sessions").json()["items"]
    assert [item["session_id"] for item in items] == ["in-shop"]
    export = shop.get("/api/v1/sessions/export?fields=session_id").text
    assert export == '{"session_id":"in-shop"}\n'
    assert shop.get("/api/v1/stats").json()["sessions"] == 1
    top = shop.get("/api/v1/stats/top?dimension=site").json()["items"]
    assert [item["value"] for item in top] == ["shop"]
    assert shop.get("/api/v1/visitors/v").json()["sessions"] == 1


@pytest.mark.parametrize(
    "address",
    [
        "/api/v1/sessions?site=blog",
        "/api/v1/sessions?site=shop&site=blog",
        "/api/v1/sessions?s%69te=blog&limit=5",
        "/api/v1/sessions?site=",
        "/api/v1/sessions/export?site=blog",
        "/api/v1/stats?site=blog",
        "/api/v1/stats/top?dimension=path&site=blog",
        "/api/v1/visitors/v?site=blog",
        "/api/v1/ledger",
        "/api/v1/audit",
        "/metrics",
        "/api/v2/not-yet-there",
    ],
)
def test_what_is_of_another_site_or_of_all_is_refused(shop: httpx.Client, address: str) -> None:
    answer = shop.get(address)
    assert answer.status_code == 403
    assert "is for the site 'shop' only" in answer.json()["detail"]


def test_sessions_of_other_sites_are_not_there(shop: httpx.Client) -> None:
    assert shop.get("/api/v1/sessions/in-shop").status_code == 200
    for session_id in ("in-blog", "merged", "no-such"):
        answer = shop.get(f"/api/v1/sessions/{session_id}")
        assert answer.status_code == 404
        assert answer.json()["detail"] == f"No session has the id {session_id!r}."


def test_one_is_told_the_site(shop: httpx.Client) -> None:
    assert shop.get("/api/v1/login").json()["site"] == "shop"


def test_the_live_channel_is_of_the_site() -> None:
    assert confined(Subscription(), None) == Subscription()
    assert confined(Subscription(), "shop") == Subscription(site=("shop",))
    assert confined(Subscription(site=("shop",)), "shop") == Subscription(site=("shop",))
    assert confined(Subscription(), "!odd") == Subscription(site=("!!odd",))
    for others in (("blog",), ("shop", "blog"), ("!blog",)):
        with pytest.raises(OtherSiteError, match="'shop'"):
            confined(Subscription(site=others), "shop")
