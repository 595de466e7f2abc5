"""``./clickwake bench dashboard``: a busy dashboard in a real browser."""

import gzip
import os
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import msgspec
from playwright.sync_api import Browser

from benchmarks.dashboard import browsing
from benchmarks.dashboard.feeding import Feeder, now_ms
from benchmarks.dashboard.trace import Frames
from benchmarks.dashboard.visitors import Crowd
from benchmarks.figures import middle
from benchmarks.report import Report
from benchmarks.serving import served
from benchmarks.stack import ROOT, broker
from contracts.kafka import KafkaSettings
from infra.ports import HOST, free_ports

DIST = ROOT / "frontend/dashboard/dist"
PACKAGES = ("fastapi", "playwright", "uvicorn", "websockets")
TITLES = (
    "round", "frames/s", "skipped", "gap p50, p99, longest", "task p50, p99, longest", "busy",
    "delay p50", "first paint", "interactive", "heap first, last", "process first, last",
)  # fmt: skip
LOADS = 3
SETTLE_S = 5


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """So many open sessions and updates a second; memory for ``seconds``, frames for ``traced``."""

    sessions: int
    rate: float
    seconds: float
    traced: float = 20.0


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One browser's visit. ``memory``: seconds, heap MB and process MB, as time goes by."""

    number: int
    sent_per_s: float
    frames: Frames
    delay: str
    painted_ms: float
    interactive_ms: float
    memory: list[tuple[float, float, float]]


def main(plan: Plan, rounds: int, out: Path | None) -> list[Round]:
    """Measure, print a line for each round and a table."""
    if not (DIST / "index.html").is_file():
        raise SystemExit("The dashboard is not built: run npm run build in frontend/dashboard.")
    report = Report("dashboard", _configuration(plan, rounds), PACKAGES, out)
    found = []
    with broker() as kafka, browsing.chromium() as browser:
        report.versions["chromium"] = browser.version
        crowd = Crowd(plan.sessions, now_ms(), Random(7))
        feeder = Feeder(kafka, crowd)
        feeder.fill()
        with _api(kafka) as url:
            for number in range(1, rounds + 1):
                report.say(f"round {number} of {rounds}")
                found.append(_round(browser, url, feeder, plan, number))
                report.add(found[-1])
        feeder.close()
    report.table(TITLES, [_row(one) for one in found], _notes(found))
    return found


def bundle_bytes() -> int:
    """The dashboard's scripts and styles as they travel: each file through gzip."""
    files = [*DIST.glob("assets/*.js"), *DIST.glob("assets/*.css")]
    return sum(len(gzip.compress(file.read_bytes(), 9)) for file in files)


def _round(browser: Browser, url: str, feeder: Feeder, plan: Plan, number: int) -> Round:
    loads = [browsing.loading(browser, url) for _ in range(LOADS)]
    with browsing.open_page(browser, url, plan.sessions) as page, feeder.at_rate(plan.rate):
        time.sleep(SETTLE_S)
        before, begun = feeder.sent, time.monotonic()
        memory: list[tuple[float, float, float]] = []
        while (passed := time.monotonic() - begun) < plan.seconds or not memory:
            memory.append((round(passed), *browsing.memory(browser, page)))
            time.sleep(max(1, plan.seconds / 20))
        sent = (feeder.sent - before) / (time.monotonic() - begun)
        delay = page.get_by_test_id("delay").inner_text().split()[-2:]
        # Last: reading a trace takes a while, and its buffers would count as the page's memory.
        frames = browsing.frames(browser, page, plan.traced)
    return Round(
        number=number,
        sent_per_s=round(sent, 1),
        frames=frames,
        delay=" ".join(delay),
        painted_ms=middle(load.painted for load in loads),
        interactive_ms=middle(load.interactive for load in loads),
        memory=memory,
    )


@contextmanager
def _api(kafka: KafkaSettings) -> Iterator[str]:
    """The product's own API process; the address of its dashboard."""
    with tempfile.TemporaryDirectory(prefix="clickwake-dashboard-") as text:
        folder, (port,) = Path(text), free_ports(1)
        url = f"http://{HOST}:{port}/"
        environ = os.environ | {
            "PYTHONPATH": str(ROOT),
            "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap_servers,
            "CLICKWAKE_KAFKA_TOPIC_PREFIX": kafka.topic_prefix,
            "CLICKWAKE_API_PORT": str(port),
            "CLICKWAKE_API_DATABASE_URL": f"sqlite:///{folder / 'history.db'}",
            "CLICKWAKE_API_DASHBOARD_DIR": str(DIST),
            "CLICKWAKE_API_LOG_LEVEL": "WARNING",
        }
        command = [sys.executable, "-m", "api"]
        with served(command, environ, folder / "api.log", lambda: _is_ready(url)):
            yield url


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def _configuration(plan: Plan, rounds: int) -> dict[str, str]:
    return {
        "sessions": f"{plan.sessions:,}",
        "rate": f"{plan.rate:g}/s",
        "seconds": f"{plan.seconds:g}",
        "rounds": str(rounds),
        "bundle": f"{bundle_bytes():,} bytes",
    }


def _row(one: Round) -> list[str]:
    frames, first, last = one.frames, one.memory[0], one.memory[-1]
    return [
        str(one.number),
        f"{frames.per_second:g}",
        f"{frames.skipped:.1%}",
        _three(frames.gap_ms),
        _three(frames.task_ms),
        f"{frames.busy:.0%}",
        one.delay,
        f"{one.painted_ms:g} ms",
        f"{one.interactive_ms:g} ms",
        f"{first[1]:g}, {last[1]:g} MB",
        f"{first[2]:g}, {last[2]:g} MB",
    ]


def _three(values: list[float]) -> str:
    return ", ".join(f"{value:g}" for value in values) + " ms"


def _notes(found: list[Round]) -> list[str]:
    rates = ", ".join(f"{one.sent_per_s:g}" for one in found)
    return [
        f"Updates that were sent a second: {rates}.",
        f"Scripts and styles after gzip: {bundle_bytes() / 1000:.1f} kB.",
    ]
