import msgspec
import pytest

from contracts import RequestEvent
from contracts.settings import Secret
from interceptor.capture import Capture, Outcome
from interceptor.errors import InterceptorError
from interceptor.identity import keyed_hash
from interceptor.policy import Policy
from interceptor.settings import SiteSettings
from tests.unit.interceptor.cases import json_lines

NOON = 1_767_268_800_000  # 2026-01-01T12:00:00Z


def capture(**choices):
    settings = SiteSettings(site_id="shop", trusted_proxies="10.0.0.0/8", **choices)
    return Capture(settings, Policy.of(settings), keyed_hash(Secret("k")))


def scope(target="/", headers=(), peer="203.0.113.9", method="GET"):
    raw_path, _, query = target.encode().partition(b"?")
    return {
        "type": "http",
        "method": method,
        "path": "ignored",
        "raw_path": raw_path,
        "query_string": query,
        "headers": [(n.lower().encode("latin-1"), v) for n, v in headers],
        "client": (peer, 1234) if peer else None,
    }


def event(a_scope, **choices):
    build = capture(**choices)
    built = build.event(build.request(a_scope), Outcome(NOON, 1.5, 200))
    # What the job will do with it: encode, decode, validate.
    return msgspec.json.decode(msgspec.json.encode(built), type=RequestEvent)


def test_an_event_holds_what_the_contract_asks_for():
    seen = event(
        scope(
            "/product/kettle?utm_source=news&token=SECRET",
            [
                ("Host", b"Shop.example:443"),
                ("User-Agent", b"Mozilla/5.0"),
                ("Referer", b"https://news.example/today?id=7"),
                ("Accept-Language", b"de-CH,de;q=0.9"),
                ("Cookie", b"session=SECRET"),
                ("Authorization", b"Bearer SECRET"),
                ("DNT", b"1"),
                ("Sec-GPC", b"1"),
            ],
        )
    )
    assert seen.site_id == "shop"
    assert seen.event_time == NOON
    assert (seen.kind, seen.method, seen.status, seen.duration_ms) == ("page", "GET", 200, 1.5)
    assert (seen.host, seen.path) == ("shop.example", "/product/kettle")
    assert seen.query == {"utm_source": "news"}
    assert seen.referrer == "https://news.example/today"
    assert seen.client_ip == "203.0.113.9"
    assert seen.headers == {"accept-language": "de-CH,de;q=0.9"}
    assert (seen.dnt, seen.gpc) == (True, True)
    assert b"SECRET" not in msgspec.json.encode(seen)


def test_event_ids_are_version_7_and_sequences_rise():
    build = capture()
    request = build.request(scope())
    first, second = (build.event(request, Outcome(NOON, 0, 200)) for _ in range(2))
    assert first.event_id[14] == "7"
    assert first.event_id < second.event_id
    assert second.sequence == first.sequence + 1


def test_below_an_api_prefix_it_is_an_api_request():
    assert event(scope("/api/reviews", method="POST")).kind == "api"
    assert event(scope("/apiary")).kind == "page"


@pytest.mark.parametrize("case", json_lines("user_agents.jsonl"), ids=lambda case: str(case)[:40])
def test_every_user_agent_passes(case):
    import base64

    raw = base64.b64decode(case["bytes_b64"]) if "bytes_b64" in case else None
    if raw is None:
        raw = (eval(case["make"]) if "make" in case else case["ua"]).encode()
    assert len(event(scope(headers=[("User-Agent", raw)])).user_agent) <= 1024


def test_a_long_agent_and_header_are_cut_and_marked():
    headers = [("User-Agent", ("🫖" * 1025).encode()), ("Accept-Language", b"x" * 257)]
    made = event(scope(headers=headers))
    assert made.user_agent == "🫖" * 1023 + "…"
    assert made.headers["accept-language"] == "x" * 255 + "…"


@pytest.mark.parametrize("row", json_lines("urls.jsonl"), ids=lambda row: row["exp"])
def test_every_shared_url_becomes_a_valid_event(row):
    target = eval(row["make"]) if "make" in row else row.get("raw_path", "/")
    headers = [("Host", b"shop.example"), ("Referer", row.get("referer", "").encode())]
    assert event(scope(target, headers), query_allow="q,utf8").path


def test_a_server_without_raw_path_has_decoded_already():
    bare = scope()
    bare |= {"raw_path": None, "path": "/100%25?"}
    assert event(bare).path == "/100%25?"


def test_proxy_headers_sent_twice_are_one_list():
    headers = [("X-Forwarded-For", b"8.8.8.8"), ("X-Forwarded-For", b"81.2.69.142")]
    assert event(scope(headers=headers, peer="10.0.0.2")).client_ip == "81.2.69.142"


def test_no_peer_no_address():
    assert event(scope(peer=None)).client_ip is None


def test_extremes_fit_the_contract():
    headers = [(name, b"\xff" * 60_000) for name in ("Host", "Referer", "Accept-Language")]
    seen = event(scope("/" + "x" * 60_000, headers, method="PROPFINDEXTENDEDMETHOD"))
    assert len(seen.path) == 2048


@pytest.mark.parametrize("choice", [{"header_allow": "Cookie"}, {"query_allow": "ref,token"}])
def test_secrets_cannot_be_allowed(choice):
    with pytest.raises(InterceptorError, match="carries secrets"):
        capture(**choice)


def test_a_visitor_is_the_same_at_any_hour_and_unknown_elsewhere():
    identify = keyed_hash(Secret("k"))
    visitor = identify("shop", "203.0.113.9", "Mozilla/5.0")
    assert visitor == identify("shop", "203.0.113.9", "Mozilla/5.0")
    assert len(visitor) == 32
    others = {
        identify("blog", "203.0.113.9", "Mozilla/5.0"),
        identify("shop", "203.0.113.8", "Mozilla/5.0"),
        identify("shop", None, "Mozilla/5.0"),
        keyed_hash(Secret("other"))("shop", "203.0.113.9", "Mozilla/5.0"),
    }
    assert visitor not in others
    assert len(others) == 4
