"""Any days' history in the browser: the period, its numbers, its sessions, and one's whole story.

In front of an API whose history the test wrote: the pipeline has no part in what is past.
"""

import contextlib
import re
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Error, Page, Route, expect

from tests.e2e.axe import findings
from tests.support.api import NO_KAFKA, api_settings, served
from tests.support.history import new_history
from tests.support.messages import MINUTE, an_event
from tests.support.past import DAY, Past, a_past, built_dashboard, keep_past

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PATIENCE_MS = 60_000
HOSTILE = "/<script>alert(1)</script>"
BULK = 250


@cache
def noon() -> int:
    """Yesterday's, when it is first asked for: tests may run over midnight."""
    return time.time_ns() // 1_000_000 // DAY * DAY - DAY // 2


def day(instant: int) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(instant / 1_000))


def a_history() -> list[Past]:
    """Three visitors yesterday, one the day before, and many twenty days ago."""
    many = [
        a_past(f"bulk-{n}", noon() - 20 * DAY + n * MINUTE, ["/bulk"] * (1 + n % 3), country="FR")
        for n in range(BULK)
    ]
    return [
        *many,
        a_past("ann-before", noon() - DAY, ["/"], visitor_id="ann"),
        a_past("ann-now", noon(), ["/", "/products/lamp", HOSTILE], visitor_id="ann"),
        a_past("bob", noon() + MINUTE, ["/", "/cart"], country="US"),
        a_past("cat", noon() + 2 * MINUTE, ["/"], country="US"),
    ]


