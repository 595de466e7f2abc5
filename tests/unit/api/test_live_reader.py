"""Where the live view begins: with the history, near or far, or without one."""

import asyncio
import threading
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from api.feed import Bounds
from api.live.consumer import LiveReader
from api.live.position import Stream, stream_of
from api.live.seed import Seed
from api.progress import Place
from tests.support.messages import a_session

SESSIONS = Place("clickwake.sessions", 0)
STATUS = Place("clickwake.job-status", 0)
BOUNDS = {SESSIONS: Bounds(0, 900_000, 1_000_000), STATUS: Bounds(0, 40, 50)}
NEAR = Seed({SESSIONS: 990_000}, [a_session()], [])
FAR = Seed({SESSIONS: 100}, [a_session()], [])


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    running = asyncio.new_event_loop()
    thread = threading.Thread(target=running.run_forever)
    thread.start()
    yield running
    running.call_soon_threadsafe(running.stop)
    thread.join()
    running.close()


class Begun:
    """A reader, what it planted, and how often it asked the history."""

    def __init__(self, loop: asyncio.AbstractEventLoop, *answers: Seed | None) -> None:
        self.answers = list(answers)
        self.planted: list[Seed] = []
        self.begun: list[Mapping[Place, int]] = []
        broadcast: Any = self
        self.reader = LiveReader(
            broadcast, loop, lambda: self.answers.pop(0), self.planted.append, cluster=lambda: "k1"
        )

    def begin_at(self, stream: Stream, offsets: Mapping[Place, int]) -> None:
        assert stream == stream_of("k1", [SESSIONS], [])
        self.begun.append(offsets)


def test_the_history_is_shown_before_kafka_answers(loop: asyncio.AbstractEventLoop) -> None:
    begun = Begun(loop, None, NEAR)
    begun.reader.prepare()
    assert begun.planted == []
    begun.reader.prepare()
    begun.reader.prepare()
    assert begun.planted == [NEAR]


def test_reading_goes_on_where_the_shown_history_ends(loop: asyncio.AbstractEventLoop) -> None:
    begun = Begun(loop, NEAR)
    begun.reader.prepare()
    assert begun.reader.begin(BOUNDS) == {SESSIONS: 990_000, STATUS: 30}
    assert begun.planted == [NEAR]
    assert begun.begun == [{SESSIONS: 990_000}]


def test_a_history_that_was_not_open_yet_is_asked_once_more(
    loop: asyncio.AbstractEventLoop,
) -> None:
    begun = Begun(loop, None, NEAR)
    begun.reader.prepare()
    assert begun.reader.begin(BOUNDS) == {SESSIONS: 990_000, STATUS: 30}
    assert begun.planted == [NEAR]


def test_a_history_that_is_far_behind_gives_way(loop: asyncio.AbstractEventLoop) -> None:
    begun = Begun(loop, FAR)
    begun.reader.prepare()
    assert begun.reader.begin(BOUNDS) == {SESSIONS: 900_000, STATUS: 30}
    assert begun.planted == [FAR, Seed({}, [], [])]


def test_once_records_were_read_the_history_is_not_asked_again(
    loop: asyncio.AbstractEventLoop,
) -> None:
    begun = Begun(loop, None, None)
    begun.reader.prepare()
    assert begun.reader.begin(BOUNDS) == {SESSIONS: 900_000, STATUS: 30}
    begun.reader.prepare()
    assert begun.planted == []
