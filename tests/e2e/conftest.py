"""The whole product, started as a newcomer starts it, and a browser to look at it."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import msgspec
import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from infra.ports import free_ports
from tests.support.job import MMDB, ROOT

# Headless Chromium says so in its own, and would rightly be taken for a bot.
AGENT = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
    "Chrome/124.0.0.0 Safari/537.36"
)


class RunningStack(msgspec.Struct, frozen=True):
    """Where the parts of the stack under test are."""

    data: Path
    site: str
    api: str
    kafka: str
    ports: tuple[str, ...]

    def get(self, path: str) -> Any:
        """The API's JSON."""
        with urlopen(f"{self.api}{path}", timeout=30) as answer:
            return json.load(answer)

    def sessions(self, query: str) -> list[dict[str, Any]]:
        """All pages of the session list."""
        found, cursor = [], ""
        while True:
            page = self.get(f"/api/v1/sessions?limit=200&{query}{cursor}")
            found += page["items"]
            if page["next_cursor"] is None:
                return found
            cursor = f"&cursor={page['next_cursor']}"

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command of the command line, against this stack."""
        return subprocess.run(
            [sys.executable, "-m", "infra.cli", *arguments],
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
            env=environment() | {"CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": self.kafka},
        )

    def start(self) -> subprocess.CompletedProcess[str]:
        """Start it, or start it again."""
        command = ["demo", "--detach", "--no-traffic", *self.ports, "--data", str(self.data)]
        return subprocess.run(
            [sys.executable, "-m", "infra.cli", *command],
            capture_output=True,
            text=True,
            check=False,
            timeout=400,
            env=environment(),
        )


def environment() -> dict[str, str]:
    """The surroundings, with the small geo database whose answers are known."""
    return os.environ | {"PYTHONPATH": str(ROOT), "CLICKWAKE_JOB_GEO": str(MMDB)}


@pytest.fixture(scope="session")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningStack]:
    """The demo without sample traffic, on free ports."""
    site, api, kafka = free_ports(3)
    running = RunningStack(
        data=tmp_path_factory.mktemp("stack"),
        site=f"http://127.0.0.1:{site}",
        api=f"http://127.0.0.1:{api}",
        kafka=f"127.0.0.1:{kafka}",
        ports=(f"--port-site={site}", f"--port-api={api}", f"--port-kafka={kafka}"),
    )
    started = running.start()
    assert started.returncode == 0, started.stdout + started.stderr
    try:
        yield running
    finally:
        running.run("stop", "--data", str(running.data))


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without calls to the world."""
    path = shutil.which("chromium")
    assert path, "these tests need Chromium: ./clickwake test installs it"
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=path,
            args=["--no-sandbox", "--disable-quic", "--disable-background-networking"],
        )
        yield chromium
        chromium.close()


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A fresh window of a visitor in London, by the address its proxy reports."""
    context = browser.new_context(
        user_agent=AGENT,
        extra_http_headers={"X-Forwarded-For": "81.2.69.142"},
        viewport={"width": 1440, "height": 900},
    )
    yield context.new_page()
    context.close()
