"""A late event, a wrong history, and the commands that find and mend it, on the running stack."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from contracts import WATERMARK_END, WATERMARK_START
from contracts.kafka import KafkaSettings
from tests.support.buckets import BucketRun
from tests.support.job import produce, tell
from tests.support.journey import HOUR, MINUTE, Journey, at, record_of
from tests.support.stack import RunningStack
from tests.support.topic_life import interleaved, write_life
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

START = "2026-02-01 10:00:00"
PERIOD = ("--from", "2026-02-01T00:00:00Z", "--to", "2026-02-02T00:00:00Z", "--site", "shop")


@pytest.fixture(scope="module")
def bridged(stack: RunningStack) -> RunningStack:
    """A visitor's two sessions are final when an event between them comes, which joins them."""
    kafka = KafkaSettings(bootstrap_servers=stack.kafka)
    journey = Journey("bridged", START).view("/in").view("/a", after=10 * MINUTE)
    journey.view("/between", after=10 * MINUTE).view("/out", after=25 * MINUTE)
    first, second, late, last = (record_of(one, n) for n, one in enumerate(journey.events))
    tell(kafka, WATERMARK_START)
    produce(kafka, "replay", [first, second, last])
    tell(kafka, at(START) + 3 * HOUR)
    produce(kafka, "replay", [late])
    tell(kafka, WATERMARK_END)
    wait_until(lambda: [s["events"] for s in listed(stack)] == [1, 2], 60)
    wait_until(lambda: stack.get("/api/v1/ledger")["total"]["late"] >= 1, 60)
    return stack


def listed(stack: RunningStack) -> list[dict[str, object]]:
    return listed_in(stack, "2026-02-01")


def listed_in(stack: RunningStack, day: str) -> list[dict[str, object]]:
    return stack.sessions(f"day={day}&site=shop")


def test_a_backfill_brings_the_batch_jobs_sessions(bridged: RunningStack) -> None:
    api = f"--api={bridged.api}"
    gone, kept = listed(bridged)

    differs = bridged.run("verify", *PERIOD, api)
    assert differs.returncode == 1, differs.stderr
    assert re.search(r"^changed +1$", differs.stdout, re.M), differs.stdout
    assert re.search(r"^gone +1$", differs.stdout, re.M)
    assert "events: 2 -> 4" in differs.stdout

    dry = bridged.run("backfill", *PERIOD, api, "--dry-run")
    assert dry.returncode == 0, dry.stderr
    assert "Nothing was changed." in dry.stdout
    assert listed(bridged) == [gone, kept]

    done = bridged.run("backfill", *PERIOD, api)
    assert done.returncode == 0, done.stderr
    (whole,) = listed(bridged)
    assert (whole["session_id"], whole["events"], whole["exit_page"]) == (
        kept["session_id"],
        4,
        "/out",
    )
    assert whole["epoch"] > kept["epoch"]
    detail = bridged.get(f"/api/v1/sessions/{gone['session_id']}")
    assert detail["session"]["session_id"] == kept["session_id"]
    assert [event["path"] for event in detail["events"]] == ["/in", "/a", "/between", "/out"]

    agrees = bridged.run("verify", *PERIOD, api)
    assert agrees.returncode == 0, agrees.stdout + agrees.stderr
    first, second = re.findall(r"digest ([0-9a-f]{64})", agrees.stdout)
    assert first == second

    assert bridged.get("/api/v1/ledger")["late_placed"] >= 1


def test_what_another_rule_would_have_done(bridged: RunningStack) -> None:
    before = listed(bridged)
    shown = bridged.run("verify", *PERIOD, "--what-if", "gap=5m")
    assert shown.returncode == 0, shown.stderr
    assert re.search(r"^sessions +1 +4 +\+3$", shown.stdout, re.M), shown.stdout
    assert listed(bridged) == before


def test_a_topic_that_interleaves_two_hours_ends_in_the_batch_jobs_sessions(
    stack: RunningStack,
) -> None:
    """Half of the events are 65 minutes behind the newest: many are late, all are listed."""
    records = interleaved(400, "2026-02-11 10:00:00")
    period = ("--from=2026-02-11T00:00:00Z", "--to=2026-02-12T00:00:00Z", "--site=shop")
    api = f"--api={stack.api}"
    before = stack.get("/api/v1/ledger")["total"]
    tell(KafkaSettings(bootstrap_servers=stack.kafka), WATERMARK_START)
    write_life(KafkaSettings(bootstrap_servers=stack.kafka), records)

    def all_seen() -> bool:
        return stack.get("/api/v1/ledger")["total"]["requests"] == before["requests"] + 400

    wait_until(all_seen, 90)
    ledger = stack.get("/api/v1/ledger")
    assert ledger["balances"], ledger["detail"]
    assert ledger["total"]["late"] - before["late"] > 50
    done = stack.run("backfill", *period, api)
    assert done.returncode == 0, done.stdout + done.stderr
    agrees = stack.run("verify", *period, api)
    assert agrees.returncode == 0, agrees.stdout
    batch = BucketRun().feed([one for one in records if one.watermark is None])
    assert sum(one["events"] for one in listed_in(stack, "2026-02-11")) == batch.tally.events == 400
    assert {one["session_id"] for one in listed_in(stack, "2026-02-11")} == set(batch.sessions())


def test_a_backfill_from_a_file(stack: RunningStack, tmp_path: Path) -> None:
    """What Kafka never saw, or no longer has, comes from a file."""
    file = tmp_path / "visits.csv"
    minutes = (0, 10, 60)
    rows = [f"anna,{datetime(2025, 5, 1, 8 + m // 60, m % 60, tzinfo=UTC)},/p{m}" for m in minutes]
    file.write_text("\n".join(["user_id,timestamp,path", *rows]) + "\n")
    asked = (str(file), "--format=csv", "--site=archive", f"--api={stack.api}")

    done = stack.run("backfill", *asked)
    assert done.returncode == 0, done.stdout + done.stderr
    found = stack.sessions("site=archive&from=2025-05-01T00:00:00Z")
    assert [(one["events"], one["entry_page"]) for one in found] == [(1, "/p60"), (2, "/p0")]
    detail = stack.get(f"/api/v1/sessions/{found[1]['session_id']}")
    assert [event["path"] for event in detail["events"]] == ["/p0", "/p10"]
    again = stack.run("backfill", *asked)
    assert "There is nothing to change." in again.stdout
