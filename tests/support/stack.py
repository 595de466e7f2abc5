"""The whole product, started as a newcomer starts it."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import msgspec

from infra.ports import free_ports
from tests.support.job import MMDB, ROOT


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


def new_stack(data: Path) -> RunningStack:
    """One with its data in that folder, on free ports; not started."""
    site, api, kafka = free_ports(3)
    return RunningStack(
        data=data,
        site=f"http://127.0.0.1:{site}",
        api=f"http://127.0.0.1:{api}",
        kafka=f"127.0.0.1:{kafka}",
        ports=(f"--port-site={site}", f"--port-api={api}", f"--port-kafka={kafka}"),
    )
