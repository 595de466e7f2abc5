"""The sample traffic follows the studio's wishes."""

import asyncio
import time
from pathlib import Path
from random import Random

import httpx
import msgspec
import pytest

from contracts import steering
from contracts.steering import Act, TrafficNow, TrafficWish, Wishes
from infra.traffic.acts import Acts
from infra.traffic.dial import Dial, Steering
from infra.traffic.places import Place, countries_of, within
from infra.traffic.strangers import Whence, from_a_tunnel, with_a_fast_clock

NOON = 1_772_366_400_000
PLACES = [Place("81.2.69.142", "GB"), Place("89.160.20.112", "SE"), Place("81.2.69.160", "GB")]
CROWD = Act(number=1, kind="crowd", people=5, seconds=3)


def whence() -> Whence:
    return Whence(PLACES, Random(1), "demo")


def test_who_waits_for_the_next_visitor_waits_anew_when_the_wish_changes() -> None:
    async def run() -> None:
        dial, rng = Dial(visitors_per_minute=0.001), Random(1)
        waiting = asyncio.create_task(dial.wait(rng))
        await asyncio.sleep(0)
        dial.turn(TrafficWish(visitors_per_minute=1200))
        assert await asyncio.wait_for(waiting, 10) is False
        assert dial.is_steered
        assert await asyncio.wait_for(dial.wait(rng), 10) is True

    asyncio.run(run())


def test_nobody_comes_at_a_rate_of_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.traffic.dial.IDLE_S", 0.01)
    dial = Dial(visitors_per_minute=0)
    assert asyncio.run(dial.wait(Random(1))) is False


def test_wishes_are_followed_within_a_second_and_acts_done_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("infra.traffic.dial.LOOK_S", 0.01)
    old = Act(number=1, kind="crowd", people=9, seconds=9)
    steering.write(tmp_path, Wishes(acts=(old,)))
    done: list[Act] = []

    async def perform(act: Act) -> str:
        done.append(act)
        return f"did {act.number}"

    async def run() -> None:
        dial = Dial(40.0, ("GB", "SE"))
        task = asyncio.create_task(Steering(tmp_path, dial, perform).run(lambda: 7, lambda: 99))
        await until(lambda: steering.read(tmp_path, TrafficNow) is not None)
        wish = TrafficWish(visitors_per_minute=200, bots=0.5)
        new = [Act(number=n, kind="crowd", people=1, seconds=1) for n in (2, 3)]
        steering.write(tmp_path, Wishes(traffic=wish, acts=(old, *new)))
        await until(lambda: now(tmp_path).note == "did 3")
        assert done == new
        assert now(tmp_path).traffic == wish
        assert (now(tmp_path).on_site, now(tmp_path).requests) == (7, 99)
        assert (now(tmp_path).done, now(tmp_path).countries) == (3, ("GB", "SE"))
        (tmp_path / "wishes.json").write_bytes(b"{")
        task.cancel()

    asyncio.run(run())


def now(folder: Path) -> TrafficNow:
    said = steering.read(folder, TrafficNow)
    assert said
    return said


async def until(holds: object) -> None:
    assert callable(holds)
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.01)


def test_phones_from_a_tunnel_send_old_events_in_any_order() -> None:
    act = Act(number=1, kind="tunnel", people=20, seconds=600)
    events = from_a_tunnel(act, NOON, whence())
    times = [event.event_time for event in events]
    assert len({event.visitor_id for event in events}) == 20
    assert min(times) == NOON - 600_000
    assert max(times) < NOON - 300_000
    assert times != sorted(times)
    assert len({event.event_id for event in events}) == len(events)


def test_fast_clocks_are_ahead() -> None:
    act = Act(number=1, kind="fast_clock", people=3, seconds=1800)
    events = with_a_fast_clock(act, NOON, whence())
    assert [event.event_time for event in events] == [NOON + 1_800_000] * 3


def test_visitors_come_from_the_wished_countries() -> None:
    assert countries_of([*PLACES, Place("10.0.0.1")]) == ("GB", "SE")
    assert within(PLACES, ("SE",)) == [PLACES[1]]
    assert within(PLACES, ("DE",)) == PLACES
    assert within(PLACES, ()) == PLACES


def test_a_crowd_is_invited() -> None:
    invited: list[tuple[int, float]] = []
    acts = Acts(lambda people, seconds: invited.append((people, seconds)), whence(), "", {})
    assert asyncio.run(acts.perform(CROWD)) == "5 people come within 3 s."
    assert invited == [(5, 3)]


def test_events_go_through_the_api_with_its_key(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[httpx.Request] = []
    answers = [httpx.Response(200), httpx.Response(503)]

    async def post(client: httpx.AsyncClient, url: str, **options: object) -> httpx.Response:
        asked.append(client.build_request("POST", url, **options))  # type: ignore[arg-type]
        return answers.pop(0)

    monkeypatch.setattr(httpx.AsyncClient, "post", post)
    acts = Acts(lambda *_: None, whence(), "http://127.0.0.1:1", {"Authorization": "Bearer k"})
    act = Act(number=1, kind="fast_clock", people=3, seconds=60)
    assert asyncio.run(acts.perform(act)) == "Kafka has 3 events that phones sent through the API."
    assert "did not take 3 events: it answers 503" in asyncio.run(acts.perform(act))
    assert asked[0].url.path == "/api/v1/events"
    assert asked[0].headers["authorization"] == "Bearer k"
    assert len(msgspec.json.decode(asked[0].content)) == 3
