"""``./clickwake job`` on a data folder of its own, with rules that make sessions final soon."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from contracts.kafka import KafkaSettings
from infra.state import running_state
from tests.support.stack import environment
from tests.support.waiting import wait_until

PATIENCE_S = 240
RULES = {
    "CLICKWAKE_JOB_GAP": "3s",
    "CLICKWAKE_JOB_WATERMARK_DELAY": "1s",
    "CLICKWAKE_JOB_ALLOWED_LATENESS": "3s",
    "CLICKWAKE_JOB_BUCKETS": "8",
    "CLICKWAKE_JOB_WAKE_SHARES": "2",
    "CLICKWAKE_JOB_WATERMARK_INTERVAL": "500ms",
}


class JobStack:
    """``./clickwake job`` on a data folder of its own."""

    def __init__(self, kafka: KafkaSettings, data: Path) -> None:
        self.data = data
        self.checkpoint = data / "checkpoint"
        self.environment = environment() | RULES | {
            "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": kafka.bootstrap_servers,
            "CLICKWAKE_KAFKA_TOPIC_PREFIX": kafka.topic_prefix,
        }  # fmt: skip

    def run(self, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "infra.cli", *arguments, "--data", str(self.data)],
            capture_output=True,
            text=True,
            check=False,
            timeout=240,
            env=self.environment | extra,
        )

    def done(self, *arguments: str) -> str:
        """Of a command that must succeed."""
        result = self.run(*arguments)
        assert result.returncode == 0, result.stdout + result.stderr
        return result.stdout

    @contextmanager
    def running(self, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        self.data.mkdir(parents=True, exist_ok=True)
        with (self.data / "output.txt").open("ab") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "infra.cli", "job", *arguments, "--data", str(self.data)],
                env=self.environment,
                stdout=output,
                stderr=output,
            )
        try:
            wait_until(lambda: self.job_status() == "ready", PATIENCE_S, "a working job")
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(40)

    def job_status(self) -> str:
        state = running_state(self.data / "run/stack.json")
        return state.children[0].status if state and state.children else ""

    def manifest(self) -> Any:
        return json.loads((self.checkpoint / "clickwake.json").read_bytes())
