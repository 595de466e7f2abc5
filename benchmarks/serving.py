"""A server as a child process, from when it is up until it is no longer needed."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

START_S = 60
END_S = 20


@contextmanager
def served(
    command: list[str],
    environ: dict[str, str],
    log: Path,
    is_up: Callable[[], bool],
    started_in: AbstractContextManager[object] | None = None,
) -> Iterator[int]:
    """Its process id. Its output goes to ``log``, whose end is shown when it does not start."""
    with log.open("wb") as output, started_in or nullcontext():
        process = subprocess.Popen(command, env=environ, stdout=output, stderr=output)
    try:
        deadline = time.monotonic() + START_S
        while not is_up():
            if process.poll() is not None or time.monotonic() > deadline:
                sys.stderr.write(log.read_text(errors="replace")[-3000:])
                raise SystemExit(f"{' '.join(command[:3])} does not serve")
            time.sleep(0.1)
        yield process.pid
    finally:
        process.terminate()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
