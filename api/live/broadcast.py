"""The hub on an event loop: a timer for its frames and a sender for each dashboard."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import AsyncExitStack, asynccontextmanager

import msgspec

from api.feed import Clock
from api.live.filters import confined
from api.live.hub import Hub
from api.live.listener import SILENT, Greeting, Listener, Socket, tick
from api.live.mailbox import Mailbox
from api.live.meter import Meter
from api.live.pace import Allowance
from api.live.position import Offsets, Read, Stream
from api.live.seed import Seed
from contracts import Message
from contracts.live import ClientMessage, Goodbye, Ping, Pong, Subscribe

HEARTBEAT_SECONDS = 5.0
STUCK_SECONDS = 30.0
RECOVERY_SECONDS = 3.0
"""How long one that was further than this process waits for it, before it gets a snapshot."""
GREETINGS = 50
"""Snapshots that are on their way at a time, when many come at once: each has its own copy."""
GREETING_SECONDS = 1.0
"""How long one that does not read may keep the next from being greeted."""
SWEEPS = 10
"""How often in a heartbeat's time the dashboards are looked over: it may be so much late."""
RETRY_MS = (500, 2_000)
"""After how long dashboards come back when the server ends; later by 1 ms for each of them."""
_CLIENT = msgspec.json.Decoder(ClientMessage)


class EndingError(Exception):
    """The server is being stopped. Connect again in a moment."""


class ChatterError(Exception):
    """A client sent too many messages. It should send a few a minute."""


