"""The audit log: what was changed or tried, by whom, when. No secret is ever part of it."""

import asyncio
import logging
import time
from collections.abc import Callable
from typing import Any, NamedTuple, cast

from msgspec import Struct
from sqlalchemy import Connection, Engine, Table, insert, select
from sqlalchemy.exc import SQLAlchemyError
from uuid_utils import uuid7

from api.access import tokens
from api.access.address import network
from api.access.limits import Limit
from api.access.models import AuditRow
from api.history.engine import changing

log = logging.getLogger(__name__)

REFUSALS_A_MINUTE = 0.1
"""The same refusal at the same address is entered once in ten minutes."""

_TABLE = cast("Table", AuditRow.__table__)


class Entry(NamedTuple):
    """One thing that happened. ``address`` is cut to its network before it is kept."""

    action: str
    actor: str
    subject: str = ""
    address: str | None = None
    detail: str = ""


class AuditEntry(Struct, frozen=True, kw_only=True):
    """An entry of the audit log. ``time`` is ms since 1970 UTC."""

    entry_id: str
    time: int
    action: str
    actor: str
    subject: str
    network: str | None
    detail: str


class AuditPage(Struct, frozen=True, kw_only=True):
    """Entries, the newest first, and the ``before`` that asks for older ones; null at the end."""

    items: list[AuditEntry]
    next_before: str | None


def record(connection: Connection, entry: Entry, now: int) -> None:
    """Enter something, in the transaction of what was changed."""
    row = {
        "entry_id": str(uuid7()),
        "time": now,
        "action": entry.action,
        "actor": entry.actor,
        "subject": entry.subject,
        "network": network(entry.address),
        "detail": entry.detail,
    }
    connection.execute(insert(_TABLE).values(row))


def newest(connection: Connection, limit: int, before: str | None = None) -> AuditPage:
    """The newest entries, or those before an entry."""
    query: Any = select(_TABLE).order_by(_TABLE.c.entry_id.desc()).limit(limit + 1)
    if before is not None:
        query = query.where(_TABLE.c.entry_id < before)
    items = [AuditEntry(**row._mapping) for row in connection.execute(query)]
    following = items[limit - 1].entry_id if len(items) > limit else None
    return AuditPage(items=items[:limit], next_before=following)


class Auditor:
    """Enters what no transaction waits for: refusals. Used on one event loop."""

    def __init__(
        self,
        engine: Engine,
        clock: Callable[[], int],
        tick: Callable[[], float] = time.monotonic,
    ) -> None:
        self._engine = engine
        self._clock = clock
        self._tick = tick
        self._limit = Limit(REFUSALS_A_MINUTE)
        self._entering: set[asyncio.Future[None]] = set()

    def refused(self, action: str, text: str, address: str) -> None:
        """A wrong key was shown. Only its public id is told, and only if it is one."""
        key_id = tokens.key_id(text) or "of no known form"
        self._enter_seldom(Entry(action, "without a key", f"key {key_id}", address))

    def denied(self, actor: str, scope: str, address: str) -> None:
        """A good key was shown for what it does not allow."""
        self._enter_seldom(Entry("scope_denied", actor, f"scope {scope}", address))

    def _enter_seldom(self, entry: Entry) -> None:
        if self._limit.take(" ".join(map(str, entry)), self._tick()):
            return
        entering = asyncio.ensure_future(asyncio.to_thread(self._enter, entry))
        self._entering.add(entering)
        entering.add_done_callback(self._entering.discard)

    def _enter(self, entry: Entry) -> None:
        try:
            with changing(self._engine) as connection:
                record(connection, entry, self._clock())
        except SQLAlchemyError as error:
            log.warning("the audit log could not be written: %s", type(error).__name__)
