"""From the topic of erasures to this process and its database."""

import logging
from collections.abc import Callable, Mapping

from sqlalchemy import Engine

from api.decoding import UnreadableError, decode
from api.erasures import store
from api.erasures.known import Known
from api.feed import Bounds, Slice
from api.history.engine import changing
from api.progress import Place
from contracts import Erasure

log = logging.getLogger(__name__)

ROLES = ("erasures",)


class ErasureReader:
    """A feed's reader. It reads the whole topic at each start: there are few records in it.

    ``prepare`` waits for the database's schema; ``taken`` is told of each erasure.
    """

    def __init__(
        self,
        engine: Engine,
        known: Known,
        prepare: Callable[[], None],
        taken: Callable[[Erasure], None],
    ) -> None:
        self._engine = engine
        self._known = known
        self._taken = taken
        self.prepare = prepare

    def begin(self, bounds: Mapping[Place, Bounds]) -> Mapping[Place, int]:
        """From the first record."""
        return {place: bound.begin for place, bound in bounds.items()}

    def take(self, slices: list[Slice]) -> None:
        """Who is erased is barred first, and then the database is told."""
        for piece in slices:
            for record in piece.records:
                erasure = _read(piece.role, record.value)
                if erasure is not None:
                    self._take_one(erasure)

    def _take_one(self, erasure: Erasure) -> None:
        self._known.take_in(erasure)
        with changing(self._engine) as connection:
            store.take_in(connection, erasure)
        self._taken(erasure)


def _read(role: str, value: bytes | None) -> Erasure | None:
    if value is None:
        return None
    try:
        message = decode(role, value)
    except UnreadableError as error:
        log.warning("skipped an erasure that breaks its contract: %s", error)
        return None
    return message if isinstance(message, Erasure) else None
