"""What pages report, through the real middleware of both gateways."""

import msgspec
import pytest

from contracts import RequestEvent
from contracts.settings import Secret
from interceptor import SiteSettings
from interceptor.beacon import LIMIT, Beacon, Head
from interceptor.capture import Capture, Request
from interceptor.guard import Guard
from interceptor.policy import Policy
from tests.support.gateways import Asked, NewSite, asgi_site, wsgi_site
from tests.support.watched import Recorder

SITE = SiteSettings(site_id="shop", secret=Secret("k"), beacon_path="/cw.js", query_allow="ref")
OWN_PAGE = {"Sec-Fetch-Site": "same-origin", "User-Agent": "Firefox"}


@pytest.fixture(params=[asgi_site, wsgi_site], ids=["asgi", "wsgi"])
def new_site(request: pytest.FixtureRequest) -> NewSite:
    maker: NewSite = request.param
    return maker


@pytest.fixture
def seen() -> Recorder:
    return Recorder()


def report(headers: dict[str, str] | None = None, root: str = "", **fields: object) -> Asked:
    """A report of a page view of ``/a``, unless ``fields`` say otherwise."""
    body = msgspec.json.encode({"kind": "page", "path": "/a"} | fields)
    return Asked("POST", "/cw", OWN_PAGE if headers is None else headers, body, root)


def event_in(seen: Recorder) -> RequestEvent:
    (event,) = seen.events
    # What the job will do with it: encode, decode, validate.
    return msgspec.json.decode(msgspec.json.encode(event), type=RequestEvent)


def balance(seen: Recorder) -> tuple[int, int]:
    """(observed, submitted + dropped + lost): equal, always."""
    stats = seen.ledger.stats(0)
    gone = sum(stats.dropped.values()) + sum(stats.lost.values())
    return stats.observed, len(seen.events) + gone


def test_a_view_without_a_request_is_a_page_view(new_site: NewSite, seen: Recorder) -> None:
    sent = report(
        path="/product/7%20a?ref=mail&token=SECRET#part",
        referrer="https://user:pw@shop.example/list?q=SECRET#x",
    )
    answer = new_site(SITE, seen)(sent)
    assert (answer.status, answer.body) == (204, b"")
    assert not any("access-control" in name for name in answer.headers)
    event = event_in(seen)
    assert (event.kind, event.origin, event.method, event.status) == ("page", "beacon", "GET", 200)
    assert (event.path, event.query) == ("/product/7 a", {"ref": "mail"})
    assert event.referrer == "https://shop.example/list"
    assert (event.host, event.client_ip) == ("shop.example", "203.0.113.9")
    assert b"SECRET" not in msgspec.json.encode(event)
    assert balance(seen) == (1, 1)


def test_it_is_the_visitor_whose_requests_the_site_saw(new_site: NewSite, seen: Recorder) -> None:
    site = new_site(SITE, seen)
    site(Asked(path="/first", headers={"User-Agent": "Firefox"}))
    site(report())
    first, reported = seen.events
    assert first.visitor_id == reported.visitor_id


def test_a_custom_event_has_its_name_and_properties(new_site: NewSite, seen: Recorder) -> None:
    properties = {"plan": "pro", "seats": 3, "price": 9.5, "trial": False, "coupon": None}
    new_site(SITE, seen)(report(kind="custom", name=" signup ", properties=properties))
    event = event_in(seen)
    assert (event.kind, event.name, event.path) == ("custom", "signup", "/a")
    assert event.properties == {"plan": "pro", "seats": 3, "price": 9.5, "trial": False}


def test_properties_named_like_secrets_do_not_leave_the_process(
    new_site: NewSite, seen: Recorder
) -> None:
    secrets = {"password": "x", "Token": "x", "X-Api-Key": "x", "session_id": "ok", "sessionid": 1}
    new_site(SITE, seen)(report(kind="custom", name="login", properties=secrets))
    assert event_in(seen).properties == {"session_id": "ok"}


def test_texts_are_cut_on_whole_characters_and_marked(new_site: NewSite, seen: Recorder) -> None:
    properties = {"é" * 99: "👩‍🚀" * 99, "c": "a\0b"}
    new_site(SITE, seen)(report(kind="custom", name="🫖" * 65, properties=properties))
    event = event_in(seen)
    assert event.name == "🫖" * 63 + "…"
    assert event.properties == {"é" * 63 + "…": ("👩‍🚀" * 99)[:255] + "…", "c": "a\ufffdb"}


