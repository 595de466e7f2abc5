"""One dashboard on an event loop: who it is served by, and how it is written to."""

import asyncio
from typing import NamedTuple, Protocol

from api.live.eager import begin
from api.live.filters import DEFAULT, confined
from api.live.hub import Hub
from contracts.live import Subscription


class Socket(Protocol):
    """A connection as far as broadcasting needs one; ``receive`` returns None at the end."""

    async def send(self, message: bytes) -> None:
        """Send a text message; waits while the client's buffers are full."""
        ...

    async def receive(self) -> str | bytes | None:
        """The next message of the client."""
        ...


class Greeting(NamedTuple):
    """What a client said first: what it wants, and the position at which it was cut off.

    ``site`` is the only one that it may ever watch, whatever it wants; None: any.
    """

    wanted: Subscription = DEFAULT
    resume: str | None = None
    site: str | None = None

    def for_site(self, site: str | None) -> "Greeting":
        """As one who may watch this site only says it. Raises OtherSiteError."""
        return Greeting(confined(self.wanted, site), self.resume, site)


SILENT = Greeting()
"""Of a client that said nothing."""


class Listener:
    """A dashboard that is being served, and since when (in ms of the loop) it waits.

    Messages are written as they come, in the call that brings them: waking a task for each would
    cost half as much again as the message does. Nor has each a timer: one sweep over all of
    them looks for who must be told that nothing happens, and who is stuck.
    """

    def __init__(self, hub: Hub, socket: Socket, now: int, greeting: Greeting = SILENT) -> None:
        self.mailbox, self._first = hub.join(now, self._wake, greeting.wanted, greeting.resume)
        self._socket = socket
        self._told_at = tick()
        self._sending: asyncio.Task[None] | None = None
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def greet(self) -> None:
        """Send the snapshot, or what was missed."""
        first, self._first = self._first, b""
        self.send(first)

    def send(self, message: bytes) -> None:
        """Send a message to one that is not being sent another."""
        self._told_at = tick()
        try:
            self._sending = begin(self._socket.send(message))
        except Exception as error:
            self.end(error)
            return
        if self._sending is not None:
            self._sending.add_done_callback(self._sent)

    def look(self, now: float, heartbeat: float, patience: float) -> bool:
        """Give it up if it is stuck; whether it is time for a heartbeat. Both in seconds."""
        waited = (now - self._told_at) / 1000
        if self._sending is not None and waited >= patience:
            self.end(TimeoutError("it does not read"))
        return self.is_idle and waited >= heartbeat

    @property
    def is_behind(self) -> bool:
        """Whether a message is still on its way through the connection's buffers."""
        return self._sending is not None

    @property
    def is_idle(self) -> bool:
        """Whether it could be sent something at once."""
        return self._sending is None and not self.ended.done()

    async def idle(self, seconds: float) -> None:
        """Wait until it has taken what it was sent, but not longer than this."""
        if self._sending is not None:
            ends = [self._sending, self.ended]
            await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)

    async def stop(self) -> None:
        """Send nothing more."""
        if not self.ended.cancel() and not self.ended.cancelled():
            self.ended.exception()  # or asyncio would complain that nobody asked
        if self._sending is not None:
            self._sending.cancel()
            await asyncio.wait([self._sending])

    def end(self, error: BaseException) -> None:
        """Its serving ends with this error."""
        if not self.ended.done():
            self.ended.set_exception(error)

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
            self.end(error)
        self._wake()


def tick() -> float:
    """Now, in ms of the running loop's clock."""
    return asyncio.get_running_loop().time() * 1000
