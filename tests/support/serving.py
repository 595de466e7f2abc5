"""Real servers in processes of their own."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from infra.paths import PROJECT
from infra.ports import free_ports, is_listening
from tests.support.waiting import wait_until


class Server:
    """A server that listens, on a port of 127.0.0.1."""

    def __init__(self, process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
        self.process, self.port, self.log = process, port, log

    def stop(self) -> int:
        """SIGTERM, and the exit status."""
        self.process.terminate()
        return self.process.wait(90)


def a_file(folder: Path) -> Path:
    """100,000 bytes for a site to serve."""
    file = folder / "file.bin"
    file.write_bytes(b"0123456789" * 10_000)
    return file


def gunicorn(
    app: str, folder: Path, *options: str, environ: Mapping[str, str] | None = None
) -> AbstractContextManager[Server]:
    """``app`` is ``module:name``; the log is in ``folder``."""
    (port,) = free_ports(1)
    # No file for its control socket: a server of another test would meet it.
    command = ["gunicorn", app, f"--bind=127.0.0.1:{port}", "--no-control-socket", *options]
    return _serving(command, port, folder, environ)


def uvicorn(
    app: str, folder: Path, *options: str, environ: Mapping[str, str] | None = None
) -> AbstractContextManager[Server]:
    """``app`` is ``module:name``; the log is in ``folder``."""
    (port,) = free_ports(1)
    command = ["uvicorn", app, f"--port={port}", "--no-proxy-headers", *options]
    return _serving(command, port, folder, environ)


@contextmanager
def _serving(
    command: list[str], port: int, folder: Path, environ: Mapping[str, str] | None
) -> Iterator[Server]:
    log = folder / f"{port}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", *command],
            cwd=PROJECT,
            # A seed: frameworks put sets into headers, whose order would differ by process.
            env={
                **os.environ,
                "PYTHONPATH": str(PROJECT),
                "PYTHONHASHSEED": "0",
                **(environ or {}),
            },
            stdout=out,
            stderr=out,
        )
    try:
        wait_until(lambda: _is_up(process, port, log), 60, f"{command[0]} listens")
        yield Server(process, port, log)
    finally:
        if process.poll() is None:
            process.terminate()
            process.wait(90)


def _is_up(process: "subprocess.Popen[bytes]", port: int, log: Path) -> bool:
    if process.poll() is not None:
        raise RuntimeError(f"the server ended at once: {log.read_text()}")
    return is_listening(f"127.0.0.1:{port}")
