"""What happens inside a page of the demo shop reaches its session, and the dashboard shows it."""

from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.stack import RunningStack
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PATIENCE_MS = 60_000
# A visitor whom no other test of the shared stack is.
ELSEWHERE = {"X-Forwarded-For": "89.160.20.112"}


@pytest.fixture
def visitor(browser: Browser, page: Page) -> Page:
    agent = page.evaluate("navigator.userAgent")
    context = browser.new_context(user_agent=agent, extra_http_headers=ELSEWHERE)
    return context.new_page()


def test_a_visit_is_told_by_its_pages(stack: RunningStack, visitor: Page, page: Page) -> None:
    faults: list[str] = []
    visitor.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    visitor.goto(f"{stack.site}/category/kitchen")
    visitor.get_by_role("link", name="price").click()
    expect(visitor.locator("main > .grid h2").first).to_have_text("Tall mug")
    begun = visitor.evaluate("performance.now()")
    wait_until(lambda: visitor.evaluate("performance.now()") - begun > 1_200, 30)
    visitor.go_back()
    expect(visitor.locator("main > .grid h2").first).to_have_text("Harbour kettle")
    visitor.goto(f"{stack.site}/product/tall-mug")
    visitor.get_by_role("button", name="Add to cart").click()
    visitor.wait_for_url("**/cart")

    session = wait_until(lambda: whole(stack), 60, "a session with all of it")
    # The shelf, the shelf sorted in place and back, the mug, the form, and the cart.
    assert (session["pages"], session["custom_events"]) == (6, 1)
    assert session["entry_page"] == "/category/kitchen"
    assert session["exit_page"] == "/cart"
    assert 1_000 <= session["engaged_ms"] < 120_000
    events = stack.get(f"/api/v1/sessions/{session['session_id']}")["events"]
    views = [event for event in events if event["kind"] == "page"]
    assert [event.get("origin") for event in views[:3]] == [None, "beacon", "beacon"]
    (custom,) = (event for event in events if event["kind"] == "custom")
    assert custom["name"] == "add_to_cart"
    assert custom["properties"] == {"product": "tall-mug", "number": "1"}
    names = stack.get("/api/v1/stats?site=demo&bots=include")["event_names"]
    assert {"name": "add_to_cart", "events": 1} in names

    page.goto(f"{stack.api}/#/session/{session['session_id']}")
    timeline = page.get_by_test_id("timeline")
    expect(timeline).to_contain_text("add_to_cart product=tall-mug", timeout=PATIENCE_MS)
    expect(timeline).to_contain_text("Read /category/kitchen")
    assert not faults
    visitor.context.close()


def whole(stack: RunningStack) -> dict[str, Any] | None:
    """The visitor's session once everything has reached it."""
    for session in stack.sessions("site=demo&bots=include"):
        if session["custom_events"] and session["engaged_ms"] and session["pages"] >= 6:
            return session
    return None
