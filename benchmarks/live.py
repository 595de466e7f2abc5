"""Live: from a site's response to the WebSocket message of a dashboard, through everything.

Real parts all the way: a site with the middleware, Kafka, the session job, the API. A delay is
the time between the moment a visitor's n-th response has arrived at the client and the moment
an update that counts n events of that visitor has arrived at a WebSocket client.
"""

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import msgspec
import psutil
from websockets.asyncio.client import connect

from benchmarks.delays import Told, delays, summary
from benchmarks.live_peer import flink, standing_still
from benchmarks.stack import ROOT
from benchmarks.usage import Usage
from benchmarks.workload import event_of
from contracts import partition_key
from contracts.kafka import KafkaSettings
from infra.ports import free_ports
from spark_jobs.clock import make_producer

WARM_UP_S = 25
VISITORS = 2_000


class Ports(msgspec.Struct, frozen=True):
    """Where a running stack is: its ports, its site's process, its data."""

    kafka: int
    api: int
    site: int
    site_pid: int
    folder: Path


@contextmanager
def running_stack(buckets: int) -> Iterator[Ports]:
    """Kafka, job and API by the product's own command, and the tiny site."""
    kafka, api, site = free_ports(3)
    with tempfile.TemporaryDirectory(prefix="clickwake-live-") as folder:
        environment = os.environ | {
            "PYTHONPATH": str(ROOT),
            "CLICKWAKE_JOB_BUCKETS": str(buckets),
            "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": f"127.0.0.1:{kafka}",
        }
        ports = ["--port-api", str(api), "--port-kafka", str(kafka), "--data", folder]
        command = [sys.executable, "-m", "infra.cli"]
        up_environment = {k: v for k, v in environment.items() if "BOOTSTRAP" not in k}
        subprocess.run([*command, "up", "--detach", *ports], env=up_environment, check=True)
        server = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.tiny_site", str(site)], env=environment
        )
        try:
            _wait_for(f"http://127.0.0.1:{site}/")
            yield Ports(kafka, api, site, server.pid, Path(folder))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()
            subprocess.run([*command, "stop", "--data", folder], env=up_environment, check=True)


def _wait_for(url: str) -> None:
    for _ in range(200):
        try:
            urllib.request.urlopen(url, timeout=1).read()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit(f"{url} does not answer")


def fill_state(kafka_port: int, api_port: int, sessions: int) -> None:
    """Open sessions of now, three events each, and wait until the job has taken them in."""
    kafka = KafkaSettings(bootstrap_servers=f"127.0.0.1:{kafka_port}")
    producer = make_producer(kafka)
    topic, now = kafka.topic("requests"), int(time.time() * 1000)
    for number in range(sessions * 3):
        event = event_of(number, number % sessions, now - 60_000 + number % 50_000)
        key = partition_key(event.site_id, event.visitor_id)
        producer.send(topic, key=key, value=msgspec.json.encode(event))
    producer.flush()
    producer.close()
    _wait_caught_up(api_port)


def _wait_caught_up(api_port: int) -> None:
    quiet = 0
    while quiet < 5:
        time.sleep(2)
        parts = _components(api_port)
        idle = (
            " 0 records behind" in parts["job"]["detail"]
            and "0 records to go" in parts["live"]["detail"]
            and "0 records to go" in parts["consumer"]["detail"]
        )
        quiet = quiet + 1 if idle else 0


