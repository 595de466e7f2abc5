"""The beacon's script in a real browser, before a tiny site with a strict policy."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn
from playwright.sync_api import Browser, Page

from contracts import RequestEvent
from contracts.settings import Secret
from infra.ports import free_ports
from interceptor import ClickwakeMiddleware, SiteSettings
from tests.e2e.conftest import AGENT
from tests.support.waiting import wait_until
from tests.support.watched import Recorder, Strict

pytestmark = pytest.mark.slow

SITE = SiteSettings(site_id="shop", secret=Secret("k"), beacon_path="/cw.js", query_allow="page")
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"
DOCUMENT = b'<script src="/early.js"></script><script src="/cw.js" defer></script><h1>Hello</h1>'
EARLY = b"""
window.clickwake = window.clickwake || function () {
  (clickwake.q = clickwake.q || []).push(arguments);
};
if (location.pathname === "/early") clickwake("early", { n: 1 });
"""


class Watched:
    """A site that is served, and what its middleware logged of it."""

    def __init__(self, address: str, seen: Recorder) -> None:
        self.address, self.seen = address, seen

    def told(self) -> list[tuple[Any, ...]]:
        """Every event: its kind, its path, and what is special of it."""
        return [_told(event) for event in self.seen.events]

    def wait_for(self, *expected: tuple[Any, ...]) -> None:
        """All that was logged, in this order, and nothing else."""
        wait_until(lambda: self.told() == list(expected), 10, f"{expected}, not {self.told()}")


def _told(event: RequestEvent) -> tuple[Any, ...]:
    if event.kind == "custom":
        return ("custom", event.path, event.name, event.properties)
    if event.kind == "engagement":
        return ("read", event.path)
    return ("reported" if event.origin else "requested", event.path)


async def tiny_site(scope: Any, receive: Any, send: Any) -> None:
    is_script = scope["path"] == "/early.js"
    kind = b"text/javascript" if is_script else b"text/html"
    headers = [(b"content-type", kind), (b"content-security-policy", POLICY.encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": EARLY if is_script else DOCUMENT})


@pytest.fixture
def serve() -> Iterator[Callable[[SiteSettings], Watched]]:
    """Serves the tiny site behind the middleware, on a free port, until the test ends."""
    ends: list[Callable[[], None]] = []

    def start(settings: SiteSettings) -> Watched:
        seen, (port,) = Recorder(), free_ports(1)
        app = ClickwakeMiddleware(tiny_site, settings, emitter=seen, guard=Strict())  # type: ignore[arg-type]
        options = {"log_level": "warning", "proxy_headers": False, "lifespan": "off"}
        server = uvicorn.Server(uvicorn.Config(app, port=port, **options))  # type: ignore[arg-type]
        thread = threading.Thread(target=server.run)
        thread.start()

        def stop() -> None:
            server.should_exit = True
            thread.join(30)

        ends.append(stop)
        wait_until(lambda: server.started, 30, "the site listens")
        return Watched(f"http://127.0.0.1:{port}", seen)

    yield start
    for end in ends:
        end()


@pytest.fixture
def site(serve: Callable[[SiteSettings], Watched]) -> Watched:
    return serve(SITE)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A window that fails the test when anything is wrong in it."""
    context = browser.new_context(user_agent=AGENT)
    faults: list[str] = []
    window = context.new_page()
    window.on("pageerror", lambda error: faults.append(str(error)))
    window.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    yield window
    context.close()
    assert not faults


def hide(page: Page) -> None:
    """As when another tab comes to the front."""
    page.evaluate("Object.defineProperty(document, 'visibilityState', { value: 'hidden' })")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


def read_for_a_while(page: Page) -> None:
    """More than the second from which on reading is reported."""
    begun = page.evaluate("performance.now()")
    wait_until(lambda: page.evaluate("performance.now()") - begun > 1_200, 30, "time passes")


def test_each_view_is_logged_once(site: Watched, page: Page) -> None:
    page.goto(f"{site.address}/a?page=1")
    page.evaluate("history.replaceState({ scroll: 7 }, '')")
    page.evaluate("history.replaceState({}, '', '/a?q=typing')")
    page.evaluate("history.pushState({}, '', '/a?q=typing#part')")
    page.evaluate("history.pushState({}, '', '/b?page=2&q=SECRET')")
    page.evaluate("history.replaceState({}, '', '/c')")
    page.evaluate("history.pushState({}, '', '/c?page=2')")
    page.evaluate("location.hash = 'x'")
    site.wait_for(("requested", "/a"), ("reported", "/b"), ("reported", "/c"), ("reported", "/c"))
    views = site.seen.events
    assert [view.query for view in views] == [{"page": "1"}, {"page": "2"}, {}, {"page": "2"}]
    assert views[1].referrer == f"{site.address}/a"
    assert len({view.visitor_id for view in views}) == 1
    page.go_back()
    page.go_back()
    page.go_back()
    page.goto(f"{site.address}/d")
    site.wait_for(
        *(("requested", "/a"), ("reported", "/b"), ("reported", "/c"), ("reported", "/c")),
        *(("reported", "/c"), ("reported", "/a"), ("requested", "/d")),
    )


