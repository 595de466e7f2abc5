"""The corner shows a visitor what was decided, and how the session on the dashboard follows."""

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from contracts import EnrichedEvent, RequestEvent
from contracts.live import ServerMessage, Snapshot, Update
from frontend.demo_site.corner import visitors as remembered
from frontend.demo_site.corner.following import ApiAwayError
from frontend.demo_site.corner.reasons import WORDS, words
from frontend.demo_site.corner.view import View
from frontend.demo_site.corner.visitor import Visitor
from frontend.demo_site.corner.visitors import Visitors
from interceptor import Decision
from interceptor.capture import Request
from tests.support.messages import a_session, an_event
from tests.unit.demo_site.shop import open_shop

AGENT = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
DASHBOARD = "http://127.0.0.1:8020/"


def request(path: str = "/kettle", agent: str = AGENT) -> Request:
    return Request("GET", path, {"user-agent": agent}, b"", "127.0.0.1")


def dropped(path: str = "/a.png", reason: str = "image", address: str = "81.2.69.142") -> Decision:
    return Decision(request=request(path), address=address, reason=reason)


def logged(event_id: str = "e1", visitor_id: str = "ada") -> Decision:
    event = RequestEvent(
        event_id=event_id, site_id="demo", visitor_id=visitor_id, event_time=1_772_366_400_000,
        kind="page", method="GET", status=200, path="/kettle",
    )  # fmt: skip
    return Decision(request=request(), address="81.2.69.142", event=event)


def arrived(event_id: str) -> EnrichedEvent:
    return an_event(event_id=event_id, visitor_id="ada")


class Channel:
    """An API's live channel that says what the test lets it say."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.queue: asyncio.Queue[ServerMessage | None] = asyncio.Queue()

    async def messages(self, visitor_id: str) -> AsyncIterator[ServerMessage]:
        self.asked.append(visitor_id)
        while True:
            message = await self.queue.get()
            if message is None:
                raise ApiAwayError("gone")
            yield message


def snapshot(**fields: object) -> Snapshot:
    known = {"sequence": 1, "server_time": 0, "sessions": [], "counts": None}
    return Snapshot(**(known | fields))


def update(**fields: object) -> Update:
    known = {"sequence": 2, "server_time": 0, "sessions": [], "counts": None}
    return Update(**(known | {"newest_response": None} | fields))


async def until(views: AsyncIterator[View], wanted: Callable[[View], object]) -> View:
    """The first view that is as wanted."""
    async with asyncio.timeout(10):
        async for view in views:
            if wanted(view):
                return view
    raise AssertionError("the views ended")


def test_a_click_is_seen_to_arrive_in_its_session() -> None:
    async def run() -> None:
        channel = Channel()
        visitor = Visitor(channel.messages, DASHBOARD)
        visitor.note(logged("e1"))
        views = visitor.views()
        first = await until(views, lambda view: True)
        assert [one.kind for one in first.decisions] == ["page"]
        assert (first.decisions[0].is_in_session, first.session) == (False, None)
        channel.queue.put_nowait(snapshot(sessions=[a_session(session_id="s1", events=1)]))
        there = await until(views, lambda view: view.session)
        assert there.session
        assert (there.session.session_id, there.session.status) == ("s1", "open")
        assert there.session.url == f"{DASHBOARD}#/session/s1"
        channel.queue.put_nowait(update(events=[arrived("e1")]))
        seen = await until(views, lambda view: view.decisions[0].is_in_session)
        assert seen.decisions[0].delay_ms is not None
        assert 0 <= seen.decisions[0].delay_ms < 10_000
        await views.aclose()
        assert channel.asked == ["ada"]

    asyncio.run(run())


def test_what_was_there_before_anybody_looked_has_no_delay() -> None:
    async def run() -> None:
        channel = Channel()
        visitor = Visitor(channel.messages, DASHBOARD)
        visitor.note(logged("e1"))
        views = visitor.views()
        channel.queue.put_nowait(snapshot(events=[arrived("e1")]))
        seen = await until(views, lambda view: view.decisions[0].is_in_session)
        assert seen.decisions[0].delay_ms is None
        await views.aclose()

    asyncio.run(run())


def test_an_api_that_is_away_is_said_and_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("frontend.demo_site.corner.visitor.AGAIN_S", 0.01)

    async def run() -> None:
        channel = Channel()
        visitor = Visitor(channel.messages, DASHBOARD)
        visitor.note(logged())
        views = visitor.views()
        channel.queue.put_nowait(snapshot())
        await until(views, lambda view: view.is_following)
        channel.queue.put_nowait(None)
        await until(views, lambda view: not view.is_following)
        channel.queue.put_nowait(snapshot())
        await until(views, lambda view: view.is_following)
        await views.aclose()
        assert channel.asked == ["ada", "ada"]

    asyncio.run(run())


def test_another_id_of_the_visitor_is_another_question() -> None:
    async def run() -> None:
        channel = Channel()
        visitor = Visitor(channel.messages, DASHBOARD)
        visitor.note(logged())
        views = visitor.views()
        channel.queue.put_nowait(snapshot(sessions=[a_session(session_id="s1")]))
        await until(views, lambda view: view.session)
        visitor.note(logged("e2", visitor_id="ada-tomorrow"))
        await until(views, lambda view: not view.session)
        channel.queue.put_nowait(snapshot())
        await until(views, lambda view: view.is_following)
        await views.aclose()
        assert channel.asked == ["ada", "ada-tomorrow"]

    asyncio.run(run())


def test_what_is_not_logged_says_why() -> None:
    visitors = Visitors(None, DASHBOARD)
    visitors.observe(dropped("/a.png", "image"))
    visitors.observe(dropped("/", "prefetch"))
    decisions = visitors.of("81.2.69.142", AGENT).view().decisions
    assert [(one.path, one.kind, one.reason) for one in decisions] == [
        ("/", "none", "prefetch"),
        ("/a.png", "none", "image"),
    ]
    assert decisions[0].why == "the browser looked ahead: nobody has seen it yet"
    assert words("something_new") == "something new"
    assert all(text and text[0].islower() for text in WORDS.values())


def test_visitors_see_only_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remembered, "MOST", 2)
    visitors = Visitors(None, DASHBOARD)
    for address in ("10.0.0.1", "10.0.0.2", "10.0.0.3"):
        visitors.observe(dropped(address=address))
    visitors.observe(dropped("/corner/stream", "excluded_path", address="10.0.0.3"))
    seen = [
        len(visitors.of(address, AGENT).view().decisions)
        for address in ("10.0.0.3", "10.0.0.2", "10.0.0.1")
    ]
    assert seen == [1, 1, 0], "the corner asks unseen, and the oldest is forgotten"
    assert visitors.of("10.0.0.3", "another browser").view().decisions == []


def test_every_page_has_the_corner_and_the_shop_feeds_it() -> None:
    shop, _ = open_shop()
    page = shop.get("/").text
    assert '<aside class="corner"' in page
    assert "this visit is recorded" in page
    shop.get("/static/shop.css")
    state = shop.app.app.state
    decisions = state.visitors.of(None, "testclient").view().decisions
    assert [(one.path, one.reason) for one in decisions] == [
        ("/static/shop.css", "style_sheet"),
        ("/", None),
    ]
