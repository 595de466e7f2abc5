"""The demo shop as a visitor finds it: buying, an account, the recorder, the studio."""

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.stack import RunningStack

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

PATIENCE_MS = 60_000
AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/125.0.0.0 Safari/537.36"
)
PASSWORD = "made up for this"


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """A window on the machine itself, whom no other test of the shared stack is."""
    context = browser.new_context(user_agent=AGENT, viewport={"width": 1280, "height": 900})
    yield context.new_page()
    context.close()


@pytest.fixture
def shop(stack: RunningStack, visitor: Page) -> Iterator[Page]:
    """The shop's home page; the test fails when the script of a page does."""
    faults: list[str] = []
    visitor.on("pageerror", lambda error: faults.append(str(error)))
    visitor.goto(f"{stack.site}/")
    yield visitor
    assert not faults


def test_one_buys_something_and_has_an_account(stack: RunningStack, shop: Page) -> None:
    shop.get_by_role("searchbox").fill("wool wide")
    shop.keyboard.press("Enter")
    shop.get_by_role("link", name="Fisher blanket").click()
    shop.get_by_role("link", name="Care", exact=True).click()
    expect(shop).to_have_url(f"{stack.site}/product/fisher-blanket/care")
    expect(shop.get_by_text("Air wool overnight")).to_be_visible()
    shop.go_back()
    expect(shop.get_by_text("mulesing-free")).to_be_visible()
    review = shop.get_by_label("Your review")
    review.fill("<b>Warm</b>")
    shop.get_by_role("button", name="Publish").click()
    expect(shop.locator(".words").first).to_have_text("<b>Warm</b>")
    shop.get_by_role("button", name="Add to cart").click()
    shop.get_by_role("link", name="Check out").click()
    shop.get_by_role("button", name="On to delivery").click()
    shop.get_by_role("button", name="On to payment").click()
    shop.get_by_role("button", name="Place the order").click()
    expect(shop.get_by_role("heading", level=1)).to_contain_text("Thank you")

    shop.goto(f"{stack.site}/signup")
    shop.get_by_label("Name").fill("Ada")
    shop.get_by_label("E-mail").fill("ada@shop.example")
    shop.get_by_label("Password").fill(PASSWORD)
    shop.get_by_role("button", name="Create the account").click()
    expect(shop.get_by_text("Welcome, Ada.")).to_be_visible()
    shop.get_by_label("Name").fill("Ada L.")
    shop.get_by_label("Present password").fill(PASSWORD)
    shop.get_by_role("button", name="Save").click()
    expect(shop.get_by_role("heading", level=1)).to_have_text("Ada L.")
    shop.get_by_role("button", name="Log out").click()
    shop.get_by_role("link", name="Log in").click()
    shop.get_by_label("E-mail").fill("ada@shop.example")
    shop.get_by_label("Password").fill(PASSWORD)
    shop.get_by_role("button", name="Log in").click()
    shop.get_by_label("Password", exact=True).fill(PASSWORD)
    shop.get_by_role("button", name="Delete my account").click()
    expect(shop.get_by_text("Your account is deleted")).to_be_visible()


def test_the_corner_closes_the_loop_and_says_why_not(stack: RunningStack, shop: Page) -> None:
    corner = shop.get_by_role("complementary", name="What was recorded of this visit")
    shop.goto(f"{stack.site}/privacy")
    clicks = corner.get_by_role("listitem")
    own = clicks.filter(has_text="/privacy")
    expect(own).to_contain_text("in your session", timeout=PATIENCE_MS)
    shop.get_by_role("button", name="Call the API").click()
    call = clicks.filter(has_text="/api/products/harbour-kettle/reviews").first
    expect(call).to_contain_text("in your session after", timeout=PATIENCE_MS)
    session = corner.get_by_role("link", name="Session")
    expect(corner.locator(".session")).to_contain_text("open")
    link = session.get_attribute("href") or ""
    found = stack.get(f"/api/v1/sessions/{link.rpartition('/')[2]}")
    assert found["session"]["site_id"] == "demo"
    assert "/privacy" in [event["path"] for event in found["events"]]

    shop.get_by_role("button", name="Look ahead (prefetch)").click()
    expect(corner).to_contain_text("the browser looked ahead")
    shop.get_by_role("button", name="Ask for a picture").click()
    expect(corner).to_contain_text("a picture is part of a page")
    main = shop.get_by_role("main")
    main.get_by_role("button", name="Do not record me").click()
    expect(main).to_contain_text("This visit is not being recorded")
    shop.goto(f"{stack.site}/story")
    expect(shop.get_by_text("Here is the last line.")).to_be_visible(timeout=PATIENCE_MS)
    expect(clicks.filter(has_text="/story")).to_contain_text("you said: do not record me")

    corner.locator("summary").click()
    expect(corner.get_by_role("list")).to_be_hidden()
    shop.goto(f"{stack.site}/about")
    expect(corner.get_by_role("list")).to_be_hidden()


def test_the_studio_steers_the_sample_traffic(stack: RunningStack, shop: Page) -> None:
    shop.goto(f"{stack.site}/studio")
    # Other tests have sent the shared stack some.
    expect(shop.locator("#ledger")).to_contain_text("unreadable", timeout=PATIENCE_MS)
    unreadable = re.search(r"[\d,]+ unreadable", shop.locator("#ledger").inner_text())[0]
    wished = shop.locator("#wished")
    expect(wished).to_have_text("0", timeout=PATIENCE_MS)
    shop.get_by_label("Visits a minute").fill("300")
    shop.get_by_role("button", name="Apply").click()
    begun = time.monotonic()
    expect(wished).to_have_text("300", timeout=PATIENCE_MS)
    assert time.monotonic() - begun < 10
    tunnel = shop.get_by_role("form", name="Phones from a tunnel")
    tunnel.get_by_label("Minutes ago").fill("5")
    tunnel.get_by_role("button").click()
    expect(shop.locator("#note")).to_contain_text("Kafka has", timeout=PATIENCE_MS)

    outage = shop.get_by_role("form", name="A Kafka outage")
    outage.get_by_label("Seconds").fill("3")
    outage.get_by_role("button", name="Stop Kafka").click()
    broker = shop.locator("#broker")
    # Stopped or, on a slow machine by now, starting again.
    expect(broker).to_have_attribute("data-state", "bad", timeout=PATIENCE_MS)
    shop.get_by_label("Visits a minute").fill("0")
    shop.get_by_role("button", name="Apply").click()
    expect(broker).to_have_text("up", timeout=PATIENCE_MS)
    # Nothing waits any more, and every request is accounted for.
    expect(shop.locator("#queued")).to_have_text("0", timeout=PATIENCE_MS)
    expect(shop.locator("#balance")).to_have_text("balances", timeout=PATIENCE_MS)
    expect(shop.locator("#ledger")).to_contain_text(f" {unreadable}")
