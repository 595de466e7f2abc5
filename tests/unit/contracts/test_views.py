import json
from pathlib import Path

import pytest

from contracts.views import ViewRules, drop_reason, event_kind, should_log

CASES = Path(__file__).parents[2] / "fixtures" / "cases" / "should_log.jsonl"
ROWS = [json.loads(line) for line in CASES.read_text().splitlines()]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['method']} {row['path']}")
def test_shared_case(row):
    headers = {name.lower(): value for name, value in row["headers"].items()}
    assert should_log(row["method"], row["path"], headers) is row["counts"]


@pytest.mark.parametrize(
    ("method", "path", "headers", "reason"),
    [
        ("GET", "/logo.PNG", {}, "image"),
        ("GET", "/a/b.svg;v=2", {}, "image"),
        ("GET", "/app.css", {}, "style_sheet"),
        ("GET", "/app.js", {}, "script"),
        ("GET", "/app.js.map", {}, "source_map"),
        ("GET", "/inter.woff2", {}, "font"),
        ("GET", "/favicon.ico", {}, "favicon"),
        ("GET", "/shop/favicon.ico", {}, "favicon"),
        ("GET", "/robots.txt", {}, "robots_txt"),
        ("GET", "/site.webmanifest", {}, "manifest"),
        ("GET", "/resize/42", {"sec-fetch-dest": "image"}, "image"),
        ("GET", "/sw", {"sec-fetch-dest": "serviceworker"}, "script"),
        ("HEAD", "/", {}, "head"),
        ("OPTIONS", "/api/x", {}, "options"),
        ("CONNECT", "/", {}, "connect"),
        ("GET", "/", {"purpose": "prefetch"}, "prefetch"),
        ("GET", "/", {"sec-purpose": "prefetch"}, "prefetch"),
        ("GET", "/", {"sec-purpose": "prefetch;prerender"}, "prefetch"),
        ("GET", "/", {"x-purpose": "preview"}, "prefetch"),
        ("GET", "/", {"x-moz": "prefetch"}, "prefetch"),
        ("GET", "/chat", {"upgrade": "WebSocket"}, "websocket"),
        ("GET", "/", {"user-agent": "ELB-HealthChecker/2.0"}, "health_check"),
        ("GET", "/readyz", {}, "health_check"),
        ("GET", "/", {"user-agent": "Mozilla/5.0 (compatible; Googlebot/2.1)"}, None),
        ("GET", "/wiki/node.js", {"sec-fetch-dest": "document"}, None),
        ("GET", "/photo.jpg", {"sec-fetch-dest": "document"}, "image"),
        ("GET", "/.png", {}, None),
        ("GET", "/v1.2/about", {}, None),
        ("GET", "/guide.html", {}, None),
        ("GET", "/prices.pdf", {}, None),
        ("GET", "/healthz/details", {}, None),
        ("POST", "/cart", {}, None),
        ("DELETE", "/api/reviews/1", {}, None),
        ("GET", "/prices.pdf", {"range": "bytes=0-"}, None),
        ("GET", "/prices.pdf", {"range": "Bytes = 0-1023, 4096-"}, None),
        ("GET", "/prices.pdf", {"range": "bytes=65536-131071"}, "range"),
        ("GET", "/prices.pdf", {"range": "bytes=-500"}, "range"),
        ("GET", "/prices.pdf", {"range": "nonsense"}, "range"),
    ],
)
def test_what_counts(method, path, headers, reason):
    assert drop_reason(method, path, headers) == reason


def test_a_site_names_its_own_health_checks_and_api():
    rules = ViewRules(health_paths=frozenset({"/up"}), api_prefixes=("/v1/", "/graphql"))
    assert drop_reason("GET", "/up", {}, rules) == "health_check"
    assert drop_reason("GET", "/healthz", {}, rules) is None
    assert event_kind("/graphql", rules) == "api"
    assert event_kind("/api/x", rules) == "page"
