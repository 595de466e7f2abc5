"""One server with so many clients at one rate."""

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import psutil

from benchmarks.fanout.limits import cores, pinned
from benchmarks.fanout.listening import Heard, Task
from benchmarks.fanout.results import Plan, Round
from benchmarks.fanout.servers import Running, serving
from contracts.kafka import KafkaSettings
from infra.ports import HOST

SETTLE_S = 1.0
"""After the start, before the server's memory without clients is looked at."""
NS = 1_000_000_000


def measured(plan: Plan, name: str, number: int, kafka: KafkaSettings | None) -> Round:
    """Start the server, connect, publish through a warm-up and the time that counts."""
    with serving(name, plan.clients, kafka) as server:
        time.sleep(SETTLE_S)
        process = psutil.Process(server.pid)
        before = _memory(process)
        with _listeners(server, plan.clients) as listeners:
            _say(listeners, f"from {time.monotonic_ns() + int(plan.warm_up_s * NS)}")
            _publish(server, plan.rate, plan.warm_up_s, 0)
            cpu, begun = _cpu(process), time.monotonic()
            first = round(plan.rate * plan.warm_up_s)
            published = _publish(server, plan.rate, plan.seconds, first)
            took, used = time.monotonic() - begun, _cpu(process) - cpu
            memory = _memory(process)
            _say(listeners, f"end {published * plan.clients}")
            heard = _heard(listeners)
    return Round(
        server=name,
        number=number,
        clients=plan.clients,
        rate=plan.rate,
        seconds=round(took, 2),
        published=published,
        delivered=round(heard.updates / (published * plan.clients), 4),
        frames_per_s=round(heard.frames / plan.clients / took, 2),
        frame_bytes=heard.frame_bytes,
        left=heard.left,
        told_ms=heard.told_ms,
        fanout_ms=heard.fanout_ms,
        cpu=round(used / took, 3),
        memory_mb=round(memory / 1e6, 1),
        kb_per_client=round((memory - before) / plan.clients / 1000, 1),
        client_cpu=round(heard.cpu_s / took, 3),
    )


def _publish(server: Running, rate: float, seconds: float, first: int) -> int:
    """Open loop: an update's delay counts from when it was due, also if it is sent later."""
    count, begin = round(rate * seconds), time.monotonic_ns()
    for number in range(count):
        due = begin + int(number / rate * NS)
        time.sleep(max(0, due - time.monotonic_ns()) / NS)
        server.publish(first + number, due)
    # The last update's turn belongs to the time that is measured.
    time.sleep(max(0.0, begin / NS + seconds - time.monotonic()))
    return count


@contextmanager
def _listeners(server: Running, clients: int) -> "Iterator[subprocess.Popen[str]]":
    """All clients, connected, in a process on the other core."""
    task = Task(
        host=HOST,
        port=server.port,
        path=server.path,
        clients=clients,
        hello=server.hello,
        echo=server.echo,
    )
    command = [sys.executable, "-m", "benchmarks.fanout.listening"]
    with pinned(cores()[1]):
        process = subprocess.Popen(
            [*command, msgspec.json.encode(task).decode()],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
    try:
        assert process.stdout is not None
        if process.stdout.readline().strip() != "connected":
            raise SystemExit(f"{clients} clients could not connect to {server.path}")
        yield process
    finally:
        process.kill()
        process.wait()


def _say(listeners: "subprocess.Popen[str]", text: str) -> None:
    assert listeners.stdin is not None
    listeners.stdin.write(text + "\n")
    listeners.stdin.flush()


def _heard(listeners: "subprocess.Popen[str]") -> Heard:
    assert listeners.stdout is not None
    line = listeners.stdout.readline()
    if not line:
        raise SystemExit("the clients broke off")
    return msgspec.json.decode(line, type=Heard)


def _cpu(process: psutil.Process) -> float:
    used = process.cpu_times()
    return float(used.user + used.system)


def _memory(process: psutil.Process) -> int:
    return int(process.memory_full_info().pss)
