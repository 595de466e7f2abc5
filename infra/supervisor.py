"""Start, watch, restart and stop a stack's processes: one thread, one loop, no sleeping blind."""

import time
from collections.abc import Callable, Sequence
from threading import Event

from infra.backoff import NEEDS_A_PERSON, delay_after, failures_after
from infra.children import Child, ChildSpec, last_lines
from infra.errors import InfraError
from infra.state import ChildState, ChildStatus
from infra.steps import Step, Steps

LOOK_SECONDS = 0.1
PROBE_SECONDS = 0.25
FAILURES_AT_START = 3
START_SECONDS = 180.0
STOP_SECONDS = 14.0


class _Watched:
    """A process through its starts and ends."""

    def __init__(self, spec: ChildSpec) -> None:
        self.spec = spec
        self.status: ChildStatus = "waiting"
        self.child: Child | None = None
        self.step: Step | None = None
        self.failures = 0
        self.restarts = 0
        self.next_look = 0.0
        self.ready_since: float | None = None
        self.detail = ""

    def state(self) -> ChildState:
        return ChildState(
            name=self.spec.name,
            status=self.status,
            mark=self.child.mark if self.child else None,
            restarts=self.restarts,
            address=self.spec.address,
            detail=self.detail,
        )


class Supervisor:
    """Runs specs in their given order, and stops them in the opposite one.

    ``on_change`` is called after every change of a process's status, with all of them.
    ``held`` says why the process of that name must not run now; None: it may. ``on_look`` is
    called many times a second once all are ready.
    """

    def __init__(
        self,
        specs: Sequence[ChildSpec],
        steps: Steps,
        on_change: Callable[[list[ChildState]], None] = lambda states: None,
        held: Callable[[str], str | None] = lambda name: None,
        on_look: Callable[[], None] = lambda: None,
    ) -> None:
        self._watched = {spec.name: _Watched(spec) for spec in specs}
        self._steps = steps
        self._on_change = on_change
        self._held = held
        self._on_look = on_look
        self._starting = True

    def start(self, stop: Event) -> bool:
        """Start all and wait until all are ready; False when ``stop`` was set before.

        Raises InfraError when one keeps ending before it is ready, or takes far too long.
        """
        deadline = time.monotonic() + START_SECONDS
        while not stop.is_set():
            self._look()
            if all(one.status == "ready" for one in self._watched.values()):
                self._starting = False
                return True
            if any(one.status == "held" for one in self._watched.values()):
                deadline = time.monotonic() + START_SECONDS
            if time.monotonic() > deadline:
                raise self._too_slow()
            stop.wait(LOOK_SECONDS)
        return False

    def watch(self, stop: Event) -> None:
        """Restart who ends, with back-off, until ``stop`` is set."""
        while not stop.wait(LOOK_SECONDS):
            self._look()
            self._on_look()

    def stop(self, at_once: Callable[[], bool] = lambda: False) -> None:
        """Stop all, last started first. ``at_once``: whether to stop being patient."""
        deadline = time.monotonic() + STOP_SECONDS
        for one in reversed(self._watched.values()):
            if one.child is None:
                continue
            left = 0.0 if at_once() else max(0.0, deadline - time.monotonic())
            self._stop_one(one, one.child, min(one.spec.grace_s, left))

    def states(self) -> list[ChildState]:
        """All processes now."""
        return [one.state() for one in self._watched.values()]

    def _look(self) -> None:
        for one in self._watched.values():
            if self._is_held(one):
                continue
            if one.child is not None and one.child.exit_code() is not None:
                self._ended(one, one.child)
            elif time.monotonic() >= one.next_look:
                self._advance(one)

    def _is_held(self, one: _Watched) -> bool:
        """Stop who must not run now; let who may again begin at once."""
        why = self._held(one.spec.name)
        if why is None:
            if one.status == "held":
                one.failures, one.next_look, one.detail = 0, 0.0, ""
                self._set(one, "waiting")
            return False
        if one.status != "held":
            if one.child is not None:
                one.child.ask_to_stop()
                one.child.finish(one.spec.grace_s)
            one.child, one.detail = None, why
            self._steps.say(f"{one.spec.title} is on hold: {why}")
            self._set(one, "held")
        return True

    def _advance(self, one: _Watched) -> None:
        if one.status in ("waiting", "backing_off"):
            if all(self._watched[name].status == "ready" for name in one.spec.needs):
                self._begin(one)
        elif one.status == "starting" and one.child is not None:
            self._probe(one, one.child)

    def _begin(self, one: _Watched) -> None:
        if self._starting and one.spec.before_start is not None:
            one.spec.before_start()
        one.step = one.step or self._steps.begin(one.spec.title)
        one.child, one.detail, one.ready_since = Child(one.spec), "", None
        self._set(one, "starting")

    def _probe(self, one: _Watched, child: Child) -> None:
        one.next_look = time.monotonic() + PROBE_SECONDS
        if not one.spec.is_ready(child.started):
            return
        if not self._follow_up(one.spec):
            return
        if one.step is not None:
            one.step.done(one.spec.address)
            one.step = None
        one.ready_since = time.monotonic()
        self._set(one, "ready")

    def _follow_up(self, spec: ChildSpec) -> bool:
        """Whether what comes with readiness is done. Who once was ready may fall again: wait."""
        try:
            if spec.when_ready is not None:
                spec.when_ready()
        except InfraError:
            if self._starting:
                raise
            return False
        return True

    def _ended(self, one: _Watched, child: Child) -> None:
        code, now = child.exit_code(), time.monotonic()
        was_ready = now - one.ready_since if one.ready_since is not None else 0.0
        child.clear()
        one.child = None
        one.failures = failures_after(one.failures, was_ready)
        hopeless = one.failures >= FAILURES_AT_START or code == NEEDS_A_PERSON
        if self._starting and hopeless:
            raise self._does_not_start(one)
        wait, one.detail = delay_after(code, one.failures), last_lines(one.spec.log)
        when = f"in {wait:.0f} s" if wait else "now"
        self._steps.say(f"{one.spec.title} ended ({code}); it starts again {when}")
        one.restarts += 1
        one.next_look = now + wait
        self._set(one, "backing_off")

    def _set(self, one: _Watched, status: ChildStatus) -> None:
        one.status = status
        self._on_change(self.states())

    def _stop_one(self, one: _Watched, child: Child, grace_s: float) -> None:
        with self._steps.step(f"Stopping {one.spec.title}") as step:
            child.ask_to_stop()
            child.finish(grace_s)
            step.done()
        one.child = None
        self._set(one, "stopped")

    def _does_not_start(self, one: _Watched) -> InfraError:
        if one.step is not None:
            one.step.failed()
        return InfraError(
            f"{one.spec.title} does not start; its log {one.spec.log} ends with: "
            f"{last_lines(one.spec.log)}"
        )

    def _too_slow(self) -> InfraError:
        slow = [one.spec for one in self._watched.values() if one.status != "ready"]
        names = ", ".join(spec.title for spec in slow)
        return InfraError(
            f"Not ready after {START_SECONDS:.0f} s: {names}; the log {slow[0].log} says why."
        )
