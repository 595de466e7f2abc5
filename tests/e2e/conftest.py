"""A browser to look at the running product with."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

# Headless Chromium says so in its own, and would rightly be taken for a bot.
AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/124.0.0.0 Safari/537.36"
)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without calls to the world."""
    path = shutil.which("chromium")
    assert path, "these tests need Chromium: ./clickwake test installs it"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-quic", "--disable-background-networking"],
        )
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh window of a visitor in London, by the address its proxy reports."""
    context = browser.new_context(
        user_agent=AGENT,
        extra_http_headers={"X-Forwarded-For": "81.2.69.142"},
        viewport={"width": 1440, "height": 900},
    )
    yield context.new_page()
    context.close()
