"""Pages that take their time, and what happens inside a page."""

import pytest

from frontend.demo_site import detours
from tests.unit.demo_site.shop import open_shop


def test_the_letter_arrives_in_parts_and_is_logged_once_at_its_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(detours, "PARAGRAPH_S", 0.01)
    shop, seen = open_shop()
    page = shop.get("/story")
    assert "content-length" not in page.headers
    assert [page.text.count(one) for one in detours.LETTER] == [1] * len(detours.LETTER)
    assert page.text.rstrip().endswith("</html>")
    (event,) = seen.events
    assert event.path == "/story"
    assert event.duration_ms > 60


def test_the_slow_page_says_how_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detours, "SLOW_S", 0.05)
    shop, seen = open_shop()
    assert "took its time on purpose" in shop.get("/slow").text
    assert seen.events[0].duration_ms >= 50


def test_care_is_a_page_of_its_own_too() -> None:
    shop, _ = open_shop()
    details, care = shop.get("/product/tall-mug").text, shop.get("/product/tall-mug/care").text
    assert 'id="panel-care" hidden' in details
    assert 'id="panel-details" hidden' in care
    assert shop.get("/product/tall-mug/other").status_code == 404
