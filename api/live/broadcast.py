"""The hub on an event loop: a timer for its frames and a sender for each dashboard."""

import asyncio
import contextlib
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
_PING = msgspec.json.Decoder(Ping)


class Socket(Protocol):
    """A WebSocket as far as broadcasting needs one; ``receive`` returns None at the end."""

    async def send(self, message: bytes) -> None:
        """Send a text message; waits while the client's buffers are full."""
        ...

    async def receive(self) -> str | bytes | None:
        """The next message of the client."""
        ...


class Broadcast:
    """Serves any number of dashboards. Everything but its construction runs on one event loop."""

    def __init__(self, hub: Hub, clock: Clock, *, heartbeat: float = HEARTBEAT_SECONDS) -> None:
        self._hub = hub
        self._clock = clock
        self._heartbeat = heartbeat
        self._timer: asyncio.TimerHandle | None = None

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
        """Tell one dashboard everything until it leaves, or until it stops reading."""
        awake = asyncio.Event()
        mailbox, first = self._hub.join(self._clock(), awake.set)
        tasks = [
            asyncio.create_task(self._tell(socket, mailbox, first, awake)),
            asyncio.create_task(self._answer(socket)),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._hub.leave(mailbox)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        for task in done:
            task.result()

    async def _tell(
        self, socket: Socket, mailbox: Mailbox, first: bytes, awake: asyncio.Event
    ) -> None:
        message: bytes | None = first
        while True:
            if message is not None:
                async with asyncio.timeout(STUCK_SECONDS):
                    await socket.send(message)
            message = await self._next(mailbox, awake)

    async def _next(self, mailbox: Mailbox, awake: asyncio.Event) -> bytes | None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(awake.wait(), self._heartbeat)
            awake.clear()
            return mailbox.take()
        now = self._clock()
        return mailbox.heartbeat(now, self._hub.pipeline_age_ms(now))

    async def _answer(self, socket: Socket) -> None:
        while (text := await socket.receive()) is not None:
            ping = _PING.decode(text)
            pong = Pong(sent=ping.sent, server_time=float(self._clock()))
            async with asyncio.timeout(STUCK_SECONDS):
                await socket.send(msgspec.json.encode(pong))


def _tick() -> float:
    return asyncio.get_running_loop().time() * 1000
