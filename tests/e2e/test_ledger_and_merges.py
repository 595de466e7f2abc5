"""Every request is accounted for where people look; sessions that become one flow together."""

import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from contracts.kafka import KafkaSettings
from spark_jobs.parse import Record
from tests.support.job import produce
from tests.support.journey import MINUTE, Journey, record_of
from tests.support.stack import RunningStack
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PATIENCE_MS = 60_000

WATCH = """() => {
  window.seen = [];
  const note = () => {
    for (const row of document.querySelectorAll("[data-session]")) {
      const kinds = ["is-leaving", "is-lit"].filter((kind) => row.classList.contains(kind));
      for (const kind of kinds) window.seen.push([row.dataset.session, kind,
        row.innerText.includes("took in another session"), getComputedStyle(row).animationName]);
    }
  };
  new MutationObserver(note).observe(document.querySelector("[data-testid=sessions]"),
    { subtree: true, childList: true, attributes: true, characterData: true });
}"""
"""Remembers each effect that a row has shown, however short."""


@pytest.fixture
def kafka(stack: RunningStack) -> KafkaSettings:
    """The stack's own topics."""
    return KafkaSettings(bootstrap_servers=stack.kafka)


def before_now(minutes: int) -> str:
    return f"{datetime.now(UTC) - timedelta(minutes=minutes):%Y-%m-%d %H:%M:%S}"


def a_visitor() -> str:
    return f"visitor-{uuid.uuid4().hex}"


def send(kafka: KafkaSettings, journey: Journey, *numbers: int) -> None:
    records = [record_of(journey.events[number], 0) for number in numbers]
    produce(kafka, "requests", records)


def opened(browser: Browser, stack: RunningStack, path: str = "/", **options: Any) -> Page:
    context = browser.new_context(viewport={"width": 1440, "height": 900}, **options)
    page = context.new_page()
    page.goto(f"{stack.api}{path}")
    expect(page.get_by_test_id("badge")).to_contain_text("Live", timeout=PATIENCE_MS)
    return page


def row(page: Page, session_id: str) -> Any:
    return page.locator(f"[data-session='{session_id}']")


def sessions_of(stack: RunningStack, visitor: str) -> dict[str, str]:
    """Entry page → session id of a visitor's sessions."""
    found = stack.sessions("site=shop&bots=include")
    return {s["entry_page"]: s["session_id"] for s in found if s["visitor_id"] == visitor}


def a_bridge(stack: RunningStack, kafka: KafkaSettings) -> tuple[str, str, Callable[[], None]]:
    """Two sessions of one visitor, and how to send the request that joins them."""
    journey = Journey(a_visitor(), before_now(40))
    journey.view("/first").view("/between", after=20 * MINUTE).view("/second", after=20 * MINUTE)
    send(kafka, journey, 0, 2)
    visitor = journey.visitor_id
    known = wait_until(
        lambda: len(found := sessions_of(stack, visitor)) == 2 and found, 60, "two sessions"
    )
    assert isinstance(known, dict)
    return known["/first"], known["/second"], lambda: send(kafka, journey, 1)


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_a_row_flows_into_the_one_that_takes_it_in(
    stack: RunningStack, browser: Browser, kafka: KafkaSettings, motion: str
) -> None:
    first, second, join = a_bridge(stack, kafka)
    page = opened(browser, stack, reduced_motion=motion)
    expect(row(page, first)).to_contain_text("Closed", timeout=PATIENCE_MS)
    expect(row(page, second)).to_contain_text("Open", timeout=PATIENCE_MS)
    page.evaluate(WATCH)
    join()
    expect(row(page, second)).to_have_count(0, timeout=PATIENCE_MS)
    expect(row(page, first)).to_contain_text("/second")
    expect(row(page, first)).to_contain_text("Open")
    seen = {tuple(each) for each in page.evaluate("window.seen")}
    moves = motion == "no-preference"
    assert (second, "is-leaving", False, "absorb" if moves else "none") in seen
    assert (first, "is-lit", True, "light-up" if moves else "none") in seen
    assert {(session, kind) for session, kind, *_ in seen} == {
        (second, "is-leaving"),
        (first, "is-lit"),
    }
    page.context.close()


def test_a_row_in_focus_stands_still_until_the_reader_leaves_it(
    stack: RunningStack, browser: Browser, kafka: KafkaSettings
) -> None:
    _, second, join = a_bridge(stack, kafka)
    page = opened(browser, stack)
    link = row(page, second).locator("a")
    link.focus(timeout=PATIENCE_MS)
    place = place_of(page, second)
    page.evaluate(WATCH)
    join()
    expect(row(page, second)).to_contain_text("Merged", timeout=PATIENCE_MS)
    assert place_of(page, second) == place
    assert all(session != second for session, *_ in page.evaluate("window.seen"))
    link.blur()
    expect(row(page, second)).to_have_count(0, timeout=PATIENCE_MS)
    page.context.close()


