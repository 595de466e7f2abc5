"""The cookie that tells visitors apart: what is believed, what is given out, and on what."""

import asyncio
import re
from http.cookies import SimpleCookie

import httpx
import pytest

from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, ClickwakeWsgiMiddleware, SiteSettings
from tests.support.watched import Recorder, Strict

SITE = SiteSettings(
    site_id="shop", secret=Secret("k"), identity="cookie", trusted_proxies="10.0.0.1"
)
MINE = "0123456789abcdef0123456789abcdef"
NEW = r"cw_visitor=[0-9a-f]{32}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax"
HEADERS = [(b"x-b", b"2"), (b"set-cookie", b"basket=1; Path=/"), (b"x-a", b"1")]


class Answers:
    """An ASGI and a WSGI application that answer with a status and headers."""

    def __init__(self, status=200, headers=HEADERS):
        self.status, self.headers = status, headers

    async def asgi(self, scope, receive, send):
        start = {"type": "http.response.start", "status": self.status, "headers": self.headers}
        await send(start)
        await send({"type": "http.response.body", "body": b"hello"})

    def wsgi(self, environ, start_response):
        headers = [(name.decode(), value.decode()) for name, value in self.headers]
        start_response(f"{self.status} Whatever", headers)
        return [b"hello"]


def over_asgi(app, seen, site, headers, peer, scheme):
    watched = ClickwakeMiddleware(app.asgi, site, emitter=seen, guard=Strict())
    transport = httpx.ASGITransport(app=watched, client=(peer, 1))

    async def ask():
        async with httpx.AsyncClient(transport=transport, base_url=f"{scheme}://shop") as client:
            return await client.get("/", headers=headers)

    return asyncio.run(ask()).headers.multi_items()


def over_wsgi(app, seen, site, headers, peer, scheme):
    watched = ClickwakeWsgiMiddleware(app.wsgi, site, emitter=seen, guard=Strict())
    transport = httpx.WSGITransport(app=watched, remote_addr=peer)
    with httpx.Client(transport=transport, base_url=f"{scheme}://shop") as client:
        return client.get("/", headers=headers).headers.multi_items()


@pytest.fixture(params=[over_asgi, over_wsgi], ids=["asgi", "wsgi"])
def visit(request):
    """Ask; the answer's headers, and the event."""

    def ask(app=None, cookie=None, site=SITE, peer="203.0.113.9", scheme="http", **headers):
        seen = Recorder()
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if cookie is not None:
            sent["cookie"] = cookie
        answer = request.param(app or Answers(), seen, site, sent, peer, scheme)
        return answer, seen.events[0] if seen.events else None

    return ask


def given_out(headers):
    return [value for name, value in headers if value.startswith("cw_visitor=")]


def test_a_stranger_gets_a_cookie_behind_the_applications_own_headers(visit):
    headers, _ = visit()
    plain = [(name.decode(), value.decode()) for name, value in HEADERS]
    assert headers[:-1] == plain
    assert headers[-1][0].lower() == "set-cookie"
    assert re.fullmatch(NEW, headers[-1][1])


def test_the_cookie_makes_the_visitor_from_the_first_answer_on(visit):
    headers, first = visit()
    jar = SimpleCookie(given_out(headers)[0])
    again, second = visit(cookie=f"a=1; cw_visitor={jar['cw_visitor'].value}; b=2", peer="::1")
    assert given_out(again) == []
    assert second.visitor_id == first.visitor_id
    assert re.fullmatch(r"[0-9a-f]{32}", first.visitor_id)
    assert first.visitor_id != jar["cw_visitor"].value
    assert first.previous_visitor_id is None


def test_each_stranger_gets_another_one(visit):
    assert visit()[1].visitor_id != visit()[1].visitor_id


@pytest.mark.parametrize(
    "cookie",
    [
        "cw_visitor=",
        "cw_visitor=me@shop.example",
        f"cw_visitor={MINE}0",
        f"cw_visitor={MINE.upper()}",
        f"xcw_visitor={MINE}",
        f"cw_visitor2={MINE}",
        f"cw_visitor={MINE}' OR 1=1",
        "cw_visitor=" + "0" * 100_000,
    ],
)
def test_what_is_not_ours_is_not_believed(visit, cookie):
    headers, event = visit(cookie=cookie)
    assert len(given_out(headers)) == 1
    assert "me@shop.example" not in repr(event)


@pytest.mark.parametrize("cookie", [f"cw_visitor={MINE}", f"a=b;cw_visitor={MINE};c"])
def test_ours_is_believed(visit, cookie):
    headers, event = visit(cookie=cookie)
    assert given_out(headers) == []
    assert MINE not in repr(event)


@pytest.mark.parametrize(
    "app",
    [
        Answers(status=304),
        Answers(headers=[(b"Cache-Control", b"public, max-age=60")]),
        Answers(headers=[(b"cache-control", b"max-age=1, s-maxage=60")]),
    ],
)
def test_what_a_shared_cache_may_keep_gets_none(visit, app):
    headers, event = visit(app)
    assert given_out(headers) == []
    assert event.visitor_id.startswith("~")


@pytest.mark.parametrize("status", [200, 302, 404, 500])
def test_other_answers_get_one(visit, status):
    assert len(given_out(visit(Answers(status=status))[0])) == 1


@pytest.mark.parametrize(
    ("options", "is_secure"),
    [
        ({"scheme": "https"}, True),
        ({"scheme": "http"}, False),
        ({"peer": "10.0.0.1", "x_forwarded_proto": "https"}, True),
        ({"peer": "10.0.0.1", "forwarded": 'for=1.1.1.1;proto="https"'}, True),
        ({"peer": "10.0.0.1", "x_forwarded_proto": "http"}, False),
        ({"peer": "203.0.113.9", "x_forwarded_proto": "https"}, False),
    ],
)
def test_it_is_secure_where_the_visitor_speaks_https(visit, options, is_secure):
    (cookie,) = given_out(visit(**options)[0])
    assert cookie.endswith("; Secure") == is_secure


def test_who_must_not_be_tracked_gets_none(visit):
    site = SiteSettings(site_id="shop", secret=Secret("k"), identity="cookie", respect_dnt=True)
    assert visit(site=site, dnt="1") == ([(n.decode(), v.decode()) for n, v in HEADERS], None)


def test_its_name_and_age_are_settings(visit):
    site = SiteSettings(
        site_id="shop",
        secret=Secret("k"),
        identity="cookie",
        cookie_name="who.is-it",
        cookie_max_age="1h",
    )
    cookie = visit(site=site)[0][-1][1]
    assert re.match(r"who\.is-it=[0-9a-f]{32}; Path=/; Max-Age=3600;", cookie)
    headers, _ = visit(site=site, cookie=f"who.is-it={MINE}")
    assert len(headers) == len(HEADERS)


def test_other_identities_leave_the_answer_alone(visit):
    for mode in ("rotating", "fixed", "application"):
        site = SiteSettings(site_id="shop", secret=Secret("k"), identity=mode)
        assert visit(site=site)[0] == [(n.decode(), v.decode()) for n, v in HEADERS]


def test_an_applications_mistake_stays_its_own(visit):
    broken = Answers(headers=None)
    with pytest.raises((TypeError, AssertionError)):
        visit(broken)
