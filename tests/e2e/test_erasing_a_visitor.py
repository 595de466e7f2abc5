"""A visitor of the running stack is erased everywhere, and no replay brings the visitor back."""

import json
import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from tests.e2e.conftest import AGENT
from tests.support.stack import RunningStack
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ADA_AT, BOB_AT = "2.125.160.216", "2.125.160.217"
PATHS = ("/nobody-else-begins-here", "/")


def visit(stack: RunningStack, address: str, times: int) -> None:
    headers = {"User-Agent": AGENT, "X-Forwarded-For": address}
    for _ in range(times):
        for path in PATHS:
            assert httpx.get(f"{stack.site}{path}", headers=headers).status_code < 500


def visitors(stack: RunningStack) -> dict[int, dict[str, object]]:
    """The two sessions by how many events they have, which tells them apart."""
    found = stack.sessions("site=demo")
    return {one["events"]: one for one in found if one["entry_page"] == PATHS[0]}


def holding(stack: RunningStack, visitor: str) -> list[str]:
    """The stack's files that hold the id, by a plain look at every byte."""
    files = [Path(top) / name for top, _, names in os.walk(stack.data) for name in names]
    return [str(file) for file in files if visitor.encode() in content(file)]


def content(file: Path) -> bytes:
    """The file's bytes; Spark's come and go."""
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""


def test_a_visitor_is_erased_and_does_not_come_back(stack: RunningStack, tmp_path: Path) -> None:
    visit(stack, ADA_AT, 3)
    visit(stack, BOB_AT, 2)
    wait_until(lambda: set(visitors(stack)) == {6, 4}, 60, what="both visits are in the history")
    ada, bob = visitors(stack)[6], visitors(stack)[4]
    name = str(ada["visitor_id"])
    assert holding(stack, name), "the look can find something"
    events = stack.get(f"/api/v1/sessions/{ada['session_id']}")["events"]

    erased = stack.run("erase", name, "--site=demo", "--wait", f"--api={stack.api}")
    assert erased.returncode == 0, erased.stdout + erased.stderr
    assert "found nothing of the visitor" in erased.stdout
    state = stack.get("/api/v1/erasures")["items"][0]
    assert (state["phase"], state["found"]) == ("done", {})
    assert state["deleted"]["events"] == 6
    assert holding(stack, name) == []
    assert httpx.get(f"{stack.api}/api/v1/visitors/{name}?site=demo").status_code == 404

    log = tmp_path / "old.jsonl"
    mine = {name: events[0][name] for name in ("event_id", "site_id", "visitor_id", "path")}
    request = {"kind": "page", "method": "GET", "status": 200}
    log.write_text(json.dumps(mine | request | {"event_time": events[0]["event_time"]}) + "\n")
    replayed = stack.run("replay", str(log), "--format=jsonl", "--site=demo")
    assert replayed.returncode == 0, replayed.stderr
    assert "not sent, erased: 1" in replayed.stdout
    assert holding(stack, name) == []

    visit(stack, BOB_AT, 1)
    wait_until(lambda: visitors(stack).get(6, {}).get("events") == 6, 60, what="Bob goes on")
    assert visitors(stack)[6]["session_id"] == bob["session_id"]
    yesterday = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
    verified = stack.run("verify", f"--from={yesterday}", "--site=demo", f"--api={stack.api}")
    assert verified.returncode == 0, verified.stdout + verified.stderr
    assert stack.get("/api/v1/ledger")["balances"]
