"""The API against its own OpenAPI document: Schemathesis with all of its checks on.

It asks for what the document allows and for what it does not, by every method, with and without
the key, and compares each answer's status, headers, type and body with what the document says.
``SCHEMA_SEED`` asks in another way.
"""

import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from api.history.writer import HistoryWriter
from contracts.kafka import KafkaSettings
from infra.paths import PROJECT
from tests.support.access import new_key
from tests.support.api import Served, api_settings, served
from tests.support.filtering import EVENTS, SESSIONS
from tests.support.history import a_slice, new_history

pytestmark = pytest.mark.slow

RUN = [sys.executable, "-m", "schemathesis.cli", "--no-color", "run"]
CONFIGURATION = """
    # The other methods are refused in the same place, and each costs a request an address.
    [phases.coverage]
    unexpected-methods = ["patch", "trace"]

    # The document says 503 for a database that does not answer: here it does.
    [checks.not_a_server_error]
    expected-statuses = ["2xx", "3xx", "4xx"]

    # An event is judged by more than its form: its site, its time, secrets in it.
    [[operations]]
    include-path = "/api/v1/events"
    checks.positive_data_acceptance.expected-statuses = ["200", "207", "401", "403", "422", "429"]
"""


@pytest.fixture
def api(tmp_path: Path, kafka: KafkaSettings) -> Iterator[Served]:
    engine = new_history(tmp_path)
    HistoryWriter(engine).take([a_slice("sessions", SESSIONS), a_slice("events", EVENTS)])
    engine.dispose()
    settings = api_settings(tmp_path, require_keys=True, key_requests_per_minute=1_000_000)
    with served(settings, kafka) as running:
        yield running.wait_ready()


@pytest.mark.timeout(1_200)
def test_every_answer_is_as_the_document_says(api: Served, tmp_path: Path) -> None:
    key = new_key(tmp_path, "ingest", "read", "export", "erase", "admin")
    (tmp_path / "schemathesis.toml").write_text(textwrap.dedent(CONFIGURATION))
    command = [
        *(*RUN, f"http://{api.address}/openapi.json"),
        *("--header", f"Authorization: Bearer {key}"),
        *("--checks", "all", "--max-examples", "4", "--no-shrink", "--continue-on-failure"),
        *("--seed", os.environ.get("SCHEMA_SEED", "7"), "--request-timeout", "60"),
        *("--max-response-time", "60"),
    ]
    hooks = {"SCHEMATHESIS_HOOKS": "tests.support.schema_hooks"}
    path = os.pathsep.join([str(PROJECT), *filter(None, [os.environ.get("PYTHONPATH")])])
    found = subprocess.run(
        command,
        cwd=tmp_path,
        env={**os.environ, **hooks, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr
