"""What the addresses of erasures answer. Times are ms since 1970 UTC."""

import msgspec
from msgspec import Struct

from api.erasures.models import ErasureRow
from contracts import Erasure
from contracts.erasures import ErasurePhase

_PROGRESS: dict[ErasurePhase, float] = {
    "requested": 0.0, "cleaning": 0.1, "cleaned": 0.8, "done": 1.0
}  # fmt: skip
_DETAILS: dict[ErasurePhase, str] = {
    "requested": "It waits for the supervisor of the session job.",
    "cleaning": "The job's state, the topics and files are being rid of the visitor.",
    "cleaned": "The history is being rid of the visitor.",
    "done": "A scan of state, topics, files and history found nothing of the visitor.",
}


class ErasureState(Struct, frozen=True, kw_only=True):
    """An erasure and how far it is. The visitor's ids are not told, only how many they are.

    ``phase`` is ``requested``, ``cleaning`` (state, topics, files), ``cleaned`` (the history is
    next) or ``done``; ``progress`` goes from 0 to 1. What happened until ``until`` is erased.
    ``deleted`` counts the history's rows that went, by table, ``found`` what the last scan still
    found, by place. ``finished`` is when it was done.
    """

    erasure_id: str
    site_id: str
    phase: str
    progress: float
    detail: str
    ids: int
    requested: int
    until: int | None
    finished: int | None
    deleted: dict[str, int]
    found: dict[str, int]


class ErasureList(Struct, frozen=True, kw_only=True):
    """All erasures, the newest first."""

    items: list[ErasureState]


def state_of(row: ErasureRow) -> ErasureState:
    """The answer for a row."""
    erasure = msgspec.json.decode(row.message, type=Erasure)
    left = sum(erasure.found.values())
    detail = _DETAILS[erasure.phase]
    if left and erasure.phase == "cleaned":
        places = ", ".join(f"{count} in {place}" for place, count in sorted(erasure.found.items()))
        detail = f"Still found: {places}. It is tried again; see docs/operations.md."
    return ErasureState(
        erasure_id=row.erasure_id,
        site_id=row.site_id,
        phase=erasure.phase,
        progress=_PROGRESS[erasure.phase],
        detail=detail,
        ids=len(erasure.marks),
        requested=row.requested,
        until=erasure.until,
        finished=row.finished,
        deleted=msgspec.json.decode(row.deleted, type=dict[str, int]),
        found=erasure.found,
    )
