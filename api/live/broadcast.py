"""The hub on an event loop: a timer for its frames and a sender for each dashboard."""

import asyncio
from collections.abc import Iterable
from typing import Protocol

import msgspec

from api.feed import Clock
from api.live.hub import Hub
from api.live.mailbox import Mailbox
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

    A timer for each message of each dashboard would cost more than the message does, so one
    sweep over all of them looks for who must be told that nothing happens, and who is stuck.
    """

    def __init__(self, hub: Hub, now: int) -> None:
        self.awake = asyncio.Event()
        self.mailbox, self.first = hub.join(now, self.awake.set)
        self.told_at = _tick()
        self.is_sending = False
        self.stuck: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def tell(self, socket: Socket, message: bytes) -> None:
        """Send the message."""
        self.told_at, self.is_sending = _tick(), True
        await socket.send(message)
        self.is_sending = False

    def look(self, now: float, heartbeat: float, patience: float) -> None:
        """Wake it for a heartbeat, or give it up. The latter two are in seconds."""
        waited = (now - self.told_at) / 1000
        if not self.is_sending and waited >= heartbeat:
            self.awake.set()
        elif self.is_sending and waited >= patience and not self.stuck.done():
            self.stuck.set_exception(TimeoutError("it does not read"))


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
        self._heartbeat = heartbeat
        self._patience = patience
        self._timer: asyncio.TimerHandle | None = None
        self._listeners: set[Listener] = set()
        self._sweeper: asyncio.TimerHandle | None = None

    async def take(self, messages: Iterable[Message]) -> None:
        """Take in what the job has written, and plan the frame that tells of it."""
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
        self._plan()

    async def serve(self, socket: Socket) -> None:
        """Tell one dashboard everything until it leaves.

        Raises TimeoutError when it stops reading.
        """
        listener = Listener(self._hub, self._clock())
        self._listeners.add(listener)
        self._sweep_later()
        tasks = [
            asyncio.create_task(self._tell(socket, listener)),
            asyncio.create_task(self._answer(socket)),
        ]
        try:
            ends: list[asyncio.Future[None]] = [*tasks, listener.stuck]
            done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._listeners.discard(listener)
            self._hub.leave(listener.mailbox)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for end in done:
            end.result()

    async def _tell(self, socket: Socket, listener: Listener) -> None:
        message = listener.first
        while True:
            await listener.tell(socket, message)
            await listener.awake.wait()
            listener.awake.clear()
            message = listener.mailbox.take() or self._sign_of_life(listener.mailbox)

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
            listener.look(now, self._heartbeat, self._patience)
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
