"""A browser at an API that needs keys: it asks for one, remembers it, and forgets it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from infra.paths import PROJECT
from tests.support.access import new_key
from tests.support.api import NO_KAFKA, Served, api_settings, served
from tests.support.history import new_history

pytestmark = pytest.mark.slow

PATIENCE_MS = 60_000
CONNECTED = re.compile("Live|Stale")
"""Without Kafka it is stale after half a minute."""


@pytest.fixture
def closed(tmp_path: Path) -> Iterator[Served]:
    """An API that needs keys, with the dashboard as it was built."""
    new_history(tmp_path).dispose()
    built = PROJECT / "frontend" / "dashboard" / "dist"
    settings = api_settings(tmp_path, require_keys=True, dashboard_dir=str(built))
    with served(settings, NO_KAFKA) as api:
        yield api


def test_one_logs_in_with_a_key_and_out_again(
    tmp_path: Path, closed: Served, browser: Browser
) -> None:
    key = new_key(tmp_path, "read")
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"http://{closed.address}/")
    field = page.get_by_label("API key")
    expect(field).to_be_visible(timeout=PATIENCE_MS)
    expect(page.get_by_test_id("badge")).to_have_count(0)

    field.fill(key[:-4] + "0000")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("alert")).to_contain_text("wrong, revoked or expired")

    field.fill(key)
    field.press("Enter")
    expect(page.get_by_test_id("badge")).to_contain_text(CONNECTED, timeout=PATIENCE_MS)
    assert key not in page.evaluate("document.cookie + JSON.stringify(localStorage)")
    assert "clickwake" not in page.evaluate("document.cookie")

    page.reload()
    page.get_by_role("button", name="Log out").click(timeout=PATIENCE_MS)
    expect(field).to_be_visible(timeout=PATIENCE_MS)
    assert not context.cookies()
    context.close()
