"""The live page: filters, keyboard, languages, what is broken, and what is hostile."""

import gzip
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest
from playwright.sync_api import Browser, Page, WebSocketRoute, expect

from contracts import SessionUpdate, steering
from contracts.kafka import KafkaSettings
from contracts.steering import TrafficNow, TrafficWish, Wishes
from infra.kafka_broker import EmbeddedBroker
from tests.e2e.axe import findings
from tests.support.dashboards import (
    FRANCE,
    PHONE,
    LivePage,
    a_request,
    campaign,
    live_page,
    now,
    somebody,
)
from tests.support.job import ROOT
from tests.support.kafka import fresh_topics
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PATIENCE_MS = 30_000
BUNDLE_BYTES = 150_000


@cache
def londoner() -> SessionUpdate:
    """Of this moment when it is first asked for: a session of tests may have begun long ago."""
    return somebody("londoner", entry_page="/", exit_page="/cart", pages=3)


@cache
def lyonese() -> SessionUpdate:
    """Another one, from France, on a phone, by a campaign."""
    return somebody(
        "lyonese",
        geo=FRANCE,
        agent=PHONE,
        entry_page="/sale",
        exit_page="/p/desk",
        attribution=campaign("news.example", "spring"),
    )


@pytest.fixture(scope="module")
def live(broker: EmbeddedBroker, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LivePage]:
    """A page on which two people are."""
    folder = tmp_path_factory.mktemp("live-page")
    with live_page(folder, fresh_topics(broker)) as page:
        page.tell(londoner(), lyonese())
        yield page


def opened(browser: Browser, live: LivePage, query: str = "", **options: Any) -> Page:
    plain = {"viewport": {"width": 1440, "height": 900}, "locale": "en-GB"}
    page = browser.new_context(**(plain | options)).new_page()
    page.set_default_timeout(PATIENCE_MS)
    page.goto(live.url + query)
    expect(page.get_by_test_id("badge")).to_contain_text("Live", timeout=PATIENCE_MS)
    return page


def row(page: Page, session_id: str) -> Any:
    return page.locator(f"[data-session='{session_id}']")


def shown(page: Page) -> list[str]:
    rows = page.locator("[data-session]")
    return sorted(rows.evaluate_all("rows => rows.map((row) => row.dataset.session)"))


def test_any_value_filters_all_panels_and_alt_leaves_it_out(
    live: LivePage, browser: Browser
) -> None:
    page = opened(browser, live)
    people = page.get_by_test_id("people")
    expect(row(page, "lyonese")).to_be_visible()
    row(page, "lyonese").get_by_text("France").click()
    expect(row(page, "londoner")).to_have_count(0)
    expect(people).to_contain_text("1")
    expect(page.get_by_test_id("countries").locator("tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"\?country=FR$"))

    page.get_by_role("button", name="Turn round: Country is France").click()
    expect(row(page, "londoner")).to_be_visible()
    assert shown(page) == ["londoner"]
    expect(page.get_by_test_id("breakdown")).to_contain_text("/cart")
    page.get_by_role("button", name="Remove filter: Country is not France").click()

    page.get_by_test_id("breakdown").get_by_text("/p/desk").click(modifiers=["Alt"])
    expect(row(page, "lyonese")).to_have_count(0)
    expect(page).to_have_url(re.compile(r"\?exit=%21%2Fp%2Fdesk$"))
    page.reload()
    expect(row(page, "londoner")).to_be_visible()
    assert shown(page) == ["londoner"]
    page.get_by_role("button", name="Clear all").click()
    page.get_by_test_id("countries").get_by_role("button", name="France").focus()
    page.keyboard.press("Alt+Enter")
    expect(page.get_by_test_id("chip")).to_have_text(re.compile("Country.*is not.*France"))

    page.get_by_role("button", name="Clear all").click()
    page.get_by_test_id("add-filter").click()
    form = page.locator(".add-filter form")
    form.locator("select").first.select_option("utm_campaign")
    form.locator("input").fill("spring")
    page.keyboard.press("Enter")
    expect(row(page, "londoner")).to_have_count(0)
    row(page, "lyonese").locator("a").click()
    page.get_by_role("dialog").get_by_role("button", name="Safari").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_test_id("chip")).to_have_count(2)
    page.context.close()


def test_keys_do_everything(live: LivePage, browser: Browser) -> None:
    page = opened(browser, live)
    expect(row(page, "lyonese")).to_be_visible()
    page.keyboard.press("j")
    first = page.evaluate("document.activeElement.dataset.row")
    page.keyboard.press("j")
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.dataset.row") == first
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("timeline")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("timeline")).to_have_count(0)
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("DESK")
    expect(row(page, "londoner")).to_have_count(0)
    assert shown(page) == ["lyonese"]
    page.keyboard.press("Escape")
    page.keyboard.press("Space")
    expect(page.get_by_test_id("badge")).to_have_text("Paused")
    live.tell(msgspec.structs.replace(lyonese(), revision=2, pages=8, last_seen=now()))
    expect(page.get_by_test_id("pause")).to_contain_text("1 new")
    assert "8" not in row(page, "lyonese").locator(".cell-counts").inner_text()
    page.keyboard.press("Space")
    expect(row(page, "lyonese").locator(".cell-counts")).to_contain_text("8")
    page.context.close()