def place_of(page: Page, session_id: str) -> int:
    rows = "[...document.querySelectorAll('[data-session]')].map((row) => row.dataset.session)"
    place: int = page.evaluate(f"(id) => {rows}.indexOf(id)", session_id)
    return place


def test_an_open_session_follows_its_merge(
    stack: RunningStack, browser: Browser, kafka: KafkaSettings
) -> None:
    first, second, join = a_bridge(stack, kafka)
    page = opened(browser, stack, f"/#/session/{second}")
    timeline = page.get_by_test_id("timeline")
    expect(timeline).to_contain_text("/second", timeout=PATIENCE_MS)
    expect(timeline).not_to_contain_text("/between")
    join()
    expect(timeline).to_contain_text("/between", timeout=PATIENCE_MS)
    expect(timeline).to_contain_text("/first")
    assert page.url.endswith(f"#/session/{first}")
    wait_until(
        lambda: stack.get(f"/api/v1/sessions/{second}")["session"]["session_id"] == first,
        60,
        "the history redirects",
    )
    page.goto(f"{stack.api}/#/session/{second}")
    page.reload()
    expect(page.get_by_test_id("timeline")).to_contain_text("/between", timeout=PATIENCE_MS)
    expect(page).to_have_url(f"{stack.api}/#/session/{first}")
    page.context.close()


def test_every_request_is_accounted_for(
    stack: RunningStack, page: Page, browser: Browser, kafka: KafkaSettings
) -> None:
    page.goto(f"{stack.site}/")
    before = stack.get("/api/v1/ledger")["total"]
    journey = Journey(a_visitor(), before_now(1)).view("/one").view("/two").view("/three")
    send(kafka, journey, 0, 1, 2, 1)
    produce(kafka, "requests", [Record(b"shop/somebody", b"no JSON", 0, 0)])

    def grown() -> dict[str, int]:
        total = stack.get("/api/v1/ledger")["total"]
        return {column: total[column] - before[column] for column in total}

    wait_until(
        lambda: (
            (found := grown())["duplicates"] == 1
            and found["dead_letters"] == 1
            and found["events"] >= 4
        ),
        90,
        "each request in its column",
    )
    wait_until(lambda: stack.get("/api/v1/ledger")["interceptors"]["sent"] > 0, 60, "the site's")
    ledger = stack.get("/api/v1/ledger")
    assert ledger["balances"], ledger["detail"]
    assert sum(ledger["total"].values()) == 2 * ledger["total"]["requests"]

    dashboard = opened(browser, stack)
    panel = dashboard.get_by_test_id("ledger")
    expect(panel.get_by_role("status")).to_have_text("Balances", timeout=PATIENCE_MS)
    expect(panel).to_contain_text(f"{ledger['total']['dead_letters']:,} dead letters")
    counts = panel.get_by_test_id("interceptors")
    expect(counts).to_be_hidden()
    panel.locator("summary").focus()
    dashboard.keyboard.press("Enter")
    expect(counts).to_contain_text("Sent")
    expect(panel.get_by_test_id("processes")).to_contain_text("demo ")
    expect(panel).to_contain_text("to read, the job said")
    dashboard.context.close()


def test_the_ledger_on_the_command_line(stack: RunningStack) -> None:
    shown = stack.run("ledger", "--data", str(stack.data))
    assert shown.returncode == 0, shown.stdout + shown.stderr
    assert "every request is accounted for, in each bucket" in shown.stdout
    read = stack.run("ledger", "--api", stack.api, "--json", "--buckets")
    assert read.returncode == 0, read.stderr
    found = json.loads(read.stdout)
    assert found["balances"]
    assert found["buckets"]


def test_figures_of_today_are_of_the_readers_day(stack: RunningStack, browser: Browser) -> None:
    page = opened(browser, stack, timezone_id="Pacific/Kiritimati")
    for name, period in (("Today", "today"), ("Yesterday", "yesterday"), ("7 d", "last_7_days")):
        with page.expect_response(lambda answer: "/api/v1/stats" in answer.url) as asked:
            page.get_by_role("group", name="Period").get_by_role("button", name=name).click()
        assert asked.value.status == 200
        assert f"period={period}&time_zone=Pacific%2FKiritimati" in asked.value.url
    with page.expect_response(lambda answer: "time_zone=UTC" in answer.url):
        page.get_by_test_id("preferences").click()
        page.get_by_role("button", name="UTC").click()
    page.context.close()
