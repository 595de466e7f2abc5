"""Centrifugo, built from its Go module by the Go that is there."""

import os
import shutil
import subprocess
from pathlib import Path

from benchmarks.compare.environments import BENCH, UnavailableError

VERSION = "v6.9.1"
_MODULE = f"github.com/centrifugal/centrifugo/v6@{VERSION}"
_USUAL = Path("/usr/local/go/bin/go")
_BUILD_S = 1_800

CHANNEL = "bench"
HELLO = '{"id":1,"connect":{}}\n{"id":2,"subscribe":{"channel":"bench"}}'
ECHO = "{}"
"""Its ping, which clients send back."""


def ensure_centrifugo() -> Path:
    """The program. Raises UnavailableError when it cannot be built here."""
    folder = BENCH / "go" / f"centrifugo-{VERSION}"
    program = folder / "centrifugo"
    if not program.is_file():
        _build(folder)
    return program


def _build(folder: Path) -> None:
    go = shutil.which("go") or (str(_USUAL) if _USUAL.is_file() else None)
    if go is None:
        raise UnavailableError("there is no Go compiler to build it with (1.26 or later)")
    environ = os.environ | {"GOBIN": str(folder), "CGO_ENABLED": "0"}
    try:
        done = subprocess.run(
            [go, "install", _MODULE],
            env=environ,
            capture_output=True,
            text=True,
            check=False,
            timeout=_BUILD_S,
        )
    except subprocess.TimeoutExpired:
        raise UnavailableError(f"its build took longer than {_BUILD_S} s") from None
    if done.returncode:
        last = [line for line in done.stderr.splitlines() if line.strip()][-1:]
        raise UnavailableError(f"its build failed: {''.join(last)[:300]}")


def configuration(port: int, key: str) -> dict[str, object]:
    """Anybody may connect and listen; the publisher has a key. The rest is its default."""
    return {
        "http_server": {"address": "127.0.0.1", "port": str(port)},
        "http_api": {"key": key},
        "client": {
            "allow_anonymous_connect_without_token": True,
            "allowed_origins": ["*"],
        },
        "channel": {
            "without_namespace": {
                "allow_subscribe_for_client": True,
                "allow_subscribe_for_anonymous": True,
            }
        },
        "log": {"level": "error"},
    }