def test_reading_time_is_reported(new_site: NewSite, seen: Recorder) -> None:
    new_site(SITE, seen)(report(kind="engagement", engaged_ms=41_500))
    event = event_in(seen)
    assert (event.kind, event.engaged_ms, event.duration_ms) == ("engagement", 41_500, 0)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "no report"),
        (b"\xff\xfe", "no report"),
        (b"[]", "Expected `object`"),
        (b"[" * LIMIT, "no report"),
        (b'{"kind":"page"}', "`path`"),
        (b'{"kind":"api","path":"/"}', "enum"),
        (b'{"kind":"page","path":"https://x/"}', "path"),
        (b'{"kind":"page","path":"/\\ud800"}', "no report"),
        (b'{"kind":"custom","path":"/"}', "needs a name"),
        (b'{"kind":"custom","path":"/","name":"a","properties":{"b":{}}}', "Expected"),
        (b'{"kind":"custom","path":"/","name":"a","properties":{"b":1e999}}', "out of range"),
        (b'{"kind":"custom","path":"/","name":"a","properties":{"":1}}', "needs a name"),
        (b'{"kind":"custom","path":"/","name":"a","properties":{"b":99999999999999999}}', "<="),
        (b'{"kind":"engagement","path":"/","engaged_ms":-1}', ">= 0"),
        (b'{"kind":"engagement","path":"/","engaged_ms":86400001}', "<="),
    ],
)
def test_what_is_no_report_is_refused_with_a_reason(
    new_site: NewSite, seen: Recorder, body: bytes, words: str
) -> None:
    answer = new_site(SITE, seen)(Asked("POST", "/cw", OWN_PAGE, body))
    assert answer.status == 400
    assert words in answer.body.decode()
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert seen.ledger.stats(0).dropped == {"beacon_invalid": 1}
    assert balance(seen) == (1, 1)


def test_a_custom_event_has_twenty_properties_at_most(new_site: NewSite, seen: Recorder) -> None:
    twenty = {f"p{n}": n for n in range(20)}
    assert new_site(SITE, seen)(report(kind="custom", name="a", properties=twenty)).status == 204
    more = twenty | {"p20": 20}
    assert new_site(SITE, seen)(report(kind="custom", name="a", properties=more)).status == 400


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Sec-Fetch-Site": "same-origin"}, 204),
        ({"Sec-Fetch-Site": "same-site", "Origin": "http://shop.example"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "none"}, 403),
        ({"Origin": "http://shop.example"}, 204),
        ({"Origin": "https://SHOP.example"}, 204),
        ({"Origin": "https://shop.example:8443"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "https://shop.example.evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({}, 403),
    ],
    ids=str,
)
def test_only_the_sites_own_pages_may_report(
    new_site: NewSite, seen: Recorder, headers: dict[str, str], status: int
) -> None:
    assert new_site(SITE, seen)(report(headers)).status == status
    assert len(seen.events) == (status == 204)
    assert balance(seen) == (1, 1)


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "OPTIONS"])
def test_reports_are_posted(new_site: NewSite, seen: Recorder, method: str) -> None:
    answer = new_site(SITE, seen)(report()._replace(method=method))
    assert (answer.status, answer.headers["allow"]) == (405, "POST")
    assert not any("access-control" in name for name in answer.headers)


def test_a_report_is_small(new_site: NewSite, seen: Recorder) -> None:
    fits = report(kind="custom", name="a", properties={"text": "x"})
    filled = fits._replace(body=fits.body + b" " * (LIMIT - len(fits.body)))
    assert new_site(SITE, seen)(filled).status == 204
    assert new_site(SITE, seen)(filled._replace(body=filled.body + b" ")).status == 413
    assert seen.ledger.stats(0).dropped == {"beacon_size": 1}


