"""The whole product under attack: started as anybody starts it, its processes found by name."""

import os
import random
import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path

from contracts.kafka import KafkaSettings
from infra.ports import is_free, is_listening
from infra.processes import ProcessMark, is_running, session_members
from infra.readiness import components, fetch
from infra.state import ChildState, StackState, read_state
from tests.chaos.disks import Disk
from tests.support.job import MMDB, ROOT
from tests.support.waiting import wait_until

RULES = {
    "CLICKWAKE_JOB_GAP": "5s",
    "CLICKWAKE_JOB_WATERMARK_DELAY": "2s",
    "CLICKWAKE_JOB_WATERMARK_INTERVAL": "1s",
    "CLICKWAKE_JOB_ALLOWED_LATENESS": "24h",
    "CLICKWAKE_JOB_GEO": str(MMDB),
}
"""Sessions close within seconds, and no outage of a run makes anything late."""

OWN_PORTS = range(20_000, 32_768)
"""Linux gives none of these to a program that asks for any port, unless it is told to."""

START_SECONDS = 400
READY_SECONDS = 300.0


class World:
    """One stack on free ports with its data in ``data``; checkpoint, Kafka's log and the
    history each on a small disk of their own where the machine allows it."""

    def __init__(self, data: Path) -> None:
        self.data = data
        site, api, kafka = own_ports(3)
        self.site, self.api = f"http://127.0.0.1:{site}", f"http://127.0.0.1:{api}"
        self.kafka = KafkaSettings(bootstrap_servers=f"127.0.0.1:{kafka}")
        self.checkpoint = data / "job" / "checkpoint"
        self.database = data / "history" / "history.db"
        self.disks = {
            "checkpoint": Disk(self.checkpoint.parent, 256),
            "kafka": Disk(data / "kafka", 1024),
            "history": Disk(self.database.parent, 512),
        }
        self._ports = (f"--port-site={site}", f"--port-api={api}", f"--port-kafka={kafka}")
        self.environ = (
            {k: v for k, v in os.environ.items() if not k.startswith("CLICKWAKE_")}
            | RULES
            | {
                "PYTHONPATH": str(ROOT),
                "CLICKWAKE_INFRA_DATA": str(data),
                "CLICKWAKE_API_DATABASE_URL": f"sqlite:///{self.database}",
                "CLICKWAKE_JOB_CHECKPOINT": str(self.checkpoint),
            }
        )

    def start(self) -> None:
        """Start the stack, or start it again; AssertionError with its words when it does not."""
        command = ["demo", "--detach", "--no-traffic", *self._ports, "--data", str(self.data)]
        done = self.command(*command)
        assert done.returncode == 0, f"the stack does not start: {done.stdout}{done.stderr}"

    def stop(self) -> None:
        """Stop it in order."""
        self.command("stop", "--data", str(self.data))

    def command(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of the command line."""
        return subprocess.run(
            [sys.executable, "-m", "infra.cli", *words],
            cwd=ROOT,
            env=self.environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=START_SECONDS,
        )

    def log(self, name: str) -> Path:
        """A process's log."""
        return self.data / "logs" / f"{name}.log"

    def state(self) -> StackState | None:
        """What the supervisor says of the stack; None while there is none."""
        return read_state(self.data / "run" / "stack.json")

    def child(self, name: str) -> ChildState | None:
        """One process."""
        state = self.state()
        return next((c for c in state.children if c.name == name), None) if state else None

    def mark(self, name: str) -> ProcessMark | None:
        """The running process of that name, the leader of its session."""
        child = self.child(name)
        return child.mark if child and child.mark and is_running(child.mark) else None

    def wait_for(self, name: str, seconds: float = READY_SECONDS) -> ProcessMark:
        """The process once the supervisor calls it ready."""
        mark = wait_until(lambda: self._ready(name), seconds, f"{name} is ready")
        assert mark is not None
        return mark

    def _ready(self, name: str) -> ProcessMark | None:
        child = self.child(name)
        return self.mark(name) if child and child.status == "ready" else None

    def kill(self, name: str) -> ProcessMark | None:
        """kill -9 of the process and of everything that it started; None when it does not run."""
        mark = self.mark(name)
        if mark is not None:
            signal_all(session_members(mark.pid), signal.SIGKILL)
            wait_until(lambda: not session_members(mark.pid), 20, f"the end of {name}")
        return mark

    def kill_supervisor(self) -> list[ProcessMark]:
        """kill -9 of the supervisor; what it ran, which is told to end by that."""
        state = self.state()
        assert state is not None
        os.kill(state.supervisor.pid, signal.SIGKILL)
        return [child.mark for child in state.children if child.mark]

    def health(self) -> dict[str, tuple[bool, str]]:
        """The API's word on each part; empty when it does not answer."""
        return components(fetch(f"{self.api}/readyz")[1])

    def is_healthy(self) -> bool:
        """Whether all parts are well."""
        found = self.health()
        return bool(found) and all(ok for ok, _ in found.values())

    def has_kafka(self) -> bool:
        """Whether anyone listens where Kafka should be."""
        return is_listening(self.kafka.bootstrap_servers)


def own_ports(count: int) -> list[int]:
    """Free ports, which nobody else is given while who listens on them is killed or kept down."""
    free = filter(is_free, random.sample(OWN_PORTS, len(OWN_PORTS)))
    return list(islice(free, count))


def signal_all(pids: list[int], number: signal.Signals) -> None:
    """Send it to whoever still lives."""
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue


def now_ms() -> int:
    """Now, in ms since 1970 UTC."""
    return time.time_ns() // 1_000_000
