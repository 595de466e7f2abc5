"""A click on the demo site becomes a live session on the dashboard."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.stack import RunningStack
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PATIENCE_MS = 60_000


def test_one_sees_ones_own_visit_appear_and_change(
    stack: RunningStack, page: Page, browser: Browser
) -> None:
    faults: list[str] = []
    dashboard = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    dashboard.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    dashboard.on("pageerror", lambda error: faults.append(str(error)))
    outside: list[str] = []
    dashboard.on("request", lambda r: outside.append(r.url) if stack.api not in r.url else None)
    dashboard.goto(f"{stack.api}/")
    expect(dashboard.get_by_test_id("badge")).to_contain_text("Live", timeout=PATIENCE_MS)

    page.goto(f"{stack.site}/")
    # What a page reports while it is left goes out without the address and the browser's name that
    # this window only pretends to have: to the site that is someone else.
    rows = dashboard.get_by_test_id("sessions").locator("[data-session]").filter(has_text="London")
    expect(rows).to_have_count(1, timeout=PATIENCE_MS)
    expect(rows.first).to_contain_text("London")
    expect(dashboard.get_by_test_id("people")).to_contain_text("1")

    page.locator("a[href^='/product/']").first.click()
    page.wait_for_load_state()
    product = re.sub(r"^https?://[^/]+", "", page.url)
    expect(rows.first).to_contain_text(product, timeout=PATIENCE_MS)
    expect(rows).to_have_count(1)
    expect(dashboard.get_by_test_id("delay")).to_contain_text(re.compile(r"\d"))

    rows.first.locator("a").first.click()
    timeline = dashboard.get_by_test_id("timeline")
    expect(timeline).to_contain_text(product, timeout=PATIENCE_MS)
    page.goto(f"{stack.site}/cart")
    expect(timeline).to_contain_text("/cart", timeout=PATIENCE_MS)
    dashboard.keyboard.press("Escape")
    expect(timeline).to_be_hidden()

    assert not outside, "the dashboard must ask nobody else"
    assert not faults
    dashboard.context.close()


def test_the_shop_links_to_the_dashboard_and_its_api_calls_are_counted(
    stack: RunningStack, page: Page
) -> None:
    page.goto(f"{stack.site}/")
    link = page.locator(f"a[href^='{stack.api}']").first
    expect(link).to_be_visible()
    page.goto(f"{stack.site}/product/" + _first_product(page))
    page.wait_for_load_state("networkidle")
    session = wait_until(lambda: _with_api_calls(stack), 60, "a session with API calls")
    events = stack.get(f"/api/v1/sessions/{session['session_id']}")["events"]
    assert events[0]["path"] == "/"
    assert {event["kind"] for event in events} - {"engagement"} == {"page", "api"}
    assert {event["network"] for event in events} == {"81.2.69.0/24"}
    assert all("client_ip" not in event for event in events)


def _first_product(page: Page) -> str:
    link = page.locator("a[href^='/product/']").first.get_attribute("href")
    assert link
    return link.rsplit("/", 1)[1]


def _with_api_calls(stack: RunningStack) -> dict[str, Any] | None:
    sessions = stack.sessions("site=demo&bots=include")
    return next((session for session in sessions if session["api_calls"]), None)
