"""The stack that runs, or what one has left: processes, and the API's own word."""

from collections.abc import Iterator
from typing import Any

import msgspec

from contracts.findings import Finding, note, ok, problem, warning
from infra.processes import is_running, session_members
from infra.readiness import fetch
from infra.state import StackState

API_SECONDS = 5.0


class _Part(msgspec.Struct):
    ok: bool
    detail: str
    todo: str = ""


class _Readiness(msgspec.Struct):
    ready: bool
    components: dict[str, _Part]


def stack(state: StackState | None) -> Finding:
    """Whether one runs on this data, from its last written state."""
    if state is None:
        return note("stack", "None runs on this data.", "`./clickwake demo` or `./clickwake up`")
    if is_running(state.supervisor):
        return ok("stack", f"It is {state.status} (supervisor {state.supervisor.pid}).")
    left = [one.name for one in state.children if one.mark and session_members(one.mark.pid)]
    if left:
        what = f"A supervisor was killed and left processes: {', '.join(left)}."
        return problem("stack", what, "`./clickwake stop` ends them.")
    return note("stack", "The last one ended without a word.", "Start it again.")


def processes(state: StackState) -> Iterator[Finding]:
    """Each process that is not as it should be."""
    for child in state.children:
        name = f"process {child.name}"
        see = f"`./clickwake logs {child.name}` says more."
        if child.status == "backing_off":
            yield problem(name, f"It ended and will start again: {child.detail or 'no word'}.", see)
        elif child.status in {"waiting", "starting"} and state.status == "serving":
            yield warning(name, f"It is {child.status}.", see)
        elif child.status == "held":
            yield note(name, f"It is on hold: {child.detail}.")
        elif child.restarts:
            yield note(name, f"It has been started again {child.restarts} time(s).", see)
        else:
            yield ok(name, f"It is {child.status}.")


def api(address: str) -> Iterator[Finding]:
    """What ``/readyz`` at the address says, component by component."""
    status, document = fetch(f"{address.rstrip('/')}/readyz", API_SECONDS)
    if status == 0:
        what = f"The API at {address} does not answer."
        yield problem("API", what, "`./clickwake logs api` has its last words.")
        return
    yield from components(address, document)


def components(address: str, document: Any) -> Iterator[Finding]:
    """The same from its document."""
    try:
        found = msgspec.convert(document, _Readiness)
    except msgspec.ValidationError:
        what = f"What answers at {address} is no Clickwake API."
        yield problem("API", what, "End it, or give the stack another --port-api.")
        return
    for name, part in found.components.items():
        if part.ok:
            yield ok(f"API {name}", f"{part.detail}.")
        else:
            level = warning if name == "geo" else problem
            yield level(f"API {name}", f"{part.detail}.", part.todo)
