"""Who may watch, and for how long: keys and log-ins stay good only until someone revokes them."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection

from api.access.attempts import Attempts, wrong_key
from api.access.audit import Auditor
from api.access.credentials import shown
from api.access.keyring import Keyring
from api.access.scopes import Access, refusal
from api.live.tickets import Tickets

RECHECK_SECONDS = 30.0
"""So often a connection asks whether its key is still good."""

Judge = Callable[[], Awaitable[Access | None]]


class RefusedError(Exception):
    """The client may not come in, or not stay. The message says why."""


class Badge(NamedTuple):
    """What someone may do, and how to ask again whether they still may; never, without a key."""

    access: Access
    judge: Judge | None = None


class Admission:
    """Judges what clients show: in the handshake, in a first message, or as a ticket."""

    def __init__(
        self,
        keyring: Keyring,
        auditor: Auditor,
        attempts: Attempts,
        tickets: Tickets[Badge],
        *,
        recheck: float = RECHECK_SECONDS,
    ) -> None:
        self._keyring = keyring
        self._auditor = auditor
        self._attempts = attempts
        self._recheck = recheck
        self.tickets = tickets

    def badge_of(self, connection: HTTPConnection) -> Badge:
        """What the gate found in the headers."""
        credential, access = shown(connection.headers), Access.of(connection)
        if credential is None or access.key_id is None:
            return Badge(access)
        ask = self._keyring.access_of if credential.in_header else self._keyring.access_of_login
        return Badge(access, lambda: ask(credential.text))

    async def by_key(self, key: str, address: str) -> Badge:
        """What a key in a message allows. Raises RefusedError, and SQLAlchemyError."""
        try:
            if self._keyring.remembered(key) is None:
                self._attempts.check(address)
            access = await self._keyring.access_of(key)
            if access is None:
                self._attempts.failed(address)
                self._auditor.refused("key_refused", key, address)
                raise wrong_key()
        except HTTPException as error:
            raise RefusedError(error.detail) from None
        return Badge(access, lambda: self._keyring.access_of(key))

    def by_ticket(self, ticket: str) -> Badge:
        """What a ticket allows, once. Raises RefusedError."""
        badge = self.tickets.redeem(ticket)
        if badge is None:
            raise RefusedError("The ticket is used, older than 30 s or unknown: get a new one.")
        return badge

    async def admit(
        self, badge: Badge, address: str, *, key: str | None = None, ticket: str | None = None
    ) -> Badge:
        """The badge of someone who may watch. Raises RefusedError, and SQLAlchemyError."""
        if ticket is not None:
            badge = self.by_ticket(ticket)
        elif key is not None:
            badge = await self.by_key(key, address)
        if not badge.access.has("read"):
            raise RefusedError(refusal(badge.access, "read").detail)
        return badge

    async def revoked(self, badge: Badge) -> None:
        """Returns when the badge is not good any more; never for one without a key."""
        if badge.judge is None:
            await asyncio.Event().wait()
            return
        while True:
            await asyncio.sleep(self._recheck)
            try:
                access = await badge.judge()
            except SQLAlchemyError:
                continue  # the keyring held to its last verdict as long as it may
            if access is None or not access.has("read"):
                return

    async def while_allowed(self, badge: Badge, serving: Awaitable[None]) -> None:
        """Serve until that ends, or the badge does. Raises RefusedError then."""
        if badge.judge is None:
            await serving
            return
        served = asyncio.ensure_future(serving)
        revoked = asyncio.ensure_future(self.revoked(badge))
        try:
            await asyncio.wait([served, revoked], return_when=asyncio.FIRST_COMPLETED)
            if not served.done():
                raise RefusedError("The key was revoked or is over.")
            served.result()
        finally:
            for task in (served, revoked):
                task.cancel()
            await asyncio.gather(served, revoked, return_exceptions=True)
