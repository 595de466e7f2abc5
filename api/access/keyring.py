"""Judges keys and log-ins on the event loop, and asks the database as seldom as it can."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from api.access import store, tokens
from api.access.scopes import Access
from api.history.engine import changing

log = logging.getLogger(__name__)

FRESH_MS = 5_000
"""So long a verdict holds: a revoked key ends within it."""

STALE_MS = 300_000
"""So long a good verdict holds while the database does not answer."""

MOST_VERDICTS = 10_000

Find = Callable[[Connection, str, int], Access | None]


class Verdict(NamedTuple):
    """What a key was found to allow (None: nothing), and when."""

    access: Access | None
    at: int


class Keyring:
    """What keys and log-ins allow. For use on one event loop; ``clock`` says ms since 1970."""

    def __init__(self, engine: Engine, clock: Callable[[], int]) -> None:
        self._engine = engine
        self._clock = clock
        self._verdicts: OrderedDict[str, Verdict] = OrderedDict()
        self._noted: dict[str, int] = {}
        self._noting: set[asyncio.Future[None]] = set()

    def remembered(self, text: str) -> Verdict | None:
        """The verdict on a key or log-in of some moments ago."""
        verdict = self._verdicts.get(tokens.digest(text))
        return verdict if verdict and self._clock() - verdict.at < FRESH_MS else None

    async def access_of(self, key: str) -> Access | None:
        """What an API key allows; None when it is none, or is revoked or over.

        Raises SQLAlchemyError when the database does not answer.
        """
        if tokens.key_id(key) is None:
            return None
        return await self._judge(key, store.access_by_key)

    async def access_of_login(self, token: str) -> Access | None:
        """The same for a log-in's token."""
        return await self._judge(token, store.access_by_login) if tokens.is_login(token) else None

    def forget(self, text: str) -> None:
        """Ask the database at the next use."""
        self._verdicts.pop(tokens.digest(text), None)

    async def _judge(self, text: str, find: Find) -> Access | None:
        verdict = self.remembered(text) or await self._ask(text, find)
        access, now = verdict.access, self._clock()
        if access is None or access.is_over(now):
            return None
        self._note_use(access, now)
        return access

    async def _ask(self, text: str, find: Find) -> Verdict:
        name = tokens.digest(text)
        try:
            access = await asyncio.to_thread(self._find, text, find)
        except SQLAlchemyError:
            stale = self._verdicts.get(name)
            if stale is None or stale.access is None or self._clock() - stale.at >= STALE_MS:
                raise
            return stale
        verdict = self._verdicts[name] = Verdict(access, self._clock())
        self._verdicts.move_to_end(name)
        if len(self._verdicts) > MOST_VERDICTS:
            self._verdicts.popitem(last=False)
        return verdict

    def _find(self, text: str, find: Find) -> Access | None:
        with self._engine.connect() as connection:
            return find(connection, text, self._clock())

    def _note_use(self, access: Access, now: int) -> None:
        """Nobody waits for it: the history's writer may hold the database for a while."""
        key_id = access.key_id
        if key_id is None or now - self._noted.get(key_id, -store.LAST_USE_MS) < store.LAST_USE_MS:
            return
        self._noted[key_id] = now
        noting = asyncio.ensure_future(asyncio.to_thread(self._write_use, key_id, now))
        self._noting.add(noting)
        noting.add_done_callback(self._noting.discard)

    def _write_use(self, key_id: str, now: int) -> None:
        try:
            with changing(self._engine) as connection:
                store.note_use(connection, key_id, now)
        except SQLAlchemyError as error:
            log.debug("a key's last use was not written: %s", type(error).__name__)
