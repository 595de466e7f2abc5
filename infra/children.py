"""One process of the stack: how to start it, when it is ready, how it ends."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from infra.processes import ProcessMark, kill_session, mark, session_members, wait_until_empty

LAUNCHER = str(Path(__file__).parent / "launch.py")


def at_once(started: int) -> bool:
    """The readiness of a process of which nothing can be asked."""
    return True


class ChildSpec(msgspec.Struct, frozen=True, kw_only=True):
    """What the supervisor needs to know about a process.

    ``title`` is what people read. ``needs`` names processes that must be ready before this one
    starts. ``is_ready`` is asked again and again after the start, with its time in ms since
    1970, and must answer within about two seconds. ``when_ready`` runs once after each
    start. ``grace_s`` is how long the process may take to end after SIGTERM. ``address`` is
    shown when it is ready. ``before_start`` raises InfraError when the first start would be in
    vain.
    """

    name: str
    title: str
    command: tuple[str, ...]
    log: Path
    environment: Mapping[str, str]
    needs: tuple[str, ...] = ()
    is_ready: Callable[[int], bool] = at_once
    before_start: Callable[[], None] | None = None
    when_ready: Callable[[], None] | None = None
    grace_s: float = 3.0
    address: str = ""


class Child:
    """A running process, the leader of a session of its own, and all that it started.

    ``started`` is in ms since 1970, UTC.
    """

    def __init__(self, spec: ChildSpec) -> None:
        self.spec = spec
        self.started = int(time.time() * 1000)
        spec.log.parent.mkdir(parents=True, exist_ok=True)
        # The launcher's parent must be the thread that lives as long as the supervisor:
        # Linux ends the child when the *thread* that started it ends.
        command = [sys.executable, "-I", "-S", LAUNCHER, str(os.getpid()), *spec.command]
        with spec.log.open("ab") as log:
            self._process = subprocess.Popen(
                command,
                env=dict(spec.environment),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        self.mark = mark(self._process.pid) or ProcessMark(pid=self._process.pid, started=0.0)

    @property
    def pid(self) -> int:
        """Its process id, and its session's."""
        return self._process.pid

    def exit_code(self) -> int | None:
        """None while it runs; negative: the signal that ended it."""
        return self._process.poll()

    def ask_to_stop(self) -> None:
        """SIGTERM to the leader alone: it knows best how to end what it started."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)

    def finish(self, seconds: float) -> None:
        """Wait for the leader's end, then end whoever is left of its session."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(max(0.0, seconds))
            # A JVM needs a moment to notice that its driver is gone.
            wait_until_empty(self.pid, 1.0)
        self.clear()

    def clear(self) -> None:
        """End all of its session, at once."""
        if session_members(self.pid):
            kill_session(self.pid)
        self._process.wait()


def last_lines(log: Path, count: int = 1) -> str:
    """The end of a log, for an error's sentence."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 8192))
            lines = file.read().decode(errors="replace").strip().splitlines()
    except OSError:
        return ""
    return " | ".join(line.strip() for line in lines[-count:])
