"""A real uvicorn under load, with Kafka up, away, or slow."""

import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil

from benchmarks.fanout.limits import cores, pinned
from benchmarks.interceptor.load import Answered, Task
from benchmarks.interceptor.results import Counts, Phase, Served
from benchmarks.interceptor.site import COUNTS_PATH
from benchmarks.interceptor.stalling import stalling
from benchmarks.serving import served
from benchmarks.stack import ROOT
from contracts import InterceptorStats
from infra.kafka_broker import EmbeddedBroker
from infra.ports import HOST, free_ports, is_listening

WARM_UP_S = 1.0
QUIET_S = 20.0
"""How long the counts may need until they add up."""
LONGEST_S = 60.0
"""What a load may take beyond its time."""


class Case(NamedTuple):
    """What stands in front of the site, and what is the matter with Kafka."""

    title: str
    kind: str
    kafka: str = "up"


CASES = {
    "none": Case("no middleware", "bare"),
    "clickwake-up": Case("Clickwake, Kafka up", "clickwake"),
    "clickwake-down": Case("Clickwake, Kafka down", "clickwake", "down"),
    "clickwake-slow": Case("Clickwake, Kafka slow", "clickwake", "slow"),
    "base-up": Case("BaseHTTPMiddleware, Kafka up", "base-http"),
}

TITLES = {name: case.title for name, case in CASES.items()}


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """Requests a second of the modest load, seconds of each load, connections."""

    rate: float
    seconds: float
    connections: int


class _Site(NamedTuple):
    process: psutil.Process
    port: int


def measured(plan: Plan, name: str, number: int, broker: EmbeddedBroker) -> Served:
    """A fresh server: warm it up, load it modestly, then fully, and see what it counted."""
    case = CASES[name]
    with _serving(case, broker) as site:
        warm = _load(site, plan, WARM_UP_S, None)
        # Kafka becomes slow under a site that runs: its producer is connected by now.
        with stalling(broker.pid) if case.kafka == "slow" else nullcontext():
            paced, calm = _phase(site, plan, plan.rate)
            saturated, busy = _phase(site, plan, None)
            memory = site.process.memory_full_info().pss
            counts = _counts(site)
    return Served(
        case=name,
        number=number,
        requests=warm.requests + calm.requests + busy.requests,
        wrong=warm.wrong + calm.wrong + busy.wrong,
        paced=paced,
        saturated=saturated,
        memory_mb=round(memory / 1e6, 1),
        counts=counts,
    )


@contextmanager
def _serving(case: Case, broker: EmbeddedBroker) -> Iterator[_Site]:
    port, nobody = free_ports(2)
    kafka = broker.settings
    to = f"{HOST}:{nobody}" if case.kafka == "down" else kafka.bootstrap_servers
    environ = os.environ | {
        "PYTHONPATH": str(ROOT),
        "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": to,
        "CLICKWAKE_KAFKA_TOPIC_PREFIX": kafka.topic_prefix,
        "CLICKWAKE_SITE_SITE_ID": "bench",
        "CLICKWAKE_SITE_SECRET": "a secret of the benchmark",
        "CLICKWAKE_SITE_TRUSTED_PROXIES": HOST,
    }
    command = [sys.executable, "-m", "benchmarks.interceptor.site", case.kind, str(port)]
    with tempfile.TemporaryDirectory(prefix="clickwake-interceptor-") as folder:
        log = Path(folder) / "server.log"
        is_up = lambda: is_listening(f"{HOST}:{port}")  # noqa: E731
        with served(command, environ, log, is_up, pinned(cores()[0])) as pid:
            yield _Site(psutil.Process(pid), port)


def _phase(site: _Site, plan: Plan, rate: float | None) -> tuple[Phase, Answered]:
    before = _cpu(site.process)
    answered = _load(site, plan, plan.seconds, rate)
    used = _cpu(site.process) - before
    phase = Phase(
        requests=answered.requests,
        per_s=round(answered.requests / answered.seconds, 1),
        ms=answered.ms,
        cpu_us=round(used / answered.requests * 1e6, 1),
        client_cpu=round(answered.cpu_s / answered.seconds, 3),
    )
    return phase, answered


def _load(site: _Site, plan: Plan, seconds: float, rate: float | None) -> Answered:
    """From a client on the other core."""
    task = Task(host=HOST, port=site.port, connections=plan.connections, seconds=seconds, rate=rate)
    command = [sys.executable, "-m", "benchmarks.interceptor.load"]
    with pinned(cores()[1]):
        try:
            done = subprocess.run(
                [*command, msgspec.json.encode(task).decode()],
                env=os.environ | {"PYTHONPATH": str(ROOT)},
                capture_output=True,
                check=False,
                timeout=seconds + LONGEST_S,
            )
        except subprocess.TimeoutExpired:
            raise SystemExit("the client did not end") from None
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
        raise SystemExit(f"the client broke off: {''.join(last)}")
    return msgspec.json.decode(done.stdout, type=Answered)


def _counts(site: _Site) -> Counts | None:
    """As soon as they add up; as they are when they never do. None without a middleware."""
    deadline = time.monotonic() + QUIET_S
    while True:
        with urllib.request.urlopen(f"http://{HOST}:{site.port}{COUNTS_PATH}") as answer:
            stats = msgspec.json.decode(answer.read(), type=InterceptorStats | None)
        if stats is None:
            return None
        counts = Counts.of(stats)
        if counts.is_balanced or time.monotonic() > deadline:
            return counts
        time.sleep(0.05)


def _cpu(process: psutil.Process) -> float:
    used = process.cpu_times()
    return float(used.user + used.system)
