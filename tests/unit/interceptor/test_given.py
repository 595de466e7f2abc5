"""Visitors whom the application names."""

import asyncio
import enum
import logging
from uuid import UUID

import httpx
import pytest
from fastapi import FastAPI
from msgspec import structs
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Mount, Route

from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, ClickwakeWsgiMiddleware, SiteSettings
from tests.support.logs import said
from tests.support.watched import Recorder, Strict

SITE = SiteSettings(site_id="shop", secret=Secret("k"), identity="application")
JANE = "jane@shop.example"


def asgi_event(app, site=SITE):
    seen = Recorder()
    watched = ClickwakeMiddleware(app, site, emitter=seen, guard=Strict())

    async def ask():
        transport = httpx.ASGITransport(app=watched)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
            await client.get("/account/me")

    asyncio.run(ask())
    return seen.events[0]


def wsgi_event(app, site=SITE):
    seen = Recorder()
    watched = ClickwakeWsgiMiddleware(app, site, emitter=seen, guard=Strict())
    transport = httpx.WSGITransport(app=watched)
    with httpx.Client(transport=transport, base_url="http://shop") as client:
        client.get("/account/me")
    return seen.events[0]


def named(visitor, site=SITE):
    """The event of a visitor whom an application names."""

    async def app(scope, receive, send):
        scope["clickwake.visitor"] = visitor
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello"})

    return asgi_event(app, site)


def test_starlettes_request_scope_is_where_to_say_it():
    def me(request):
        request.scope["clickwake.visitor"] = JANE
        return PlainTextResponse("me")

    app = Starlette(routes=[Mount("/account", routes=[Route("/me", me)])])
    assert asgi_event(app).visitor_id == named(JANE).visitor_id


def test_a_wsgi_environ_is_where_to_say_it():
    def app(environ, start_response):
        start_response("200 OK", [])
        environ["clickwake.visitor"] = JANE
        return [b"me"]

    assert wsgi_event(app).visitor_id == named(JANE).visitor_id


def test_a_middleware_in_between_does_not_hide_it():
    async def pass_on(request, call_next):
        return await call_next(request)

    def me(request):
        request.scope["clickwake.visitor"] = JANE
        return PlainTextResponse("me")

    app = FastAPI()
    app.middleware("http")(pass_on)
    app.add_route("/account/me", me)
    assert asgi_event(app).visitor_id == named(JANE).visitor_id


def test_flasks_request_environ_is_where_to_say_it():
    from flask import Flask, request

    app = Flask("shop")

    @app.get("/account/me")
    def me():
        request.environ["clickwake.visitor"] = JANE
        return "me"

    assert wsgi_event(app.wsgi_app).visitor_id == named(JANE).visitor_id


def test_djangos_request_meta_is_where_to_say_it():
    from django.conf import settings
    from django.core.handlers.wsgi import WSGIHandler
    from django.http import HttpResponse
    from django.test import override_settings

    if not settings.configured:
        settings.configure()

    class Naming(WSGIHandler):
        def load_middleware(self, is_async=False):
            def me(request):
                request.META["clickwake.visitor"] = JANE
                return HttpResponse("me")

            self._middleware_chain = me

    with override_settings(DEBUG=False, ROOT_URLCONF="shop.urls"):
        assert wsgi_event(Naming()).visitor_id == named(JANE).visitor_id


def test_the_id_is_a_hash_that_depends_on_site_and_secret():
    event = named(JANE)
    assert len(event.visitor_id) == 32
    assert "jane" not in repr(event)
    others = {
        event.visitor_id,
        named("john@shop.example").visitor_id,
        named(JANE, structs.replace(SITE, site_id="blog")).visitor_id,
        named(JANE, structs.replace(SITE, secret=Secret("x"))).visitor_id,
    }
    assert len(others) == 4


@pytest.mark.parametrize("same", [b"42", "42", 42, enum.IntEnum("E", {"A": 42}).A])
def test_text_and_numbers_are_one_visitor(same):
    assert named(same).visitor_id == named("42").visitor_id


def test_a_uuid_is_its_text():
    text = "01987e3c-5f7a-7c11-9d0c-2f6f0a6f5b1e"
    assert named(UUID(text)).visitor_id == named(text).visitor_id


class Explosive:
    """What looks up a database when somebody looks at it, and fails."""

    def __str__(self):
        raise ZeroDivisionError

    __repr__ = __eq__ = __bool__ = __str__
    __hash__ = None


ABSENT = [None, False, "", b"", True, 1.5, [], {}, object(), Explosive(), 10**5000]
ODD = ["\ud800", "\0", "x" * 1_000_000, b"\xff", -1, 0, "é🦊"]


@pytest.mark.parametrize("place", range(len(ABSENT)))
def test_whatever_names_nobody_is_a_stranger(place):
    assert named(ABSENT[place]).visitor_id.startswith("~")


@pytest.mark.parametrize("place", range(len(ODD)))
def test_odd_text_is_a_visitor(place):
    assert len(named(ODD[place]).visitor_id) == 32


def test_what_is_not_used_is_said_once(caplog):
    async def app(scope, receive, send):
        scope["clickwake.visitor"] = Explosive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"hello"})

    watched = ClickwakeMiddleware(app, SITE, emitter=Recorder(), guard=Strict())

    async def ask():
        transport = httpx.ASGITransport(app=watched)
        async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
            await client.get("/")
            await client.get("/")

    with caplog.at_level(logging.WARNING, "clickwake"):
        asyncio.run(ask())
    assert said(caplog, "clickwake.interceptor") == [
        "clickwake.visitor is of type Explosive and not used: set it to text, a number or a UUID"
    ]


def test_nobody_is_asked_where_the_site_does_not_say_so():
    site = SiteSettings(site_id="shop", secret=Secret("k"))
    assert named(JANE, site).visitor_id.startswith("~")