def _components(api_port: int) -> dict[str, dict[str, str]]:
    """What ``/readyz`` says of each part; while something catches up its status is 503."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{api_port}/readyz") as answer:
            body = answer.read()
    except urllib.error.HTTPError as error:
        body = error.read()
    found: dict[str, dict[str, str]] = json.loads(body)["components"]
    return found


async def _client(
    site: int, rate: float, seconds: float, done: dict[str, list[float]], visitors: str
) -> None:
    """One keep-alive connection that sends ``rate`` requests a second, open loop."""
    reader, writer = await asyncio.open_connection("127.0.0.1", site)
    begin, number = time.monotonic(), 0
    while (due := number / rate) < seconds:
        await asyncio.sleep(max(0.0, begin + due - time.monotonic()))
        visitor = f"{visitors}-{number % (VISITORS // 4):05}"
        headers = f"Host: bench.example\r\nUser-Agent: {visitor}\r\n"
        writer.write(f"GET /p/{number} HTTP/1.1\r\n{headers}\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0]))
        done[visitor].append(time.time())
        number += 1
    writer.close()


async def _watch(api: int, seen: dict[str, list[Told]], stop: asyncio.Event) -> None:
    """A dashboard's connection."""
    url = f"ws://127.0.0.1:{api}/api/v1/live"
    async with connect(url, max_size=None) as socket:
        while not stop.is_set():
            try:
                message = await asyncio.wait_for(socket.recv(), 0.5)
            except TimeoutError:
                continue
            arrived = time.time()
            for session in json.loads(message).get("sessions", ()):
                if session["visitor_id"].startswith("bench-") and session["status"] == "open":
                    told = msgspec.convert(session | {"arrived": arrived}, Told)
                    seen[session["visitor_id"]].append(told)


def stack_pids(ports: Ports) -> dict[str, int]:
    """The stack's processes, found by what they listen to or by their command."""
    found = {"site": ports.site_pid}
    for process in psutil.process_iter(["pid", "cmdline", "environ"]):
        command = " ".join(process.info["cmdline"] or [])
        environment = process.info["environ"] or {}
        mine = f":{ports.kafka}" in environment.get("CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS", "")
        if mine and "-m spark_jobs.stream" in command:
            found["job"] = process.pid
        if mine and "-m api" in command:
            found["api"] = process.pid
    for connection in psutil.net_connections("tcp"):
        if connection.status == "LISTEN" and connection.laddr.port == ports.kafka:
            found["kafka"] = connection.pid
    # Last, as the others are its children.
    supervisor = psutil.Process(found["job"]).parent()
    return found | ({"supervisor": supervisor.pid} if supervisor else {})


async def load(ports: Ports, pids: dict[str, int], rate: int, seconds: float) -> dict[str, Any]:
    """So many requests a second for so long after a warm-up: delays, and what ``pids`` take.

    Every call has visitors of its own, whose events are counted from one.
    """
    done: dict[str, list[float]] = defaultdict(list)
    seen: dict[str, list[Told]] = defaultdict(list)
    stop = asyncio.Event()
    watcher = asyncio.create_task(_watch(ports.api, seen, stop))
    begin = time.time()
    clients = [
        _client(ports.site, rate / 4, WARM_UP_S + seconds, done, f"bench-{begin:.0f}-{part}")
        for part in range(4)
    ]
    load = asyncio.gather(*clients)
    await asyncio.sleep(WARM_UP_S)
    usage = Usage(pids)
    await load
    used = usage.since()
    await asyncio.sleep(8)
    stop.set()
    await watcher
    found = delays(done, seen, begin + WARM_UP_S)
    return {
        "rate": rate,
        "measured": len(found),
        "sent": sum(t >= begin + WARM_UP_S for times in done.values() for t in times),
        **summary(found),
        "usage": used,
    }


def main(
    rates: list[int],
    seconds: float,
    bucket_counts: list[int],
    states: list[int],
    engines: Sequence[str] = ("clickwake",),
) -> list[dict[str, Any]]:
    """Each bucket count with each state size and each engine in a fresh stack, there each rate.

    A JSON line each. A peer begins without state: it would take too long to fill.
    """
    results = []
    for buckets, sessions, engine in product(bucket_counts, states, engines):
        if sessions and engine != "clickwake":
            continue
        with running_stack(buckets) as ports, session_job(engine, ports) as job:
            if sessions:
                fill_state(ports.kafka, ports.api, sessions)
            for rate in rates:
                loaded = asyncio.run(load(ports, stack_pids(ports) | job, rate, seconds))
                one = {"engine": engine, "buckets": buckets, "state": sessions} | loaded
                results.append(one)
                print(json.dumps(one), flush=True)
    return results


@contextmanager
def session_job(engine: str, ports: Ports) -> Iterator[dict[str, int]]:
    """The process that makes sessions, if it is not the stack's own, which then stands still."""
    if engine == "clickwake":
        yield {}
        return
    with standing_still(stack_pids(ports)["job"]), flink(ports.kafka) as process:
        yield {"job": process.pid}
