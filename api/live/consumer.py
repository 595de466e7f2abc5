"""From Kafka to the hub: a feed's reader that hands messages to the event loop."""

import asyncio
import logging
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from api.decoding import UnreadableError, decode, is_shown
from api.erasures.known import nobody
from api.feed import Bounds, Slice
from api.live.broadcast import Broadcast
from api.live.position import Mark, Offsets, Read, stream_of
from api.live.seed import NO_SEED, Seed
from api.progress import Place
from contracts import Message

log = logging.getLogger(__name__)

ROLES = ("sessions", "events", "job-status")
_JOB_RECORDS = 20
_SHORT_GAP = 50_000


class LiveReader:
    """Begins with the history's state, before Kafka answers, and goes on from its offsets.

    Without a history, or with one that is far behind, it begins an hour back. After that it
    never waits for the database.
    """

    def __init__(
        self,
        broadcast: Broadcast,
        loop: asyncio.AbstractEventLoop,
        seed: Callable[[], Seed | None],
        plant: Callable[[Seed], None],
        *,
        sites: Collection[str] = (),
        cluster: Callable[[], str] = str,
        is_erased: Callable[[Message], bool] = nobody,
    ) -> None:
        self._broadcast = broadcast
        self._loop = loop
        self._seed = seed
        self._plant = plant
        self._sites = sites
        self._cluster = cluster
        self._is_erased = is_erased
        self._seeded: Seed | None = None
        self._positions: dict[Place, int] = {}
        self.unreadable = 0

    def prepare(self) -> None:
        """Show what the history knows, as soon as it can be read."""
        if not self._positions:
            self._show_history()

    def _show_history(self) -> None:
        if self._seeded is None:
            self._seeded = self._seed()
            if self._seeded is not None:
                self._plant_on_loop(self._seeded)

    def begin(self, bounds: Mapping[Place, Bounds]) -> Mapping[Place, int]:
        """Where to begin or, after an outage of Kafka, to go on."""
        if not self._positions:
            self._positions = self._first_positions(bounds)
        begins = {
            place: _within(self._positions.get(place, bound.begin), bound)
            for place, bound in bounds.items()
        }
        self._begin_on_loop(_told(begins))
        return begins

    def _first_positions(self, bounds: Mapping[Place, Bounds]) -> dict[Place, int]:
        jobs = {
            place: max(bound.begin, bound.end - _JOB_RECORDS)
            for place, bound in bounds.items()
            if _is_status(place)
        }
        rest = {place: bound for place, bound in bounds.items() if place not in jobs}
        self._show_history()  # which the writer may have opened only now
        seed, self._seeded = self._seeded, None
        if seed is not None:
            if all(_is_near(seed.positions.get(place), bound) for place, bound in rest.items()):
                return jobs | {place: seed.positions[place] for place in rest}
            # The last hour will be read whole, so nothing of it may be counted already.
            self._plant_on_loop(NO_SEED)
        return jobs | {place: bound.recent for place, bound in rest.items()}

    def take(self, slices: list[Slice]) -> None:
        """Hand the messages to the hub and wait until it has them, so that they cannot pile up."""
        reads = [read for piece in slices for read in self._reads(piece)]
        for piece in slices:
            self._positions[piece.place] = piece.next_offset
        if reads:
            taking = self._broadcast.take(reads, _told(self._positions))
            asyncio.run_coroutine_threadsafe(taking, self._loop).result()

    def _reads(self, piece: Slice) -> Iterator[Read]:
        for record in piece.records:
            message = self._message(piece.role, record)
            if message is None or self._is_erased(message):
                continue
            if is_shown(message, self._sites):
                yield Read(message, Mark(piece.place, record.offset))

    def _message(self, role: str, record: Any) -> Message | None:
        if record.value is None:
            return None
        try:
            return decode(role, record.value)
        except UnreadableError:
            self.unreadable += 1  # the history writer, which reads the same record, logs it
            return None

    def _begin_on_loop(self, offsets: Offsets) -> None:
        stream = stream_of(self._cluster(), offsets, self._sites)

        async def begun() -> None:
            self._broadcast.begin_at(stream, offsets)

        asyncio.run_coroutine_threadsafe(begun(), self._loop).result()

    def _plant_on_loop(self, seed: Seed) -> None:
        async def planted() -> None:
            self._plant(seed)

        asyncio.run_coroutine_threadsafe(planted(), self._loop).result()


def _told(offsets: Offsets) -> Offsets:
    """Those of the topics that dashboards are told: positions are made of them."""
    return {place: offset for place, offset in offsets.items() if not _is_status(place)}


def _is_status(place: Place) -> bool:
    return place.topic.endswith(".job-status")


def _is_near(stored: int | None, bound: Bounds) -> bool:
    if stored is None or not bound.begin <= stored <= bound.end:
        return False
    return stored >= bound.recent or bound.end - stored <= _SHORT_GAP


def _within(position: int, bound: Bounds) -> int:
    return position if bound.begin <= position <= bound.end else bound.begin
