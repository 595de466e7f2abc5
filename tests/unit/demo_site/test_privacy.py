"""Visitors say no by their browser or by the shop's switch, and nothing is logged of them."""

import pytest

from tests.unit.demo_site.shop import open_shop


def test_the_switch_ends_and_resumes_the_recording() -> None:
    shop, seen = open_shop()
    answer = shop.post("/consent", data={"recorded": "no", "back": "/cart"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/cart")
    assert "HttpOnly" in answer.headers["set-cookie"]
    assert "You said: do not record me." in shop.get("/cart").text
    shop.post("/cw", json={"kind": "page", "path": "/"}, headers={"Sec-Fetch-Site": "same-origin"})
    assert seen.events == []
    assert seen.ledger.stats(0).dropped == {"excluded_path": 1, "opted_out": 2}
    shop.post("/consent", data={"recorded": "yes"})
    assert "This visit is recorded." in shop.get("/privacy").text
    assert [event.path for event in seen.events] == ["/privacy"]


@pytest.mark.parametrize("signal", ["DNT", "Sec-GPC"])
def test_what_the_browser_says_is_shown_and_honoured(signal: str) -> None:
    shop, seen = open_shop()
    page = shop.get("/privacy", headers={signal: "1"}).text
    assert "This visit is not being recorded." in page
    assert page.count("nothing is logged") == 1
    assert seen.events == []


@pytest.mark.parametrize(
    "back", ["//evil.example", "/\\evil.example", "https://evil.example", "", "/a\r\nb"]
)
def test_the_switch_leads_nowhere_else(back: str) -> None:
    answer = open_shop()[0].post("/consent", data={"recorded": "no", "back": back})
    assert answer.headers["location"] == "/privacy"
