"""Questions of one's own, kept as views; and a pipeline that says what to do and does it."""

import re
import uuid
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, expect

from contracts import WATERMARK_END, WATERMARK_START
from contracts.kafka import KafkaSettings
from spark_jobs.parse import Record
from tests.e2e.axe import findings
from tests.support.job import produce, tell
from tests.support.journey import HOUR, MINUTE, Journey, at, record_of
from tests.support.stack import RunningStack
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

PATIENCE_MS = 60_000
BACKFILL_MS = 240_000
LATE_DAY = "2026-01-20"


@pytest.fixture
def kafka(stack: RunningStack) -> KafkaSettings:
    return KafkaSettings(bootstrap_servers=stack.kafka)


def opened(browser: Browser, stack: RunningStack, path: str, **options: Any) -> Page:
    size = options.pop("viewport", {"width": 1440, "height": 900})
    page = browser.new_context(viewport=size, locale="en-GB", **options).new_page()
    page.goto(f"{stack.api}/{path}")
    expect(page.locator("main.page")).to_be_visible(timeout=PATIENCE_MS)
    return page


def no_findings_in_both_themes(page: Page) -> None:
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
        assert [one for one in findings(page) if ".skip" not in one] == []


def ago(minutes: int) -> str:
    return f"{datetime.now(UTC) - timedelta(minutes=minutes):%Y-%m-%d %H:%M:%S}"


@pytest.fixture
def shoppers(stack: RunningStack, kafka: KafkaSettings) -> str:
    """Three visits to pages that no other test has, one of which signs up; the pages' prefix."""
    prefix = f"/explored-{uuid.uuid4().hex[:8]}"
    journeys = [
        Journey(f"{prefix}-{n}", ago(3))
        .view(f"{prefix}/start")
        .view(f"{prefix}/cart", after=MINUTE)
        for n in range(3)
    ]
    journeys[0].custom(f"joined{prefix.replace('/', '-')}", f"{prefix}/cart", after=MINUTE)
    produce(kafka, "requests", [record_of(one, 0) for each in journeys for one in each.events])
    question = f"/api/v1/stats/top?dimension=path&path={prefix}/*&from=-1h"
    wait_until(lambda: len(stack.get(question)["items"]) == 2, 60, "the visits are there")
    return prefix


def test_a_funnel_is_clicked_together_kept_and_shared(
    stack: RunningStack, browser: Browser, shoppers: str
) -> None:
    page = opened(browser, stack, "#/explore")
    expect(page.get_by_text("Click at least two pages")).to_be_visible()
    own = page.get_by_label("Path or pattern, as /blog/*")
    for step in ("start", "cart"):
        own.fill(f"{shoppers}/{step}")
        own.press("Enter")
    expect(page.get_by_test_id("funnel-lead")).to_contain_text("3 of 3 sessions (100 %)")
    page.get_by_role("button", name=re.compile(f"joined{shoppers.replace('/', '-')}")).click()
    expect(page.get_by_test_id("funnel-lead")).to_contain_text("1 of 3 sessions (33 %)")
    rows = page.get_by_test_id("funnel-table").locator("tbody tr")
    expect(rows.nth(2)).to_contain_text("−2")
    no_findings_in_both_themes(page)

    name = f"Sign-up {shoppers}"
    page.get_by_label("Name for this view").fill(name)
    page.get_by_role("button", name="Save", exact=True).click()
    link = page.get_by_role("link", name=name)
    expect(link).to_be_visible()
    page.get_by_role("button", name="Start over").click()
    expect(page.get_by_test_id("steps")).to_have_count(0)
    link.click()
    expect(page.get_by_test_id("funnel-lead")).to_contain_text("1 of 3 sessions")
    page.get_by_role("button", name=f"Delete the view {name}").click()
    expect(link).to_have_count(0)
    actions = [one["action"] for one in stack.get("/api/v1/audit")["items"]]
    assert {"view_saved", "view_deleted"} <= set(actions)
    page.context.close()


