"""The live benchmark, short: what was sent is what was seen, and how long it took by tenths."""

import json
import subprocess
import sys

import pytest

from infra.paths import PROJECT

pytestmark = [pytest.mark.slow, pytest.mark.quiet]


def test_every_response_is_told_of_at_the_dashboard() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "live", "--rate", "40", "--seconds", "10"],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("{")]
    found = json.loads(line)
    assert 390 <= found["sent"] <= 410
    assert found["measured"] == found["sent"]
    assert len(found["tenths_p50_s"]) == 10
    assert 0 < found["p50_s"] <= found["p99_s"]