def test_a_page_out_of_the_browsers_memory_or_rendered_ahead_is_a_view(
    site: Watched, page: Page
) -> None:
    page.goto(f"{site.address}/a")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: false }))")
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    site.wait_for(("requested", "/a"), ("reported", "/a"))
    page.evaluate("document.dispatchEvent(new Event('prerenderingchange'))")
    site.wait_for(("requested", "/a"), ("reported", "/a"), ("reported", "/a"))


def test_custom_events_are_reported_even_those_before_the_script(site: Watched, page: Page) -> None:
    page.goto(f"{site.address}/early")
    page.evaluate("clickwake('signup', { plan: 'pro', seats: 3 })")
    page.evaluate("clickwake('plain')")
    site.wait_for(
        ("requested", "/early"),
        ("custom", "/early", "early", {"n": 1}),
        ("custom", "/early", "signup", {"plan": "pro", "seats": 3}),
        ("custom", "/early", "plain", {}),
    )


def test_nothing_that_a_page_passes_is_thrown_into_it(site: Watched, page: Page) -> None:
    page.goto(f"{site.address}/a")
    page.evaluate("const circle = {}; circle.circle = circle; clickwake('circle', circle)")
    page.evaluate("clickwake('big', { n: 10n })")
    page.evaluate("clickwake('good')")
    site.wait_for(("requested", "/a"), ("custom", "/a", "good", {}))


def test_reading_time_is_reported_when_the_page_hides(site: Watched, page: Page) -> None:
    page.goto(f"{site.address}/a")
    read_for_a_while(page)
    hide(page)
    site.wait_for(("requested", "/a"), ("read", "/a"))
    engaged = site.seen.events[1].engaged_ms
    assert isinstance(engaged, int)
    assert 1_000 <= engaged < 60_000
    # Hidden time is not reading time, so there is nothing more to tell.
    page.goto(f"{site.address}/b")
    site.wait_for(("requested", "/a"), ("read", "/a"), ("requested", "/b"))


def test_it_is_reported_when_one_leaves_and_for_each_view_alone(site: Watched, page: Page) -> None:
    page.goto(f"{site.address}/a")
    read_for_a_while(page)
    page.evaluate("history.pushState({}, '', '/b')")
    read_for_a_while(page)
    page.goto("about:blank")
    site.wait_for(("requested", "/a"), ("read", "/a"), ("reported", "/b"), ("read", "/b"))


def test_time_without_the_focus_does_not_count(site: Watched, page: Page) -> None:
    page.goto(f"{site.address}/a")
    page.evaluate("document.hasFocus = () => false; dispatchEvent(new Event('blur'))")
    page.mouse.move(5, 5)
    page.mouse.move(9, 9)
    read_for_a_while(page)
    page.goto(f"{site.address}/b")
    site.wait_for(("requested", "/a"), ("requested", "/b"))


def test_without_send_beacon_it_is_fetched(site: Watched, page: Page) -> None:
    page.add_init_script("navigator.sendBeacon = () => false")
    page.goto(f"{site.address}/a")
    page.evaluate("clickwake('signup')")
    site.wait_for(("requested", "/a"), ("custom", "/a", "signup", {}))


def test_a_long_read_is_reported_before_it_looks_like_silence(site: Watched, page: Page) -> None:
    page.clock.install()
    page.goto(f"{site.address}/a")
    for _ in range(7):
        page.clock.run_for(60_000)
        page.mouse.move(1, 1)
        page.mouse.move(9, 9)
    site.wait_for(("requested", "/a"), ("read", "/a"))
    page.clock.run_for(60 * 60_000)
    site.wait_for(("requested", "/a"), ("read", "/a"), ("read", "/a"))
    engaged = sum(event.engaged_ms or 0 for event in site.seen.events)
    assert 11 * 60_000 < engaged < 13 * 60_000, "idle time counts for five minutes"


def test_a_computer_that_sleeps_does_not_read(site: Watched, page: Page) -> None:
    page.clock.install()
    page.goto(f"{site.address}/a")
    page.clock.fast_forward("08:00:00")
    site.wait_for(("requested", "/a"), ("read", "/a"))
    assert site.seen.events[1].engaged_ms == pytest.approx(5 * 60_000, abs=1_000)


def test_a_script_that_respects_dnt_sends_nothing(
    serve: Callable[[SiteSettings], Watched], browser: Browser
) -> None:
    site = serve(SiteSettings(site_id="shop", beacon_path="/cw.js", respect_dnt=True))
    context = browser.new_context(user_agent=AGENT)
    context.add_init_script(
        "Object.defineProperty(navigator, 'globalPrivacyControl', { value: true })"
    )
    page = context.new_page()
    posts: list[str] = []
    page.on("request", lambda r: posts.append(r.url) if r.method == "POST" else None)
    page.goto(f"{site.address}/a")
    page.evaluate("clickwake('signup'); history.pushState({}, '', '/b')")
    read_for_a_while(page)
    page.goto(f"{site.address}/c")
    site.wait_for(("requested", "/a"), ("requested", "/c"))
    assert posts == []
    context.close()
