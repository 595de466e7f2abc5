"""Logging in and out: a key becomes a cookie that scripts cannot read."""

import asyncio
from collections.abc import Callable

from msgspec import Struct
from sqlalchemy import Engine
from starlette.requests import Request
from starlette.types import Scope

from api.access import audit, store
from api.access.attempts import Attempts, wrong_key
from api.access.audit import Auditor, Entry
from api.access.credentials import is_https, login_token, set_cookie
from api.access.keyring import Keyring
from api.access.scopes import Access
from api.history.engine import changing


class Door(Struct, frozen=True, kw_only=True):
    """What logging in is made of. ``lifetime_ms`` is how long a browser stays logged in."""

    engine: Engine
    clock: Callable[[], int]
    keyring: Keyring
    auditor: Auditor
    attempts: Attempts
    address_of: Callable[[Scope], str]
    lifetime_ms: int

    async def log_in(self, request: Request, key: str) -> str:
        """The ``Set-Cookie`` of a new log-in. Raises 401 for a wrong key, 429 after many."""
        address = self.address_of(request.scope)
        self.attempts.check(address)
        access = await self.keyring.access_of(key)
        if access is None:
            self.attempts.failed(address)
            self.auditor.refused("log_in_refused", key, address)
            raise wrong_key()
        self.attempts.log_in(access.actor)
        now = self.clock()
        until = min(now + self.lifetime_ms, access.expires or now + self.lifetime_ms)
        await self._end_former(request)
        token = await asyncio.to_thread(self._keep, access, now, until, address)
        secure = is_https(request.scope["scheme"], request.headers)
        return set_cookie(token, (until - now) // 1000, is_https=secure)

    def _keep(self, access: Access, now: int, until: int, address: str) -> str:
        with changing(self.engine) as connection:
            audit.record(connection, Entry("log_in", access.actor, address=address), now)
            return store.log_in(connection, access, now, until)

    async def log_out(self, request: Request) -> list[str]:
        """Forget the log-in; the ``Set-Cookie`` headers that make the browser forget it, too."""
        await self._end_former(request)
        return [set_cookie("", 0, is_https=secure) for secure in (False, True)]

    async def _end_former(self, request: Request) -> None:
        token = login_token(request.headers)
        if token is not None:
            address = self.address_of(request.scope)
            await asyncio.to_thread(self._forget, token, Access.of(request), address)
            self.keyring.forget(token)

    def _forget(self, token: str, access: Access, address: str) -> None:
        with changing(self.engine) as connection:
            if store.log_out(connection, token):
                entry = Entry("log_out", access.actor, address=address)
                audit.record(connection, entry, self.clock())
