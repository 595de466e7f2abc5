"""What one dashboard is told in silence, and what happens to one that does not read."""

import asyncio
import json

import pytest

from api.live.broadcast import Broadcast
from api.live.hub import Hub

DEADLINE = 10


class Dashboard:
    """A socket that never says anything and, if it is ``deaf``, never takes anything."""

    def __init__(self, *, deaf: bool = False) -> None:
        self.told: asyncio.Queue[dict[str, object]] = asyncio.Queue()
        self.gone = asyncio.Event()
        self._deaf = deaf

    async def send(self, message: bytes) -> None:
        if self._deaf:
            await self.gone.wait()
        self.told.put_nowait(json.loads(message))

    async def receive(self) -> None:
        await self.gone.wait()


def clock() -> int:
    return 1_772_366_400_000


def test_silence_is_filled_with_heartbeats_that_are_counted() -> None:
    async def story() -> None:
        dashboard = Dashboard()
        serving = asyncio.create_task(Broadcast(Hub(10), clock, heartbeat=0.05).serve(dashboard))
        async with asyncio.timeout(DEADLINE):
            told = [await dashboard.told.get() for _ in range(3)]
            dashboard.gone.set()
            await serving
        assert [(one["type"], one["sequence"]) for one in told] == [
            ("snapshot", 1),
            ("heartbeat", 2),
            ("heartbeat", 3),
        ]

    asyncio.run(story())


def test_who_does_not_read_is_given_up_and_the_others_are_not() -> None:
    async def story() -> None:
        hub = Hub(10)
        broadcast = Broadcast(hub, clock, heartbeat=0.05, patience=0.2)
        other = Dashboard()
        serving = asyncio.create_task(broadcast.serve(other))
        async with asyncio.timeout(DEADLINE):
            with pytest.raises(TimeoutError, match="does not read"):
                await broadcast.serve(Dashboard(deaf=True))
            assert hub.dashboards == 1
            assert not serving.done()
            other.gone.set()
            await serving
        assert hub.dashboards == 0

    asyncio.run(story())
