"""What the live view begins with."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from api.progress import Place
from contracts import EnrichedEvent, SessionUpdate
from contracts.live import MinuteCount


class Seed(NamedTuple):
    """What the history knows, all as of one moment, and the offsets at that moment.

    ``events`` are the newest of those that ``minutes`` count, ``MOST_KINDS`` at most.
    """

    positions: Mapping[Place, int]
    sessions: Sequence[SessionUpdate]
    minutes: Sequence[MinuteCount]
    events: Sequence[EnrichedEvent] = ()


NO_SEED = Seed({}, [], [])
