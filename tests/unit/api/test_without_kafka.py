"""A served API whose Kafka does not answer: what it still shows, and what it logs."""

import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from websockets.sync.client import connect

from api.__main__ import keep_addresses_out
from api.history.writer import HistoryWriter
from tests.support.api import NO_KAFKA, Served, api_settings, served
from tests.support.history import a_slice, new_history
from tests.support.messages import a_session
from tests.support.waiting import wait_until


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Served]:
    now = time.time_ns() // 1_000_000
    engine = new_history(tmp_path)
    HistoryWriter(engine).take([a_slice("sessions", [a_session("here", start=now)])])
    engine.dispose()
    with served(api_settings(tmp_path), NO_KAFKA) as running:
        yield running


def open_sessions(api: Served) -> int:
    with connect(f"ws://{api.address}/api/v1/live", compression=None) as client:
        counts: dict[str, int] = json.loads(client.recv(10))["counts"]
    return counts["open_sessions"]


def test_who_is_here_is_known_from_the_history(api: Served) -> None:
    wait_until(lambda: open_sessions(api) == 1, what="the history's session is here")


def test_a_dashboards_address_is_not_logged(api: Served, caplog: pytest.LogCaptureFixture) -> None:
    keep_addresses_out()
    with caplog.at_level(logging.INFO):
        open_sessions(api)
    assert "WebSocket" not in caplog.text