def test_events_appear_and_the_delay_has_parts(live: LivePage, browser: Browser) -> None:
    page = opened(browser, live)
    expect(row(page, "lyonese")).to_be_visible()
    at = now()
    live.tell(
        msgspec.structs.replace(
            londoner(),
            revision=9,
            events=4,
            last_seen=at,
            end=at,
            broker_time=at,
            processed_time=at,
        ),
        a_request(londoner(), "/just/now"),
    )
    expect(page.get_by_test_id("feed")).to_contain_text("/just/now")
    page.get_by_test_id("delay").click()
    parts = page.get_by_test_id("delay-parts")
    for name in ("Site to Kafka", "Kafka to job", "Job to API", "API to screen", "In all"):
        expect(parts).to_contain_text(name)
    page.keyboard.press("Escape")
    page.goto(f"{live.url}?country=FR")
    expect(row(page, "lyonese")).to_be_visible()
    expect(page.get_by_test_id("feed")).not_to_contain_text("/just/now")
    page.context.close()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("size", [(360, 740), (1440, 900)])
def test_axe_finds_nothing(
    live: LivePage, browser: Browser, theme: Any, size: tuple[int, int]
) -> None:
    viewport = {"width": size[0], "height": size[1]}
    page = opened(browser, live, "?country=FR", color_scheme=theme, viewport=viewport)
    expect(row(page, "lyonese")).to_be_visible()
    assert findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.get_by_test_id("preferences").click()
    assert findings(page) == []
    page.keyboard.press("Escape")
    row(page, "lyonese").locator("a").click()
    expect(page.get_by_test_id("timeline")).to_be_visible()
    assert findings(page) == []
    page.context.close()


def test_it_speaks_the_readers_language(live: LivePage, browser: Browser) -> None:
    page = opened(browser, live, locale="de-AT")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(row(page, "lyonese")).to_contain_text("Frankreich")
    expect(page.get_by_test_id("people")).to_contain_text("Menschen")
    page.get_by_test_id("preferences").click()
    page.get_by_role("button", name="English").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(row(page, "lyonese")).to_contain_text("France")
    page.reload()
    expect(row(page, "lyonese")).to_contain_text("France")
    page.context.close()


def test_a_lost_connection_says_what_was_missed_and_heals(live: LivePage, browser: Browser) -> None:
    page = browser.new_context(locale="en-GB").new_page()
    lines: list[WebSocketRoute] = []
    is_cut: list[bool] = []

    def connect(line: WebSocketRoute) -> None:
        if is_cut:
            line.close()
        else:
            line.connect_to_server()
            lines.append(line)

    page.route_web_socket(re.compile("/api/v1/live"), connect)
    page.goto(live.url)
    expect(row(page, "lyonese")).to_be_visible(timeout=PATIENCE_MS)
    is_cut.append(True)
    lines[-1].close()
    badge = page.get_by_test_id("badge")
    expect(badge).to_contain_text("Reconnecting", timeout=PATIENCE_MS)
    live.tell(somebody("meanwhile", exit_page="/meanwhile"))
    is_cut.clear()
    expect(badge).to_contain_text("Live", timeout=PATIENCE_MS)
    expect(page.get_by_test_id("returned")).to_contain_text("1 session changed meanwhile")
    expect(row(page, "meanwhile")).to_be_visible()
    page.context.close()