@pytest.mark.parametrize(
    ("length", "status"), [("9" * 5_000, 413), ("-1", 400), ("٣", 400), ("1e3", 400), ("0x1", 400)]
)
def test_a_length_that_is_none_is_refused_before_the_body_is_read(
    seen: Recorder, length: str, status: int
) -> None:
    if length.isascii():
        headers = OWN_PAGE | {"Content-Length": length}
        assert asgi_site(SITE, seen)(report(headers)).status == status
    assert wsgi_site(SITE, seen)(report(OWN_PAGE | {"Content-Length": length})).status == status


def test_a_body_beyond_what_was_announced_is_not_kept(seen: Recorder) -> None:
    long = Asked("POST", "/cw", OWN_PAGE | {"Content-Length": "10"}, b" " * 1_000_000)
    assert asgi_site(SITE, seen)(long).status == 413
    assert wsgi_site(SITE, seen)(long).status == 400


def test_many_reports_of_one_address_are_refused_for_a_while(
    new_site: NewSite, seen: Recorder
) -> None:
    site = new_site(msgspec.structs.replace(SITE, beacon_rate=2), seen)
    peers = ("203.0.113.9", "203.0.113.9", "203.0.113.9", "198.51.100.7")
    answers = [site(report()._replace(peer=peer)) for peer in peers]
    assert [answer.status for answer in answers] == [204, 204, 429, 204]
    assert answers[2].headers["retry-after"] == "30"
    assert seen.ledger.stats(0).dropped == {"beacon_rate": 1}
    assert balance(seen) == (4, 4)


@pytest.mark.parametrize("header", ["DNT", "Sec-GPC"])
def test_who_wants_no_tracking_is_not_logged_where_the_site_respects_it(
    new_site: NewSite, seen: Recorder, header: str
) -> None:
    respectful = msgspec.structs.replace(SITE, respect_dnt=True)
    assert new_site(respectful, seen)(report(OWN_PAGE | {header: "1"})).status == 204
    assert seen.events == []
    assert seen.ledger.stats(0).dropped == {"do_not_track": 1}
    new_site(SITE, seen)(report(OWN_PAGE | {header: "1"}))
    assert seen.events[0].dnt or seen.events[0].gpc


def test_what_the_site_does_not_log_is_not_reported_either(
    new_site: NewSite, seen: Recorder
) -> None:
    site = msgspec.structs.replace(SITE, exclude_paths="/admin/*", drop_bots=True)
    new_site(site, seen)(report(path="/admin/users"))
    new_site(site, seen)(report(OWN_PAGE | {"User-Agent": "Googlebot/2.1"}))
    new_site(msgspec.structs.replace(SITE, development=True), seen)(report())
    assert seen.ledger.stats(0).dropped == {"excluded_path": 1, "bot": 1, "development": 1}
    assert balance(seen) == (3, 3)


def test_a_page_may_be_called_like_a_script(new_site: NewSite, seen: Recorder) -> None:
    new_site(SITE, seen)(report(path="/wiki/node.js"))
    assert event_in(seen).path == "/wiki/node.js"


@pytest.mark.parametrize("root", ["", "/shop"])
def test_it_works_where_the_site_is_mounted(new_site: NewSite, seen: Recorder, root: str) -> None:
    assert new_site(SITE, seen)(report(root=root)).status == 204
    assert new_site(SITE, seen)(Asked(path="/cw.js", root=root)).body.startswith(b"(function")
    assert new_site(SITE, seen)(Asked(path="/cwx", root=root)).body == b"the site"


def test_without_the_setting_the_paths_are_the_sites_own(new_site: NewSite, seen: Recorder) -> None:
    plain = SiteSettings(site_id="shop", secret=Secret("k"))
    for asked in (Asked(path="/cw.js"), report()):
        assert new_site(plain, seen)(asked).body == b"the site"


def test_a_failure_of_ours_is_counted_and_the_page_gets_an_answer(seen: Recorder) -> None:
    def broken(*_: object) -> str:
        raise RuntimeError("no identity")

    guard, policy = Guard(), Policy.of(SITE)
    beacon = Beacon(SITE, policy, Capture(SITE, policy, broken), seen, guard)  # type: ignore[arg-type]
    request = Request("POST", "/cw", {}, b"", "203.0.113.9")
    assert beacon.take(Head(request, OWN_PAGE), report().body).status == 500
    assert seen.ledger.stats(0).lost == {"internal_error": 1}
    assert guard.errors == 1
