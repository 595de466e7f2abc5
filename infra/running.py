"""Run a stack in the foreground: lock, clean up, start, watch, stop, and tell about it all."""

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event

from rich.markup import escape

from infra.children import ChildSpec
from infra.erasing.watch import ErasureWatch
from infra.errors import InfraError
from infra.hold import HoldReader
from infra.kafka_broker import prepare as prepare_broker
from infra.orders import Orders
from infra.outages import Outages
from infra.paths import Places
from infra.processes import ProcessMark, end_leftovers, mark
from infra.rotation import rotate
from infra.stack import Stack, backfill_spec, checkpoint_of, child_specs
from infra.state import ChildState, StackState, StackStatus, read_state, write_state
from infra.steps import Steps
from infra.supervisor import Supervisor


def end_leftover_processes(places: Places) -> None:
    """End processes that a killed supervisor left. The caller holds the stack's lock."""
    earlier = read_state(places.state_file)
    if earlier is not None:
        end_leftovers([child.mark for child in earlier.children if child.mark is not None])
    shutil.rmtree(places.run / "spark", ignore_errors=True)


class Runner:
    """One run of one stack. The caller holds its lock."""

    def __init__(self, stack: Stack, steps: Steps) -> None:
        self._stack = stack
        self._steps = steps
        self._status: StackStatus = "starting"
        self._presses = 0
        self._stop = Event()
        self._me = mark_of_this_process()
        self._outages = Outages(stack.places.steering) if stack.kind == "demo" else None
        self._holds = HoldReader(stack.places.hold_file)

    def run(self) -> None:
        """Until a signal: SIGINT, SIGTERM or SIGHUP. Raises InfraError when it cannot start."""
        with self._signals():
            if self._outages is not None:
                self._outages.begin()
            orders = Orders(self._stack.places.backfills, partial(backfill_spec, self._stack))
            supervisor = Supervisor(
                self._specs(), self._steps, self._changed, self._why_held, orders.look
            )
            erasures = ErasureWatch(self._stack, self._steps)
            try:
                if supervisor.start(self._stop):
                    self._serving(supervisor.states())
                    erasures.start()
                    supervisor.watch(self._stop)
            finally:
                erasures.stop()
                self._status = "stopping"
                self._write(supervisor.states())
                orders.stop()
                supervisor.stop(lambda: self._presses > 1)
                self._stack.places.state_file.unlink(missing_ok=True)

    def _specs(self) -> list[ChildSpec]:
        command = None if self._stack.broker is None else prepare_broker(self._stack.broker)
        specs = child_specs(self._stack, command)
        for spec in specs:
            rotate(spec.log)
        return specs

    def _serving(self, states: list[ChildState]) -> None:
        self._status = "serving"
        addresses = self._stack.addresses()
        width = max((len(title) for title in addresses), default=0)
        self._steps.say()
        for title, address in addresses.items():
            self._steps.say(f"  {title:<{width}}  [bold]{address}[/bold]")
        self._steps.say(f"  {'Logs':<{width}}  {escape(str(self._stack.places.logs))}")
        self._steps.say("\nReady. Ctrl-C stops everything.")
        # Last: whoever waits for the state has then seen all the lines.
        self._write(states)

    def _why_held(self, name: str) -> str | None:
        asked = self._outages.why(name) if self._outages is not None else None
        return asked or self._holds.why(name)

    def _changed(self, states: list[ChildState]) -> None:
        self._write(states)
        if self._outages is not None:
            self._outages.tell(states)

    def _write(self, states: list[ChildState]) -> None:
        state = StackState(
            supervisor=self._me,
            status=self._status,
            kind=self._stack.kind,
            addresses=self._stack.addresses(),
            kafka=self._stack.kafka.bootstrap_servers,
            topic_prefix=self._stack.kafka.topic_prefix,
            checkpoint=checkpoint_of(self._stack.places, self._stack.environ),
            children=states,
        )
        write_state(self._stack.places.state_file, state)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before = [signal.signal(number, self._asked_to_stop) for number in numbers]
        try:
            yield
        finally:
            for number, handler in zip(numbers, before, strict=True):
                signal.signal(number, handler)

    def _asked_to_stop(self, *unused: object) -> None:
        # A second Ctrl-C means: do not wait for anyone.
        self._presses += 1
        self._stop.set()


def mark_of_this_process() -> ProcessMark:
    """This process, to be recognised by others."""
    me = mark(os.getpid())
    if me is None:
        raise InfraError("The process table cannot be read: is /proc mounted?")
    return me