def test_a_merged_row_leaves_and_the_one_in_focus_stays_where_it_is(
    live: LivePage, browser: Browser
) -> None:
    first, second = somebody("first-part"), somebody("second-part")
    live.tell(first, second)
    page = opened(browser, live)
    link = row(page, "second-part").locator("a")
    link.focus()
    place = row(page, "second-part").get_attribute("aria-rowindex")
    live.tell(
        msgspec.structs.replace(second, revision=2, status="merged", merged_into="first-part"),
        msgspec.structs.replace(first, revision=2, pages=2, last_seen=now()),
    )
    expect(row(page, "second-part")).to_contain_text("Merged")
    assert row(page, "second-part").get_attribute("aria-rowindex") == place
    expect(link).to_be_focused()
    expect(row(page, "first-part")).to_contain_text("took in another session")
    link.blur()
    expect(row(page, "second-part")).to_have_count(0)
    page.context.close()


def test_hostile_values_stay_text(live: LivePage, browser: Browser) -> None:
    script = "<script>window.hostile = 1</script><img src=x onerror='window.hostile = 1'>"
    live.tell(
        somebody(
            "hostile",
            exit_page=f"/{script}",
            entry_page="/\u202egnp.exe\u0007\u0000",
            referrer=f"https://evil.example/{script}",
            attribution=campaign(script, f"\u2067{script}"),
        ),
        somebody("long", exit_page="/" + "x" * 2_000),
    )
    page = opened(browser, live)
    expect(row(page, "hostile")).to_contain_text("<script>window.hostile = 1</script>")
    expect(row(page, "long")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1440
    row(page, "hostile").locator("a").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("onerror='window.hostile = 1'")
    dialog.locator("[data-filter=utm_campaign]").click()
    expect(page.get_by_test_id("chip")).to_contain_text("window.hostile")
    page.reload()
    expect(row(page, "hostile")).to_be_visible()
    assert shown(page) == ["hostile"]
    assert page.evaluate("window.hostile") is None
    page.context.close()


def test_the_first_event_ends_the_waiting(
    broker: EmbeddedBroker, browser: Browser, tmp_path: Any
) -> None:
    kafka: KafkaSettings = fresh_topics(broker)
    nobody = TrafficNow(time=now() + 60_000, traffic=TrafficWish(visitors_per_minute=0))
    steering.write(tmp_path, nobody)
    with live_page(tmp_path, kafka, steering_dir=str(tmp_path)) as live:
        page = browser.new_context(locale="en-GB").new_page()
        page.goto(live.url)
        first_run = page.get_by_test_id("first-run")
        expect(first_run).to_contain_text("Waiting for the first event", timeout=PATIENCE_MS)
        page.get_by_role("button", name="Django").click()
        expect(first_run).to_contain_text("get_wsgi_application")
        assert findings(page) == []
        page.get_by_role("button", name="Send sample visitors").click()
        wait_until(lambda: steering.read(tmp_path, Wishes), 10, "the wish")
        assert steering.read(tmp_path, Wishes) == Wishes(
            traffic=TrafficWish(visitors_per_minute=40)
        )
        live.tell(somebody("first"))
        expect(page.get_by_test_id("first-event")).to_be_visible(timeout=PATIENCE_MS)
        expect(row(page, "first")).to_be_visible()
        page.context.close()


def test_the_bundle_stays_small(live: LivePage) -> None:
    dist = ROOT / "frontend/dashboard/dist/assets"
    wait_until(lambda: [*dist.glob("*.js")], 5, "the built dashboard")
    files = [*dist.glob("*.js"), *dist.glob("*.css")]
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) <= BUNDLE_BYTES
