"""What the live view begins with."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from api.progress import Place
from contracts import SessionUpdate
from contracts.live import MinuteCount


class Seed(NamedTuple):
    """What the history knows, all as of one moment, and the offsets at that moment."""

    positions: Mapping[Place, int]
    sessions: Sequence[SessionUpdate]
    minutes: Sequence[MinuteCount]


NO_SEED = Seed({}, [], [])
