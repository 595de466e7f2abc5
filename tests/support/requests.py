"""Request events as another producer sends them."""

from typing import Any

NOON = 1_772_366_400_000
"""2026-03-01 12:00:00 UTC."""


def a_request(event_id: str = "e1", **fields: Any) -> dict[str, Any]:
    """A page view at noon, with the required fields."""
    plain: dict[str, Any] = {
        "event_id": event_id,
        "site_id": "shop",
        "visitor_id": "v1",
        "event_time": NOON,
        "kind": "page",
        "method": "GET",
        "status": 200,
        "path": "/",
    }
    return plain | fields
