"""Fan-out, whole, with few clients: the product's API on a real Kafka, and the plain broadcast."""

import json
from pathlib import Path

import pytest

from benchmarks.fanout.main import main

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]


def test_every_client_is_told_every_update(tmp_path: Path) -> None:
    rounds = main([20], [4.0], ["clickwake", "broadcast"], 2.0, 1, tmp_path, warm_up_s=1.0)
    assert [(one.server, one.failure) for one in rounds] == [
        ("clickwake", None),
        ("broadcast", None),
    ]
    for one in rounds:
        assert (one.published, one.delivered, one.left) == (8, 1.0, 0)
        assert 0 < one.told_ms[0] <= one.told_ms[-1]
        assert one.frame_bytes > 2_000
        assert one.memory_mb > 1
    kept = json.loads((tmp_path / "results.json").read_text())
    assert [one["server"] for one in kept["results"]] == ["clickwake", "broadcast"]
    assert "| Clickwake | 20 | 4 |" in (tmp_path / "table.md").read_text()
