"""What operators see of a stack that runs: the doctor finds nothing, and /metrics has it all."""

import json
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.support.exposition import Read, read_exposition
from tests.support.stack import RunningStack
from tests.support.waiting import wait_until

pytestmark = pytest.mark.slow

PROMISED = (
    "clickwake_reader_lag_records",
    "clickwake_watermark_lag_seconds",
    "clickwake_event_to_screen_seconds",
    "clickwake_job_batch_seconds",
    "clickwake_ledger_outcomes_total",
    "clickwake_live_clients",
    "clickwake_site_process_sent_total",
    "clickwake_writer_records_total",
    "process_resident_memory_bytes",
)


def metrics(stack: RunningStack) -> dict[str, Read]:
    with urlopen(f"{stack.api}/metrics", timeout=30) as answer:
        return read_exposition(answer.read().decode())


def shown(stack: RunningStack) -> float:
    screen = metrics(stack)["clickwake_event_to_screen_seconds"]
    return screen.values(le="+Inf")[0]


def test_a_click_is_measured_on_its_way_to_the_screen(stack: RunningStack) -> None:
    before = shown(stack)
    agent = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:125.0) Gecko/20100101 Firefox/125.0"}
    with urlopen(Request(f"{stack.site}/", headers=agent), timeout=30) as answer:
        assert answer.status == 200
    wait_until(lambda: shown(stack) > before, 120, "the click was told to the screens")
    wait_until(lambda: set(PROMISED) <= set(metrics(stack)), 120, "a bucket has published")


def test_the_doctor_finds_nothing_wrong(stack: RunningStack) -> None:
    done = stack.run("doctor", "--json", "--data", str(stack.data))
    document: dict[str, Any] = json.loads(done.stdout)
    problems = [one for one in document["findings"] if one["level"] == "problem"]
    assert problems == []
    assert (done.returncode, document["healthy"]) == (0, True)
    seen = {one["check"] for one in document["findings"]}
    assert seen >= {"java", "jars", "disk", "process job", "API database", "Kafka", "job", "clocks"}
