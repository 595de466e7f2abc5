"""What one dashboard is told in silence, and what happens to one that does not read."""

import asyncio
import json

import pytest

from api.live.broadcast import Broadcast
from api.live.hub import Hub
from api.live.listener import Greeting
from api.live.position import Mark, Read
from tests.support.live import BEGIN, SESSIONS, STREAM, reads
from tests.support.messages import a_session, an_event

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


class Slow(Dashboard):
    """Takes a message only when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.let = asyncio.Semaphore(0)
        self.asked = asyncio.Event()

    async def send(self, message: bytes) -> None:
        self.asked.set()
        await self.let.acquire()
        self.told.put_nowait(json.loads(message))


def test_frames_that_come_while_one_is_being_sent_are_joined_and_none_is_kept_back() -> None:
    async def story() -> None:
        hub, dashboard = Hub(10), Slow()
        broadcast = Broadcast(hub, clock)
        serving = asyncio.create_task(broadcast.serve(dashboard))
        async with asyncio.timeout(DEADLINE):
            await dashboard.asked.wait()
            for number in range(3):
                hub.see(reads(a_session(f"s{number}")), clock(), tick=0)
                hub.deliver(clock(), tick=0)
            for _ in range(2):
                dashboard.let.release()
            told = [await dashboard.told.get() for _ in range(2)]
            dashboard.gone.set()
            await serving
        assert [(one["type"], one["sequence"]) for one in told] == [("snapshot", 1), ("update", 2)]
        assert len(told[1]["sessions"]) == 3  # type: ignore[arg-type]

    asyncio.run(story())


def test_when_many_come_the_next_is_greeted_once_the_first_has_its_snapshot() -> None:
    async def story() -> None:
        first, second = Slow(), Slow()
        broadcast = Broadcast(Hub(10), clock, greetings=1)
        async with asyncio.timeout(DEADLINE), asyncio.TaskGroup() as serving:
            serving.create_task(broadcast.serve(first))
            await first.asked.wait()
            serving.create_task(broadcast.serve(second))
            first.let.release()
            told = [await first.told.get()]
            assert not second.asked.is_set()
            first.let.release()
            told.append(await first.told.get())
            await second.asked.wait()
            for dashboard in (first, second):
                dashboard.let.release()
                dashboard.let.release()
                dashboard.gone.set()
        assert [one["type"] for one in told] == ["snapshot", "heartbeat"]

    asyncio.run(story())


def a_position_after(sessions: int) -> str:
    """Where a client of another process stands that was told so many sessions."""
    hub = Hub(10)
    hub.begin_at(STREAM, BEGIN, clock())
    mailbox, _ = hub.join(clock(), list)
    hub.read_until({**BEGIN, SESSIONS[0]: sessions})
    assert mailbox.group.position is not None
    return mailbox.group.position


def test_who_is_further_than_this_process_is_answered_when_it_has_come_so_far() -> None:
    async def story() -> None:
        dashboard, broadcast = Dashboard(), Broadcast(Hub(10), clock)
        greeting = Greeting(resume=a_position_after(1))
        serving = asyncio.create_task(broadcast.serve(dashboard, greeting))
        read = Read(a_session(), Mark(SESSIONS[0], 0))
        async with asyncio.timeout(DEADLINE):
            await asyncio.sleep(0)
            broadcast.begin_at(STREAM, BEGIN)
            await asyncio.sleep(0)
            assert dashboard.told.empty()
            await broadcast.take([read], {**BEGIN, SESSIONS[0]: 1})
            told = await dashboard.told.get()
            dashboard.gone.set()
            await serving
        assert (told["type"], told["sessions"]) == ("recovered", [])

    asyncio.run(story())


def test_who_waits_for_it_in_vain_gets_a_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.live.broadcast.RECOVERY_SECONDS", 0.05)

    async def story() -> None:
        dashboard = Dashboard()
        greeting = Greeting(resume=a_position_after(1))
        serving = asyncio.create_task(Broadcast(Hub(10), clock).serve(dashboard, greeting))
        async with asyncio.timeout(DEADLINE):
            told = await dashboard.told.get()
            dashboard.gone.set()
            await serving
        assert (told["type"], told["recovered"]) == ("snapshot", False)

    asyncio.run(story())


class Broken(Dashboard):
    """Takes the snapshot and then finds that its connection is gone."""

    async def send(self, message: bytes) -> None:
        if json.loads(message)["type"] == "update":
            raise OSError("the connection was reset")
        self.told.put_nowait(json.loads(message))


def test_a_broken_connection_ends_its_own_serving_alone() -> None:
    async def story() -> None:
        hub = Hub(10)
        broadcast = Broadcast(hub, clock)
        other, one = Dashboard(), Broken()
        serving = asyncio.create_task(broadcast.serve(other))
        broken = asyncio.create_task(broadcast.serve(one))
        async with asyncio.timeout(DEADLINE):
            told = [await dashboard.told.get() for dashboard in (other, one)]
            await broadcast.take(reads(a_session()))
            with pytest.raises(OSError, match="reset"):
                await broken
            told.append(await other.told.get())
            assert [one["type"] for one in told] == ["snapshot", "snapshot", "update"]
            other.gone.set()
            await serving

    asyncio.run(story())


def test_a_frame_is_measured_when_it_goes_out() -> None:
    async def story() -> None:
        times = iter(range(clock(), clock() + 60_000, 1_000))
        broadcast, dashboard = Broadcast(Hub(10), lambda: next(times)), Dashboard()
        serving = asyncio.create_task(broadcast.serve(dashboard))
        async with asyncio.timeout(DEADLINE):
            await dashboard.told.get()
            await broadcast.take(reads(an_event(event_time=clock() + 500), a_session()))
            await dashboard.told.get()
            dashboard.gone.set()
            await serving
        family = broadcast.meter.screen.family("screen", "")
        measured = {sample.suffix: sample.value for sample in family.samples}
        assert measured["_count"] == 1
        assert measured["_sum"] > 0.5

    asyncio.run(story())
