"""Chromium with the dashboard open."""

import json
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import psutil
from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.dashboard.trace import BEGIN, CATEGORIES, END, Frames, frames_of

QUIET_MS = 3_000
VIEWPORT: Any = {"width": 1440, "height": 900}
# Each frame asks for the next, as a scroll or an animation of the page would.
_FRAMES = "() => { const next = () => requestAnimationFrame(next); next(); }"
_MARK = "(name) => { performance.mark(name); }"
_TIMES = """() => ({
  painted: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null,
  held: window.longTasks,
})"""
_WATCH = """
window.longTasks = [];
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) window.longTasks.push(task.startTime + task.duration);
}).observe({ type: 'longtask', buffered: true });
"""


class Loading(NamedTuple):
    """How soon the page was there, in ms from the beginning of the navigation.

    ``interactive`` is the end of the last task over 50 ms, or the first paint if none came later.
    """

    painted: float
    interactive: float


class Memory(NamedTuple):
    """After the garbage was collected: the page's JavaScript heap, and its process, in MB."""

    heap: float
    process: float


@contextmanager
def chromium() -> Iterator[Browser]:
    """The browser that the tests use, without calls to the world."""
    path = shutil.which("chromium")
    if path is None:
        raise SystemExit("Chromium is missing: ./clickwake test installs it")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=[
                "--no-sandbox",
                "--disable-background-networking",
                "--enable-precise-memory-info",
            ],
        )
        yield browser
        browser.close()


def loading(browser: Browser, url: str) -> Loading:
    """A first visit: nothing is cached."""
    context = browser.new_context(viewport=VIEWPORT)
    page = context.new_page()
    page.add_init_script(_WATCH)
    page.goto(url)
    page.locator("[data-session]").first.wait_for()
    page.wait_for_timeout(QUIET_MS)
    times = page.evaluate(_TIMES)
    context.close()
    painted = times["painted"]
    return Loading(round(painted), round(max([painted, *times["held"]])))


@contextmanager
def open_page(browser: Browser, url: str, people: int) -> Iterator[Page]:
    """The page, when it shows that so many people are here."""
    context = browser.new_context(viewport=VIEWPORT)
    page = context.new_page()
    page.goto(url)
    page.get_by_test_id("people").filter(has_text=f"{people:,}").wait_for(timeout=120_000)
    yield page
    context.close()


def frames(browser: Browser, page: Page, seconds: float) -> Frames:
    """What the browser's own trace says of the page for so long."""
    page.evaluate(_FRAMES)
    browser.start_tracing(page=page, categories=list(CATEGORIES))
    page.evaluate(_MARK, BEGIN)
    time.sleep(seconds)
    page.evaluate(_MARK, END)
    return frames_of(json.loads(browser.stop_tracing())["traceEvents"])


def memory(browser: Browser, page: Page) -> Memory:
    """What the page holds at this moment."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"]
    session.detach()
    return Memory(round(heap / 1e6, 1), round(_renderers(browser) / 1e6, 1))


def _renderers(browser: Browser) -> float:
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    pids = [process["id"] for process in processes if process["type"] == "renderer"]
    return max(psutil.Process(pid).memory_full_info().pss for pid in pids)
