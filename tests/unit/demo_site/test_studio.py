"""The studio's page, who may use it, and what its forms ask for."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from contracts import steering
from contracts.steering import Act, Outage, TrafficNow, TrafficWish, Wishes
from frontend.demo_site.studio.door import is_at_home, is_right
from frontend.demo_site.studio.wishing import WishError, outage, with_act, with_traffic
from tests.unit.demo_site.shop import open_shop

HOME = "http://127.0.0.1:8010"
AS_JSON = {"Accept": "application/json"}


class Stats:
    queued = 3


def open_studio(folder: Path) -> tuple[TestClient, Callable[..., Any]]:
    """A client on the machine itself, and how it sends a form of the page."""
    client, recorder = open_shop(steering=str(folder))
    recorder.stats = lambda: Stats
    home = TestClient(client.app, HOME, follow_redirects=False, client=("127.0.0.1", 5))
    token = re.findall(r'name="token" value="([^"]+)"', home.get("/studio").text)[0]

    def send(deed: str, **form: str) -> Any:
        return home.post(f"/studio/{deed}", data={"token": token, **form}, headers=AS_JSON)

    return home, send


def test_the_page_steers_the_traffic(tmp_path: Path) -> None:
    _, send = open_studio(tmp_path)
    answer = send("traffic", visitors_per_minute="120", bots_percent="30", countries="de, Fr")
    assert (answer.status_code, answer.json()["said"]) == (200, "The sample traffic follows.")
    wishes = steering.read(tmp_path, Wishes)
    assert wishes == Wishes(
        traffic=TrafficWish(visitors_per_minute=120, bots=0.3, countries=("DE", "FR"))
    )


def test_acts_are_numbered_after_all_that_was_done(tmp_path: Path) -> None:
    steering.write(tmp_path, TrafficNow(time=0, traffic=TrafficWish(), done=7))
    _, send = open_studio(tmp_path)
    send("act", kind="crowd", people="50", seconds="5")
    send("act", kind="tunnel", people="2", minutes="10")
    wishes = steering.read(tmp_path, Wishes)
    assert wishes
    assert wishes.acts == (
        Act(number=8, kind="crowd", people=50, seconds=5),
        Act(number=9, kind="tunnel", people=2, seconds=600),
    )


def test_a_wish_that_cannot_be_is_refused_with_a_sentence(tmp_path: Path) -> None:
    _, send = open_studio(tmp_path)
    for deed, form in (
        ("traffic", {"visitors_per_minute": "nan", "bots_percent": "0"}),
        ("traffic", {"visitors_per_minute": "-1", "bots_percent": "0"}),
        ("traffic", {"visitors_per_minute": "9", "bots_percent": "101"}),
        ("traffic", {"visitors_per_minute": "9", "bots_percent": "1", "countries": "<b>"}),
        ("act", {"kind": "nothing", "people": "1", "seconds": "1"}),
        ("act", {"kind": "crowd", "people": "100000", "seconds": "1"}),
        ("act", {"kind": "crowd"}),
        ("outage", {"seconds": "61"}),
    ):
        answer = send(deed, **form)
        assert (deed, form, answer.status_code) == (deed, form, 422)
        assert answer.json()["said"]
    assert list(tmp_path.iterdir()) == []
    assert send("nothing").status_code == 404


def test_an_outage_is_bounded_and_can_be_ended(tmp_path: Path) -> None:
    assert outage({"seconds": "15"}, now=1_000) == Outage(until=16_000)
    with pytest.raises(WishError, match="1 to 60 seconds"):
        outage({"seconds": "0"}, now=0)
    _, send = open_studio(tmp_path)
    send("outage", seconds="15")
    send("recovery")
    assert steering.read(tmp_path, Outage) == Outage(until=0)


def test_it_shows_how_things_are_without_logging_that(tmp_path: Path) -> None:
    steering.write(tmp_path, TrafficNow(time=5, traffic=TrafficWish(), on_site=11))
    home, _ = open_studio(tmp_path)
    state = home.get("/studio/state").json()
    assert (state["traffic"]["on_site"], state["queued"]) == (11, 3)
    assert (state["broker"], state["ledger"]) == (None, None)
    events = home.app.emitter.events
    assert [event.path for event in events] == ["/studio"]


def test_strangers_do_not_come_in(tmp_path: Path) -> None:
    home, send = open_studio(tmp_path)
    wish = {"visitors_per_minute": "1", "bots_percent": "0"}
    assert send("traffic", **{**wish, "token": "guessed"}).status_code == 403
    assert home.post("/studio/traffic", data=wish).status_code == 403
    foreign = {"Origin": "https://evil.example"}
    assert home.post("/studio/traffic", data=wish, headers=foreign).status_code == 403
    assert home.get("/studio", headers={"Host": "evil.example:8010"}).status_code == 403
    assert home.get("/studio/state", headers={"X-Forwarded-For": "10.0.0.1"}).status_code == 403
    assert steering.read(tmp_path, Wishes) is None


def test_a_shop_without_a_stack_has_no_studio() -> None:
    shop, _ = open_shop()
    assert shop.get("/studio").status_code == 404
    assert 'href="/studio"' not in shop.get("/").text


@pytest.mark.parametrize(
    ("peer", "host", "is_home"),
    [
        ("127.0.0.1", "127.0.0.1:8010", True),
        ("127.0.0.1", "localhost", True),
        ("::1", "[::1]:8010", True),
        ("::1", "[::1]", True),
        ("127.0.0.1", "shop.example", False),
        ("127.0.0.1", "127.0.0.1.evil.example", False),
        ("127.0.0.1", "", False),
        ("192.168.1.5", "127.0.0.1", False),
        (None, "127.0.0.1", False),
    ],
)
def test_only_the_machine_itself_is_at_home(peer: str | None, host: str, is_home: bool) -> None:
    assert is_at_home(peer, {"host": host}) == is_home


def test_a_token_is_compared_whole() -> None:
    assert is_right("abc", "abc")
    assert not any(is_right("abc", given) for given in (None, "", "ab", "abcd", "\ud800"))


def test_old_acts_are_forgotten() -> None:
    wishes = Wishes()
    for _ in range(25):
        wishes = with_act(wishes, {"kind": "crowd", "people": "1", "seconds": "1"}, 0)
    assert [act.number for act in wishes.acts] == list(range(6, 26))
    kept = with_traffic(wishes, {"visitors_per_minute": "0", "bots_percent": "0"})
    assert kept.acts == wishes.acts
