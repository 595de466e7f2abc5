"""How a client gets in: what it says first, and how long it may take for that."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

import msgspec

from api.live.filters import DEFAULT
from api.live.listener import SILENT, Greeting, Socket
from contracts.live import ClientMessage, Hello

SILENCE_SECONDS = 0.25
"""A client that says nothing for so long gets the default, if nobody has to log in."""
LOGIN_SECONDS = 10.0
"""A client that promised a hello, or has to log in, has so long for it."""

_CLIENT = msgspec.json.Decoder(ClientMessage)


class Visitor(NamedTuple):
    """Who was let in: the id of the API key, or nobody in particular."""

    key_id: str | None = None


ANYONE = Visitor()

Authenticate = Callable[[str | None], Awaitable[Visitor | None]]
"""Who an API key belongs to; None for a key that may not watch. Without a key it gets None."""


async def let_anyone(_key: str | None) -> Visitor | None:
    """No key is needed."""
    return ANYONE


class RefusedError(Exception):
    """The client may not come in: a wrong key or ticket. The message says which."""


class SilentError(Exception):
    """The client had to say hello and did not in time."""


class Overheard:
    """A socket whose first message was already asked for."""

    def __init__(self, socket: Socket) -> None:
        self._socket = socket
        self._first: asyncio.Task[str | bytes | None] | None = None

    async def send(self, message: bytes) -> None:
        """As the socket does."""
        await self._socket.send(message)

    async def receive(self) -> str | bytes | None:
        """As the socket does, beginning with the first message that was not used."""
        first, self._first = self._first, None
        return await (first if first is not None else self._socket.receive())

    async def has_spoken(self, seconds: float) -> bool:
        """Whether the first message, or the end, comes within this time."""
        if self._first is None:
            self._first = asyncio.ensure_future(self._socket.receive())
        done, _ = await asyncio.wait([self._first], timeout=seconds)
        return bool(done)

    def push_back(self, message: str | bytes | None) -> None:
        """It was no hello: whoever receives next shall get it."""
        self._first = asyncio.ensure_future(_value(message))

    def close(self) -> None:
        """Ask for nothing more."""
        if self._first is not None:
            self._first.cancel()


async def _value(message: str | bytes | None) -> str | bytes | None:
    return message


class Door:
    """Lets clients in, one by one.

    ``authenticate`` decides about API keys, ``redeem`` about tickets, ``is_open`` says whether
    one may come in without either.
    """

    def __init__(
        self,
        authenticate: Authenticate = let_anyone,
        redeem: Callable[[str], Visitor | None] | None = None,
        is_open: Callable[[], bool] = lambda: True,
    ) -> None:
        self._authenticate = authenticate
        self._redeem = redeem
        self._is_open = is_open

    async def greet(self, socket: Overheard, *, promised: bool) -> tuple[Visitor, Greeting]:
        """Wait for the hello. Raises RefusedError, SilentError, and msgspec's errors."""
        must_speak = promised or not self._is_open()
        if not await socket.has_spoken(LOGIN_SECONDS if must_speak else SILENCE_SECONDS):
            if must_speak:
                raise SilentError
            return ANYONE, SILENT
        text = await socket.receive()
        hello = None if text is None else _CLIENT.decode(text)
        if isinstance(hello, Hello):
            wanted = hello.subscription or DEFAULT
            return await self.admit(hello.key, hello.ticket), Greeting(wanted, hello.resume)
        socket.push_back(text)
        return await self.admit(None, None), SILENT

    async def admit(self, key: str | None, ticket: str | None) -> Visitor:
        """Who has this key or ticket. Raises RefusedError."""
        if ticket is not None:
            visitor = self._redeem(ticket) if self._redeem else None
            if visitor is None:
                raise RefusedError("the ticket is used, too old or unknown: get a new one")
            return visitor
        visitor = await self._authenticate(key)
        if visitor is None:
            raise RefusedError("send a hello with a valid key, or with a ticket")
        return visitor
