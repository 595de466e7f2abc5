"""Talk about a running stack from another process: stop it, show it, read its logs."""

import os
import signal
import time
from collections.abc import Iterator

import psutil

from contracts.client import key_headers
from infra.errors import InfraError
from infra.paths import Places
from infra.processes import end_leftovers, is_running, session_members
from infra.readiness import components, fetch
from infra.state import ChildState, StackState, is_locked, read_state, running_state
from infra.steps import Steps

STOP_SECONDS = 25.0
POLL_SECONDS = 0.1
MEBIBYTE = 1024 * 1024


def stop(places: Places, steps: Steps) -> None:
    """Stop the stack on this data, or what a killed one left; says so when there is none."""
    state = read_state(places.state_file)
    if state is not None and is_running(state.supervisor):
        with steps.step("Stopping the stack") as step:
            _stop_supervisor(places, state)
            step.done()
        return
    if is_locked(places.lock_file):
        raise InfraError(
            "A stack is still being set up: wait until it serves, or press Ctrl-C where it began."
        )
    marks = [child.mark for child in state.children if child.mark] if state else []
    left = end_leftovers(marks)
    places.state_file.unlink(missing_ok=True)
    steps.say(f"Ended {left} left-over process(es)." if left else "No stack is running.")


def _stop_supervisor(places: Places, state: StackState) -> None:
    os.kill(state.supervisor.pid, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while is_running(state.supervisor) or is_locked(places.lock_file):
        if time.monotonic() > deadline:
            raise InfraError(
                f"The stack has not stopped after {STOP_SECONDS:.0f} s: "
                f"its supervisor is process {state.supervisor.pid}."
            )
        time.sleep(POLL_SECONDS)


def require_stopped(places: Places) -> None:
    """Raise InfraError while a stack runs on this data."""
    if is_locked(places.lock_file):
        raise InfraError("A stack is running on this data: end it with `./clickwake stop` first.")


def require_running(places: Places) -> StackState:
    """The running stack's state. Raises InfraError when there is none."""
    state = running_state(places.state_file)
    if state is None:
        raise InfraError("No stack is running: start one with `./clickwake demo`.")
    return state


def site_of(state: StackState) -> str:
    """The demo site's address. Raises InfraError when the running stack has none."""
    address = state.addresses.get("Demo site")
    if address is None:
        raise InfraError(
            "The running stack has no demo site: sample visitors go to that of `./clickwake demo`."
        )
    return address.rstrip("/")


def process_rows(state: StackState) -> Iterator[tuple[str, ...]]:
    """For each process: name, status, process id, uptime, memory, restarts."""
    for child in state.children:
        pid = str(child.mark.pid) if child.mark else "–"
        uptime = f"{time.time() - child.mark.started:.0f} s" if child.mark else "–"
        memory = f"{_memory(child) / MEBIBYTE:.0f} MB" if child.mark else "–"
        yield child.name, child.status, pid, uptime, memory, str(child.restarts)


def _memory(child: ChildState) -> int:
    total = 0
    for pid in session_members(child.mark.pid) if child.mark else []:
        try:
            total += psutil.Process(pid).memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total


def health(state: StackState) -> dict[str, tuple[bool, str]]:
    """What the API's ``/readyz`` says of each part; empty when it does not answer."""
    dashboard = state.addresses.get("Dashboard")
    if not dashboard:
        return {}
    return components(fetch(f"{dashboard}readyz", headers=key_headers(os.environ))[1])
