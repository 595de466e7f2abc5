"""The live view forgets erased visitors at once, and so does every dashboard."""

import json
from typing import Any

from api.live.hub import Hub
from api.live.position import Stream
from api.progress import Place
from contracts import Barred, Message
from contracts.erasures import Bar, mark_of
from contracts.live import Subscription
from tests.support.live import reads
from tests.support.messages import NOON, a_session, an_event

KEY = "0123456789abcdef" * 4
BARRED = Barred([Bar(KEY, mark_of(KEY, "shop", "ada"), NOON + 60_000)])
SOON = NOON + 1_000
ALL = Subscription(topics=("sessions", "events", "stats"))
PLACES = (Place("clickwake.sessions", 0), Place("clickwake.events", 0))


def a_hub() -> Hub:
    hub = Hub(10)
    hub.begin_at(Stream("s", PLACES), dict.fromkeys(PLACES, 0), SOON)
    see(hub, a_session("s1", visitor_id="ada"), a_session("s2", visitor_id="bob"))
    see(hub, an_event("e1", visitor_id="ada"), an_event("e2", visitor_id="bob", offset=1))
    hub.read_until(dict.fromkeys(PLACES, 2))
    return hub


def see(hub: Hub, *messages: Message) -> None:
    hub.see(reads(*messages), SOON, 0.0)


def told(message: bytes | None) -> dict[str, Any]:
    assert message is not None
    found: dict[str, Any] = json.loads(message)
    return found


def test_who_is_here_is_told_a_snapshot_without_the_visitor() -> None:
    hub = a_hub()
    mailbox, _ = hub.join(SOON, lambda: None, ALL)
    hub.deliver(SOON, 1_000.0)
    mailbox.take()
    hub.erase(BARRED.covers_message, (), SOON)
    snapshot = told(mailbox.take())
    assert snapshot["type"] == "snapshot"
    assert [one["visitor_id"] for one in snapshot["sessions"]] == ["bob"]
    assert [one["visitor_id"] for one in snapshot["events"]] == ["bob"]
    assert snapshot["counts"]["open_sessions"] == 1


def test_what_waits_to_be_told_is_forgotten_too() -> None:
    hub = a_hub()
    mailbox, _ = hub.join(SOON, lambda: None, ALL)
    hub.erase(BARRED.covers_message, (), SOON)
    hub.deliver(SOON, 1_000.0)
    assert "ada" not in json.dumps(told(mailbox.take()))
    assert mailbox.take() is None


def test_who_comes_back_begins_anew_instead_of_keeping_the_visitor() -> None:
    hub = a_hub()
    hub.deliver(SOON, 1_000.0)
    _, first = hub.join(SOON, lambda: None, ALL)
    see(hub, a_session("s2", visitor_id="bob", revision=2))
    hub.read_until({PLACES[0]: 3, PLACES[1]: 2})
    hub.erase(BARRED.covers_message, (), SOON)
    _, again = hub.join(SOON, lambda: None, ALL, told(first)["position"])
    assert told(again)["type"] == "snapshot"


def test_a_session_of_which_only_the_id_is_known_is_here_no_more() -> None:
    hub = a_hub()
    hub.erase(lambda message: False, {"s1"}, SOON)
    _, snapshot = hub.join(SOON, lambda: None, ALL)
    assert told(snapshot)["counts"]["open_sessions"] == 1