def test_retention_and_paths_are_tables_too(
    stack: RunningStack, browser: Browser, shoppers: str
) -> None:
    page = opened(browser, stack, "#/explore/retention", viewport={"width": 420, "height": 800})
    expect(page.get_by_test_id("retention")).to_contain_text("First visit in the week of")
    no_findings_in_both_themes(page)
    page.get_by_role("link", name="Paths").click()
    page.get_by_label("Start page").fill(f"{shoppers}/start")
    page.get_by_label("Start page").press("Enter")
    row = page.get_by_test_id("paths-table").locator("tbody tr").first
    expect(row).to_contain_text(f"{shoppers}/cart")
    expect(row).to_contain_text("100 %")
    expect(page.get_by_test_id("sankey")).to_be_visible()
    no_findings_in_both_themes(page)
    page.get_by_role("button", name=f"{shoppers}/cart").click()
    expect(page).to_have_url(re.compile("cart"))
    page.go_back()
    expect(row).to_contain_text(f"{shoppers}/cart")
    page.context.close()


def test_a_record_under_a_wrong_key_is_shown_and_replayed(
    stack: RunningStack, browser: Browser, kafka: KafkaSettings
) -> None:
    visitor = f"misplaced-{uuid.uuid4().hex[:8]}"
    event = Journey(visitor, ago(1)).view("/misplaced").events[0]
    wrong = Record(key=b"wrong", value=msgspec.json.encode(event), offset=0, broker_time=0)
    produce(kafka, "requests", [wrong])
    wait_until(
        lambda: stack.get("/api/v1/dead-letters?reason=wrong_key")["items"], 60, "a dead letter"
    )
    page = opened(browser, stack, "#/pipeline")
    expect(page.get_by_test_id("findings")).to_contain_text("could not be read")
    letters = page.get_by_test_id("letters")
    letters.get_by_role("button", name=re.compile("^Wrong key")).click()
    row = letters.locator("tbody tr").first
    row.get_by_role("button", name="Raw record of").click()
    expect(letters.locator("pre")).to_contain_text(visitor, timeout=PATIENCE_MS)
    row.get_by_role("checkbox").check()
    letters.get_by_test_id("replay").click()
    expect(letters.get_by_test_id("replayed")).to_contain_text(
        "Sent to the requests topic again: 1", timeout=PATIENCE_MS
    )
    wait_until(lambda: stack.sessions(f"visitor={visitor}"), 60, "it is a session")
    letters.get_by_test_id("replay").click()
    expect(letters.get_by_test_id("replayed")).to_contain_text(
        "in the history already: 1", timeout=PATIENCE_MS
    )
    expect(page.get_by_test_id("accounts")).to_contain_text("Balances")
    page.get_by_text("By bucket").click()
    expect(page.get_by_test_id("buckets")).to_contain_text("requests/0")
    expect(page.get_by_test_id("storage")).to_contain_text("Topic requests")
    expect(page.get_by_test_id("sites-table")).to_contain_text("demo")
    no_findings_in_both_themes(page)
    page.context.close()


def test_a_late_event_is_placed_by_a_backfill_from_the_page(
    stack: RunningStack, browser: Browser, kafka: KafkaSettings
) -> None:
    journey = Journey(f"behind-{uuid.uuid4().hex[:8]}", f"{LATE_DAY} 10:00:00").view("/in")
    journey.view("/between", after=10 * MINUTE).view("/out", after=10 * MINUTE)
    first, late, last = (record_of(one, n) for n, one in enumerate(journey.events))
    tell(kafka, WATERMARK_START)
    produce(kafka, "replay", [first, last])
    tell(kafka, at(f"{LATE_DAY} 10:00:00") + 3 * HOUR)
    produce(kafka, "replay", [late])
    tell(kafka, WATERMARK_END)
    wait_until(lambda: is_placed(stack, journey) is False, 60, "a late event")
    page = opened(browser, stack, "#/pipeline")
    page.get_by_test_id("apply").click()
    orders = page.get_by_test_id("backfills").locator("li").first
    expect(orders).to_contain_text(re.compile("Waiting|Running"), timeout=PATIENCE_MS)
    expect(page.get_by_test_id("apply")).to_be_disabled()
    expect(orders).to_contain_text("Done", timeout=BACKFILL_MS)
    orders.get_by_text("What it said").click()
    expect(orders.locator("pre")).to_contain_text("The history has them")
    wait_until(lambda: is_placed(stack, journey), 60, "it is in a session")
    page.context.close()


def is_placed(stack: RunningStack, journey: Journey) -> bool | None:
    """Whether the visitor's late event is in a session; None when it is not listed."""
    for one in stack.get("/api/v1/late-events?limit=500")["items"]:
        if one["event"]["visitor_id"] == journey.visitor_id:
            return bool(one["placed"])
    return None
