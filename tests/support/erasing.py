"""A history of two visitors of whom one is erased, and the parts of an API that do it."""

import base64
from typing import Any

import msgspec
from sqlalchemy import Engine, func, select

from api.erasures.known import Known
from api.erasures.reader import ErasureReader
from api.erasures.worker import Eraser
from api.history.models import (
    Base,
    DeadLetterRow,
    EventRow,
    LateEventRow,
    RevisionRow,
    SessionRow,
)
from api.history.writer import HistoryWriter
from contracts import Erasure
from tests.support.history import a_slice
from tests.support.messages import NOON, a_dead_letter, a_late_event, a_session, an_event

ADA, ADA_LATER, ADA_TODAY = "~3f7.ada-monday", "~3f7.ada-tuesday", "~3f7.ada-wednesday"
BOB = "~3f7.bob"
MODELS: tuple[type[Base], ...] = (SessionRow, RevisionRow, EventRow, LateEventRow, DeadLetterRow)
UNTIL = NOON + 60_000


class Stage:
    """A history with two visitors, and the parts of an API that erase; the topic is a list."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.known = Known()
        self.told: list[Erasure] = []
        self.forgotten: set[str] = set()
        self.writer = HistoryWriter(engine, is_erased=self.known.covers)
        self.eraser = Eraser(
            engine, self.known, self.told.append, self.forgotten.update, lambda: UNTIL + 1
        )
        self._reader = ErasureReader(engine, self.known, lambda: None, lambda erasure: None)
        self.fill()

    def fill(self) -> None:
        """Ada under three ids of which two never met directly; Bob, whose id begins alike."""
        for revision in (1, 2):
            self.write("sessions", self.session("s1", ADA, [ADA_LATER], revision=revision))
            self.write("sessions", self.session("s9", BOB, [], revision=revision))
        self.write("sessions", self.session("s2", ADA_LATER, [ADA_TODAY], revision=1))
        for name in (ADA, ADA_TODAY, BOB):
            fields: dict[str, Any] = {"visitor_id": name, "broker_time": NOON}
            self.write("events", an_event(f"e-{name}", **fields))
            self.write("late-events", a_late_event(f"l-{name}", offset=len(name), **fields))
        for offset, name in enumerate((ADA, BOB)):
            raw = msgspec.json.encode({"visitor_id": name})
            letter = msgspec.structs.replace(a_dead_letter(offset), raw=_base64(raw))
            self.write("dead-letters", letter)

    def session(self, session_id: str, name: str, others: list[str], revision: int) -> Any:
        return a_session(
            session_id, visitor_id=name, other_visitor_ids=others, revision=revision,
            broker_time=NOON,
        )  # fmt: skip

    def write(self, role: str, *messages: Any) -> None:
        self.writer.take([a_slice(role, messages)])

    def hear(self, erasure: Erasure, **fields: Any) -> None:
        """The topic says it."""
        self._reader.take([a_slice("erasures", [msgspec.structs.replace(erasure, **fields)])])

    def names(self) -> set[str]:
        """Whose rows there are, and in whose dead letters."""
        with self.engine.connect() as connection:
            texts = [t for m in MODELS for t in connection.scalars(select(m.__table__.c.message))]
        return {n for n in (ADA, ADA_LATER, ADA_TODAY, BOB) if any(_names(t, n) for t in texts)}

    def rows(self) -> int:
        with self.engine.connect() as connection:
            return sum(
                connection.execute(select(func.count()).select_from(model)).scalar_one()
                for model in MODELS
            )


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _names(text: str, name: str) -> bool:
    return name in text or _base64(msgspec.json.encode({"visitor_id": name})) in text