@pytest.fixture(scope="module", autouse=True)
def patient() -> Iterator[None]:
    """A busy machine may take its time."""
    expect.set_options(timeout=PATIENCE_MS)
    yield
    expect.set_options(timeout=None)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where the dashboard is, in front of that history."""
    folder: Path = tmp_path_factory.mktemp("past")
    engine = new_history(folder)
    tunnel = an_event("lost", path="/tunnel", visitor_id="ann", event_time=noon() + 3 * MINUTE)
    keep_past(engine, a_history(), [tunnel])
    engine.dispose()
    settings = api_settings(folder, dashboard_dir=str(built_dashboard()))
    with served(settings, NO_KAFKA) as api:
        yield f"http://{api.address}"


@contextlib.contextmanager
def opened(browser: Browser, address: str, **options: Any) -> Iterator[Page]:
    """A page of a reader in UTC, on a desktop, and without any fault on its console."""
    plain: dict[str, Any] = {
        "viewport": {"width": 1440, "height": 900},
        "timezone_id": "UTC",
        "locale": "en-GB",
    }
    context = browser.new_context(**(plain | options))
    page = context.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("dialog", lambda dialog: faults.append(dialog.message))
    page.goto(address)
    yield page
    assert not faults
    context.close()


def tile(page: Page, name: str) -> Any:
    return page.get_by_role("group", name="Measure").get_by_role("button", name=name)


def test_a_period_is_chosen_compared_read_and_shared(browser: Browser, address: str) -> None:
    with opened(browser, f"{address}/#/history") as page:
        page.get_by_role("button", name="Yesterday").click()
        expect(tile(page, "Visitors")).to_contain_text("3")
        page.get_by_label("Compare").check()
        expect(tile(page, "Visitors")).to_contain_text("+200 %before 1")
        expect(tile(page, "Bounce rate")).to_contain_text("33 %")
        assert findings(page) == []

        page.get_by_role("button", name="Choose days:").click()
        page.get_by_label("From").fill(day(noon() - 20 * DAY))
        page.get_by_label("To", exact=True).fill(day(noon()))
        assert findings(page) == []
        page.get_by_label("To", exact=True).press("Enter")
        expect(tile(page, "Visitors")).to_contain_text("253")
        chart = page.get_by_role("slider", name="Visitors over time")
        chart.press("Home")
        expect(chart).to_have_attribute("aria-valuetext", contains("250"))
        chart.press("End")
        expect(chart).to_have_attribute("aria-valuetext", contains(": 3."))
        tile(page, "Median visit").click()
        page.get_by_text("As a table").click()
        table = page.get_by_role("table", name="The period's numbers over time")
        expect(table.get_by_role("row")).to_have_count(22)
        assert findings(page) == []

        page.get_by_role("button", name="Time zone").click()
        page.get_by_label("Another place").fill("Pacific/Kiritimati")
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name="Time zone")).to_contain_text("Pacific/Kiritimati")
        expect(chart_named(page, "Median visit")).to_have_attribute(
            "aria-valuetext", contains(": 0 s.")
        )
        shared = page.url
    assert f"range={day(noon() - 20 * DAY)}..{day(noon())}" in shared
    with opened(browser, shared, color_scheme="dark") as page:
        expect(page.get_by_role("button", name="Time zone")).to_contain_text("Pacific/Kiritimati")
        expect(tile(page, "Median visit")).to_have_attribute("aria-pressed", "true")
        expect(page.get_by_label("Compare")).to_be_checked()
        expect(tile(page, "Visitors")).to_contain_text("251")
        assert findings(page) == []


def chart_named(page: Page, measure: str) -> Any:
    return page.get_by_role("slider", name=f"{measure} over time")


def contains(text: str) -> re.Pattern[str]:
    return re.compile(re.escape(text))


def test_values_lead_to_sessions_and_sessions_to_a_file(browser: Browser, address: str) -> None:
    with opened(browser, f"{address}/?range=30d&by=country#/history") as page:
        countries = page.get_by_role("table", name="Sessions by Country")
        expect(countries.get_by_role("row")).to_have_count(4)
        page.get_by_label("Search").first.fill("fra")
        expect(countries.get_by_role("row")).to_have_count(2)
        countries.get_by_role("button", name="France").click()
        expect(page.get_by_test_id("chip")).to_contain_text("France")
        sessions = page.get_by_test_id("history-sessions")
        expect(page.get_by_role("heading", name="Sessions 250")).to_be_visible()
        assert sessions.locator("[data-session]").count() < 60
        for known in (100, 200):
            expect(page.get_by_text(f"{known} of 250 loaded")).to_be_visible()
            sessions.evaluate("(frame) => (frame.scrollTop = frame.scrollHeight)")
        expect(page.get_by_text("These are all of them.")).to_be_visible()
        sessions.evaluate("(frame) => (frame.scrollTop = frame.scrollHeight)")
        expect(sessions.locator("[data-session=bulk-0]")).to_be_visible()

        page.get_by_role("button", name="Duration").click()
        expect(sessions.locator("tr[data-session]").first).to_contain_text("4 min")
        expect(sessions).to_have_js_property("scrollTop", 0)
        page.get_by_role("button", name="Columns").click()
        page.get_by_label("Visitor", exact=True).check()
        assert findings(page) == []
        page.keyboard.press("Escape")
        page.reload()
        expect(sessions.get_by_role("columnheader", name="Visitor")).to_be_visible()
        page.get_by_role("button", name="Export").click()
        with page.expect_download() as download:
            page.get_by_role("link", name="CSV").click()
        lines = download.value.path().read_text().splitlines()
        assert len(lines) == 1 + BULK
        assert "visitor_id" in lines[0]

        page.get_by_role("button", name="Remove filter").click()
        with page.expect_request(lambda asked: "country=%21FR" in asked.url):
            countries.get_by_role("button", name="France").click(modifiers=["Alt"])
        expect(page.get_by_test_id("chip")).to_contain_text("is not")


def test_notes_are_for_everyone(browser: Browser, address: str) -> None:
    german = {
        "viewport": {"width": 375, "height": 800},
        "color_scheme": "dark",
        "locale": "de-DE",
    }
    with opened(browser, f"{address}/#/history") as page:
        page.get_by_role("button", name="Pin a note").click()
        page.get_by_label("Day", exact=True).fill(day(noon()))
        page.get_by_label("What happened").fill(f"New shop {HOSTILE}")
        page.keyboard.press("Enter")
        notes = page.get_by_role("region", name="Notes")
        expect(notes).to_contain_text(f"New shop {HOSTILE}")
        with opened(browser, f"{address}/#/history", **german) as phone:
            expect(phone.get_by_role("region", name="Notizen")).to_contain_text("New shop")
            expect(phone.get_by_role("table", name="Sitzungen nach Seite")).to_be_visible()
            width = phone.evaluate("document.documentElement.scrollWidth")
            assert width == 375, "nothing may stand out at the side"
            assert findings(phone) == []
        remove = notes.get_by_role("button", name="Remove")
        remove.click()
        expect(remove).to_contain_text("for everyone")
        remove.click()
        expect(notes).not_to_contain_text("New shop")


def test_a_session_tells_its_whole_story(browser: Browser, address: str) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    with opened(browser, f"{address}/?range=yesterday#/history", permissions=allowed) as page:
        row = page.locator("[data-session=ann-now] a")
        row.focus()
        page.keyboard.press("ArrowUp")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        story = page.get_by_test_id("timeline")
        expect(story).to_contain_text("1 d of silence")
        expect(story).to_contain_text(HOSTILE)
        expect(story.locator(".event-late")).to_contain_text("Too late by 1 h")
        story.get_by_role("button", name=f"GET {HOSTILE}").click()
        expect(story).to_contain_text('"event_id": "ann-now-2"')
        page.get_by_text("How it changed").click()
        expect(page.get_by_test_id("revisions")).to_contain_text("1.1")
        page.get_by_text("All sessions of this visitor").click()
        expect(page.get_by_role("table", name="2 sessions")).to_be_visible()
        assert findings(page) == []
        page.get_by_role("button", name="Copy link").click()
        assert page.evaluate("navigator.clipboard.readText()") == page.url
        assert page.url.endswith("#/history/session/ann-now")
        page.get_by_role("link", name="Session before").click()
        expect(story).to_contain_text("The first session that the history has")
        expect(story).to_contain_text("The visitor came again")
        page.go_back()
        expect(story).to_contain_text(HOSTILE)
        page.keyboard.press("Escape")
        expect(story).to_be_hidden()


def test_what_fails_is_told_and_what_is_outdated_is_dropped(browser: Browser, address: str) -> None:
    with opened(browser, address) as page:
        refusal = '{"title": "Service Unavailable", "detail": "It takes longer than 30 s."}'
        problem = "application/problem+json"
        page.route(
            "**/stats/timeseries*",
            lambda route: route.fulfill(status=503, body=refusal, content_type=problem),
        )
        held: list[Route] = []

        def hold(route: Route) -> None:
            held.append(route)

        page.route("**/stats/top*dimension=path*", hold)
        page.goto(f"{address}/?range=yesterday#/history")
        expect(page.get_by_test_id("overview").get_by_role("alert")).to_contain_text(
            "Service Unavailable It takes longer than 30 s."
        )
        page.unroute("**/stats/timeseries*")
        page.get_by_role("button", name="Try again").click()
        expect(tile(page, "Visitors")).to_contain_text("3")
        expect(page.get_by_role("alert")).to_have_count(0)

        page.get_by_label("By", exact=True).first.select_option("country")
        countries = page.get_by_role("table", name="Sessions by Country")
        expect(countries).to_contain_text("Germany")
        assert held
        for route in held:
            with contextlib.suppress(Error):  # the page has hung up
                route.continue_()
        page.wait_for_load_state("networkidle")
        expect(countries).to_contain_text("Germany")
        page.get_by_label("By", exact=True).first.select_option("utm_term")
        expect(page.get_by_role("table", name="Sessions by Term")).to_contain_text("(none)")