class Broadcast:
    """Serves any number of dashboards. Everything but its construction runs on one event loop."""

    def __init__(
        self,
        hub: Hub,
        clock: Clock,
        *,
        heartbeat: float = HEARTBEAT_SECONDS,
        patience: float = STUCK_SECONDS,
        greetings: int = GREETINGS,
    ) -> None:
        self._hub = hub
        self._clock = clock
        self.meter = Meter(clock())
        self._heartbeat = heartbeat
        self._patience = patience
        self._timer: asyncio.TimerHandle | None = None
        self._listeners: set[Listener] = set()
        self._sweeper: asyncio.TimerHandle | None = None
        self._advanced = asyncio.Event()
        self._is_ending = False
        self._greetings = asyncio.Semaphore(greetings)

    async def take(self, reads: Iterable[Read], offsets: Offsets | None = None) -> None:
        """Take in what the job has written, up to these offsets, and plan the frame for it."""
        reads = list(reads)
        self.meter.see(read.message for read in reads)
        self._hub.see(reads, self._clock(), tick())
        if offsets:
            self._hub.read_until(offsets)
        self._plan()
        self._advance()

    def start_from(self, seed: Seed) -> None:
        """Begin with what the history knows; dashboards that came before are told it."""
        self._hub.start_from(seed.sessions, seed.minutes, self._clock(), seed.events)

    def erase(self, which: Callable[[Message], bool], sessions: Collection[str]) -> None:
        """Forget what these messages told, and these sessions; so must every dashboard."""
        self._hub.erase(which, sessions, self._clock())

    def begin_at(self, stream: Stream, offsets: Offsets) -> None:
        """Kafka is read from these offsets on."""
        self._hub.begin_at(stream, offsets, self._clock())
        self._advance()

    def _plan(self) -> None:
        if self._timer is None and self._hub.due is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_at(self._hub.due / 1000, self._deliver)

    def _deliver(self) -> None:
        self._timer = None
        self._hub.deliver(self._clock(), tick())
        self.meter.sent(self._clock())
        self._plan()
        self._advance()

    def _advance(self) -> None:
        self._advanced.set()
        self._advanced = asyncio.Event()

    async def serve(self, socket: Socket, greeting: Greeting = SILENT) -> None:
        """Tell one dashboard everything until it leaves.

        Raises TimeoutError when it stops reading, EndingError when the server stops, ChatterError,
        TooManyGroupsError, OtherSiteError, and msgspec's errors for a message that is none.
        """
        await self._until_recoverable(greeting)
        async with AsyncExitStack() as stack:
            async with self._greetings:
                listener = await stack.enter_async_context(self._joined(socket, greeting))
                await self._until_taken(listener)
            await self._attend(socket, listener, greeting.site)

    @asynccontextmanager
    async def _joined(self, socket: Socket, greeting: Greeting) -> AsyncIterator[Listener]:
        """Greeted, and told everything during the block."""
        if self._is_ending:
            raise EndingError
        listener = Listener(self._hub, socket, self._clock(), greeting)
        self._listeners.add(listener)
        self._sweep_later()
        try:
            listener.greet()
            yield listener
        finally:
            self._listeners.discard(listener)
            self._hub.leave(listener.mailbox)
            await listener.stop()

    async def _until_taken(self, listener: Listener) -> None:
        """In a crowd: until the snapshot has left this process. It may be large.

        A connection takes all that it is given and only then lets the next message wait, so it
        is a second, small one that tells.
        """
        if not self._greetings.locked():
            return
        await listener.idle(GREETING_SECONDS)
        if listener.is_idle:
            listener.send(self._sign_of_life(listener.mailbox))
            await listener.idle(GREETING_SECONDS)

    async def _attend(self, socket: Socket, listener: Listener, site: str | None) -> None:
        """Answer what the client says until one side ends."""
        answering = asyncio.create_task(self._answer(socket, listener, site))
        ends: list[asyncio.Future[None]] = [answering, listener.ended]
        try:
            done, _ = await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            answering.cancel()
            await asyncio.gather(answering, return_exceptions=True)
        for end in done:
            end.result()

    @property
    def behind(self) -> int:
        """How many dashboards have not taken the message before yet."""
        return sum(listener.is_behind for listener in self._listeners)

    def say_goodbye(self) -> None:
        """End all connections, each with a hint when to come back."""
        self._is_ending = True
        first, last = RETRY_MS
        last += len(self._listeners)
        for listener in self._listeners:
            if listener.is_idle:
                goodbye = Goodbye(retry_ms=random.randint(first, last))
                listener.send(msgspec.json.encode(goodbye))
            listener.end(EndingError())

    async def _until_recoverable(self, greeting: Greeting) -> None:
        if greeting.resume is None:
            return
        deadline = tick() + RECOVERY_SECONDS * 1000
        while self._hub.may_yet_recover(greeting.wanted, greeting.resume):
            left = (deadline - tick()) / 1000
            if left <= 0:
                return
            waiting = asyncio.ensure_future(self._advanced.wait())
            await asyncio.wait([waiting], timeout=left)
            waiting.cancel()

    def _sign_of_life(self, mailbox: Mailbox) -> bytes:
        now = self._clock()
        return mailbox.heartbeat(now, self._hub.pipeline_age_ms(now))

    def _sweep_later(self) -> None:
        if self._sweeper is None:
            loop = asyncio.get_running_loop()
            self._sweeper = loop.call_later(self._heartbeat / SWEEPS, self._sweep)

    def _sweep(self) -> None:
        self._sweeper = None
        now = tick()
        for listener in self._listeners:
            if listener.look(now, self._heartbeat, self._patience):
                listener.send(self._sign_of_life(listener.mailbox))
        if self._listeners:
            self._sweep_later()

    async def _answer(self, socket: Socket, listener: Listener, site: str | None) -> None:
        allowance = Allowance()
        while (text := await socket.receive()) is not None:
            if not allowance.takes(tick()):
                raise ChatterError
            message = _CLIENT.decode(text)
            if isinstance(message, Ping):
                await self._pong(socket, message)
            elif isinstance(message, Subscribe):
                wanted = confined(message.subscription, site)
                self._hub.resubscribe(listener.mailbox, wanted, self._clock())
            else:
                raise msgspec.ValidationError("hello is the first message of a connection only")

    async def _pong(self, socket: Socket, ping: Ping) -> None:
        pong = Pong(sent=ping.sent, server_time=float(self._clock()))
        async with asyncio.timeout(self._patience):
            await socket.send(msgspec.json.encode(pong))
