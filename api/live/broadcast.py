"""The hub on an event loop: a timer for its frames and a sender for each dashboard."""

import asyncio
from collections.abc import Iterable
from typing import Protocol

import msgspec

from api.feed import Clock
from api.live.eager import begin
from api.live.hub import Hub
from api.live.mailbox import Mailbox
from api.live.meter import Meter
from api.live.seed import Seed
from contracts import Message
from contracts.live import Ping, Pong

HEARTBEAT_SECONDS = 5.0
STUCK_SECONDS = 30.0
SWEEPS = 10
"""How often in a heartbeat's time the dashboards are looked over: it may be so much late."""
_PING = msgspec.json.Decoder(Ping)


class Socket(Protocol):
    """A WebSocket as far as broadcasting needs one; ``receive`` returns None at the end."""

    async def send(self, message: bytes) -> None:
        """Send a text message; waits while the client's buffers are full."""
        ...

    async def receive(self) -> str | bytes | None:
        """The next message of the client."""
        ...


class Listener:
    """A dashboard that is being served, and since when (in ms of the loop) it waits.

    Messages are written as they come, in the call that brings them: waking a task for each would
    cost half as much again as the message does. Nor has each a timer: one sweep over all of
    them looks for who must be told that nothing happens, and who is stuck.
    """

    def __init__(self, hub: Hub, socket: Socket, now: int) -> None:
        self.mailbox, self._first = hub.join(now, self._wake)
        self._socket = socket
        self._told_at = _tick()
        self._sending: asyncio.Task[None] | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def greet(self) -> None:
        """Send the snapshot."""
        self.send(self._first)

    def send(self, message: bytes) -> None:
        """Send a message to one that is not being sent another."""
        self._told_at = _tick()
        try:
            self._sending = begin(self._socket.send(message))
        except Exception as error:
            self._end(error)
            return
        if self._sending is not None:
            self._sending.add_done_callback(self._sent)

    @property
    def is_behind(self) -> bool:
        """Whether a message is still on its way through the connection's buffers."""
        return self._sending is not None

    def look(self, now: float, heartbeat: float, patience: float) -> bool:
        """Give it up if it is stuck; whether it is time for a heartbeat. Both in seconds."""
        waited = (now - self._told_at) / 1000
        if self._sending is not None and waited >= patience:
            self._end(TimeoutError("it does not read"))
        return self._sending is None and waited >= heartbeat and not self.ended.done()

    async def stop(self) -> None:
        """Send nothing more."""
        if not self.ended.cancel() and not self.ended.cancelled():
            self.ended.exception()  # or asyncio would complain that nobody asked
        if self._sending is not None:
            self._sending.cancel()
            await asyncio.wait([self._sending])

    def _wake(self) -> None:
        if self._sending is None and not self.ended.done():
            message = self.mailbox.take()
            if message is not None:
                self.send(message)

    def _sent(self, task: asyncio.Task[None]) -> None:
        self._sending = None
        if task.cancelled():
            return
        error = task.exception()
        if error is not None:
            self._end(error)
        self._wake()

    def _end(self, error: BaseException) -> None:
        if not self.ended.done():
            self.ended.set_exception(error)


class Broadcast:
    """Serves any number of dashboards. Everything but its construction runs on one event loop."""

    def __init__(
        self,
        hub: Hub,
        clock: Clock,
        *,
        heartbeat: float = HEARTBEAT_SECONDS,
        patience: float = STUCK_SECONDS,
    ) -> None:
        self._hub = hub
        self._clock = clock
        self.meter = Meter(clock())
        self._heartbeat = heartbeat
        self._patience = patience
        self._timer: asyncio.TimerHandle | None = None
        self._listeners: set[Listener] = set()
        self._sweeper: asyncio.TimerHandle | None = None

    async def take(self, messages: Iterable[Message]) -> None:
        """Take in what the job has written, and plan the frame that tells of it."""
        messages = list(messages)
        self.meter.see(messages)
        self._hub.see(messages, self._clock(), _tick())
        self._plan()

    def start_from(self, seed: Seed) -> None:
        """Begin with what the history knows; dashboards that came before are told it."""
        self._hub.start_from(seed.sessions, seed.minutes, self._clock(), _tick())
        self._plan()

    def _plan(self) -> None:
        if self._timer is None and self._hub.due is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(self._hub.due / 1000, self._deliver)

    def _deliver(self) -> None:
        self._timer = None
        self._hub.deliver(self._clock(), _tick())
        self.meter.sent(self._clock())
        self._plan()

    async def serve(self, socket: Socket) -> None:
        """Tell one dashboard everything until it leaves.

        Raises TimeoutError when it stops reading.
        """
        listener = Listener(self._hub, socket, self._clock())
        self._listeners.add(listener)
        self._sweep_later()
        listener.greet()
        answering = asyncio.create_task(self._answer(socket))
        ends: list[asyncio.Future[None]] = [answering, listener.ended]
        try:
            done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._listeners.discard(listener)
            self._hub.leave(listener.mailbox)
            await listener.stop()
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
        for end in done:
            end.result()

    @property
    def behind(self) -> int:
        """How many dashboards have not taken the message before yet."""
        return sum(listener.is_behind for listener in self._listeners)

    def _sign_of_life(self, mailbox: Mailbox) -> bytes:
        now = self._clock()
        return mailbox.heartbeat(now, self._hub.pipeline_age_ms(now))

    def _sweep_later(self) -> None:
        if self._sweeper is None:
            loop = asyncio.get_running_loop()
            self._sweeper = loop.call_later(self._heartbeat / SWEEPS, self._sweep)

    def _sweep(self) -> None:
        self._sweeper = None
        now = _tick()
        for listener in self._listeners:
            if listener.look(now, self._heartbeat, self._patience):
                listener.send(self._sign_of_life(listener.mailbox))
        if self._listeners:
            self._sweep_later()

    async def _answer(self, socket: Socket) -> None:
        while (text := await socket.receive()) is not None:
            ping = _PING.decode(text)
            pong = Pong(sent=ping.sent, server_time=float(self._clock()))
            async with asyncio.timeout(self._patience):
                await socket.send(msgspec.json.encode(pong))


def _tick() -> float:
    return asyncio.get_running_loop().time() * 1000
