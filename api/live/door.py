"""How a WebSocket's client gets in: what it says first, and how long it may take for that."""

import asyncio

import msgspec

from api.live.admission import Admission, Badge
from api.live.filters import DEFAULT
from api.live.listener import SILENT, Greeting, Socket
from contracts.live import ClientMessage, Hello

SILENCE_SECONDS = 0.25
"""A client that says nothing for so long gets the default, if nobody has to log in."""
LOGIN_SECONDS = 10.0
"""A client that promised a hello, or has to log in, has so long for it."""

_CLIENT = msgspec.json.Decoder(ClientMessage)


class SilentError(Exception):
    """The client had to say hello and did not in time."""


class Overheard:
    """A socket whose first message was already asked for."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket
        self._first: asyncio.Future[str | bytes | None] | None = None

    async def send(self, message: bytes) -> None:
        """As the socket does."""
        await self._socket.send(message)

    async def receive(self) -> str | bytes | None:
        """As the socket does, beginning with the first message if it was not used."""
        if self._first is None:
            return await self._socket.receive()
        first, self._first = self._first, None
        return await first

    async def first(self, seconds: float) -> str | bytes | None:
        """The first message; it stays the next one to receive. None at the end. May time out."""
        if self._first is None:
            self._first = asyncio.ensure_future(self._socket.receive())
        done, _ = await asyncio.wait([self._first], timeout=seconds)
        if not done:
            raise TimeoutError
        return self._first.result()

    def close(self) -> None:
        """Ask for nothing more."""
        if self._first is not None:
            self._first.cancel()


class Door:
    """Lets clients in, one by one."""

    def __init__(
        self,
        admission: Admission,
        *,
        silence: float = SILENCE_SECONDS,
        patience: float = LOGIN_SECONDS,
    ) -> None:
        self._admission = admission
        self._silence = silence
        self._patience = patience

    async def greet(
        self, socket: Overheard, badge: Badge, address: str, *, promised: bool
    ) -> tuple[Badge, Greeting]:
        """Wait for the hello. RefusedError, OtherSiteError, SilentError, msgspec's."""
        hello = await self._hello(socket, must_speak=promised or not badge.access.has("read"))
        if hello is None:
            admitted = await self._admission.admit(badge, address)
            return admitted, SILENT.for_site(admitted.access.site)
        await socket.receive()
        greeting = Greeting(hello.subscription or DEFAULT, hello.resume)
        admitted = await self._admission.admit(badge, address, key=hello.key, ticket=hello.ticket)
        return admitted, greeting.for_site(admitted.access.site)

    async def _hello(self, socket: Overheard, *, must_speak: bool) -> Hello | None:
        try:
            text = await socket.first(self._patience if must_speak else self._silence)
        except TimeoutError:
            if must_speak:
                raise SilentError from None
            return None
        message = None if text is None else _CLIENT.decode(text)
        return message if isinstance(message, Hello) else None
