"""The shop as a process of its own, as the product runs it."""

import os
import socket
import subprocess
import sys

import httpx
import pytest

from tests.support.waiting import wait_until


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def environment(**settings):
    names = {f"CLICKWAKE_{name}": str(value) for name, value in settings.items()}
    return {**os.environ, "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:1", **names}


def test_it_serves_without_kafka_and_ends_when_told_to(tmp_path):
    port = free_port()
    settings = environment(
        DEMO_PORT=port, DEMO_DATABASE=tmp_path / "new" / "shop.sqlite3", SITE_FLUSH_DEADLINE="0ms"
    )
    process = subprocess.Popen([sys.executable, "-m", "frontend.demo_site"], env=settings)
    try:
        wait_until(lambda: answers(port), what="the shop answers")
        assert "Kelp" in httpx.get(f"http://127.0.0.1:{port}/").text
    finally:
        process.terminate()
        status = process.wait(timeout=30)
    assert status in (0, -15)


def answers(port):
    try:
        return httpx.get(f"http://127.0.0.1:{port}/healthz").text == "ok"
    except httpx.TransportError:
        return False


@pytest.mark.parametrize(
    ("setting", "sentence"),
    [
        ({"DEMO_PROT": 1}, "CLICKWAKE_DEMO_PROT is not a setting"),
        ({"SITE_TRUSTED_PROXIES": "10.0.0/8"}, "trusted_proxies holds '10.0.0/8'"),
    ],
)
def test_a_wrong_setting_is_one_sentence(tmp_path, setting, sentence):
    settings = environment(DEMO_DATABASE=tmp_path / "shop.sqlite3", **setting)
    ended = subprocess.run(
        [sys.executable, "-m", "frontend.demo_site"],
        env=settings, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert ended.returncode == 1
    assert sentence in ended.stderr
    assert "Traceback" not in ended.stderr
