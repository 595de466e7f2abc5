"""What clients that want different things are told, and that equal wishes share their bytes."""

import json
from typing import Any

import pytest

from api.live.filters import DEFAULT, Filter, canonical, event_facts, session_facts
from api.live.frames import MAX_EVENTS
from api.live.hub import MAX_GROUPS, Hub, TooManyGroupsError
from api.live.mailbox import Mailbox
from api.live.minutes import Recent
from contracts import Agent, Attribution, EnrichedEvent, Geo, Message
from contracts.live import Subscription
from tests.support.live import reads
from tests.support.messages import MINUTE, NOON, a_session, an_event

SOON = NOON + 1000
PHONE = Agent(browser="Safari", os="iOS", device="mobile")
SESSION = a_session(
    "s1",
    site_id="shop",
    country="DE",
    agent=PHONE,
    attribution=Attribution(channel="search"),
    entry_page="/tea/green",
)


class Stage:
    """A hub and one client of each wish."""

    def __init__(self, *wishes: Subscription) -> None:
        self.hub = Hub(10)
        joined = [self.hub.join(SOON, list, wanted) for wanted in wishes]
        self.mailboxes: list[Mailbox] = [mailbox for mailbox, _ in joined]

    def tell(self, *messages: Message) -> list[dict[str, Any] | None]:
        """What each is told of these messages."""
        self.hub.see(reads(*messages), SOON, 0)
        if self.hub.due is not None:
            self.hub.deliver(SOON, 0)
        taken = [mailbox.take() for mailbox in self.mailboxes]
        return [None if message is None else json.loads(message) for message in taken]


@pytest.mark.parametrize(
    ("field", "wanted", "other"),
    [
        ("site", ("shop",), ("blog",)),
        ("country", ("FR", "DE"), ("FR",)),
        ("channel", ("search",), ("direct",)),
        ("device", ("mobile",), ("desktop",)),
        ("browser", ("Safari",), ("Firefox",)),
        ("os", ("iOS",), ("Linux",)),
        ("bots", "exclude", "only"),
        ("path", "/tea", "/coffee"),
        ("country", ("!FR",), ("!DE",)),
        ("country", ("DE", "!FR"), ("DE", "!DE")),
        ("browser", ("!Firefox", "!Chrome"), ("!Firefox", "!Safari")),
        ("path", "!/coffee", "!/tea"),
        ("path", "", "!"),
        ("session", "s1", "s2"),
        ("visitor", "visitor-of-s1", "visitor-of-s2"),
    ],
)
def test_every_field_restricts(field: str, wanted: Any, other: Any) -> None:
    facts = session_facts(SESSION)
    assert Filter(Subscription(**{field: wanted})).matches(facts)
    others = Filter(Subscription(**{field: other}))
    assert not others.is_open
    assert not others.matches(facts)


def test_events_know_their_path_and_visitor_but_no_session() -> None:
    facts = event_facts(an_event(path="/tea", visitor_id="v7"))
    assert Filter(Subscription(path="/tea", visitor="v7")).matches(facts)
    assert not Filter(Subscription(session="s1")).matches(facts)


def test_a_session_without_a_place_is_unknown() -> None:
    facts = session_facts(a_session(country=None))
    assert Filter(Subscription(country=("unknown",))).matches(facts)


def test_a_client_gets_what_it_asked_for_and_no_more() -> None:
    stage = Stage(Subscription(country=("FR",)), DEFAULT)
    french, everything = stage.tell(a_session("fr", country="FR"), a_session("de"))
    assert french is not None
    assert everything is not None
    assert [session["session_id"] for session in french["sessions"]] == ["fr"]
    assert french["counts"] == {"open_sessions": 1, "open_bots": 0, "minutes": []}
    assert everything["counts"]["minutes"] == []
    assert french["newest_response"] == NOON + 40
    assert everything["counts"]["open_sessions"] == 2
    assert stage.tell(a_session("de", revision=2))[0] is None


def test_counts_of_a_filter_follow_who_comes_and_goes() -> None:
    stage = Stage(Subscription(topics=("stats",), country=("FR",)))
    (first,) = stage.tell(a_session("a", country="FR"), a_session("b", country="FR", is_bot=True))
    assert first is not None
    assert first["counts"] == {"open_sessions": 1, "open_bots": 1, "minutes": []}
    assert first["sessions"] == []
    assert stage.tell(a_session("c")) == [None]
    late = Subscription(topics=("stats",), bots="only")
    _, snapshot = stage.hub.join(SOON, list, late)
    assert json.loads(snapshot)["counts"]["open_bots"] == 1
    (gone,) = stage.tell(a_session("a", country="FR", revision=2, status="closed"))
    assert gone is not None
    assert gone["counts"]["open_sessions"] == 0


def minutes(message: dict[str, Any] | None) -> list[tuple[int, int]]:
    """How long before noon's minute (in minutes), and how many pages, of those with any."""
    assert message is not None
    counts = message["counts"]["minutes"]
    return [((NOON - one["minute"]) // MINUTE, one["pages"]) for one in counts if one["pages"]]


def from_france(event_id: str, offset: int, **fields: Any) -> EnrichedEvent:
    return an_event(event_id, offset=offset, geo=Geo(country="FR"), **fields)


def test_minutes_of_a_filter_count_what_matches() -> None:
    french, tea = Subscription(country=("FR",)), Subscription(path="/tea", topics=("stats",))
    stage = Stage(french, tea)
    ago = from_france("ago", 1, event_time=NOON - 3 * MINUTE)
    french_told, tea_told = stage.tell(ago, an_event("tea", offset=2, path="/tea"), ago)
    assert (minutes(french_told), minutes(tea_told)) == ([(3, 1)], [(0, 1)])
    french_told, tea_told = stage.tell(from_france("now", 3))
    assert (minutes(french_told), tea_told) == ([(0, 1)], None)
    for wanted, expected in (
        (french, [(3, 1), (0, 1)]),
        (Subscription(country=("!FR",)), [(0, 1)]),
        (Subscription(bots="only"), []),
    ):
        mailbox, snapshot = stage.hub.join(SOON, list, wanted)
        told = json.loads(snapshot)
        assert minutes(told) == expected
        assert len(told["counts"]["minutes"]) == 60
        stage.hub.leave(mailbox)


def test_minutes_of_a_filter_begin_with_what_the_history_knows() -> None:
    stage = Stage(Subscription(country=("FR",)))
    known = [from_france("a", 1), an_event("b", offset=2)]
    stage.hub.start_from([], [], SOON, known)
    told = json.loads(stage.mailboxes[0].take() or b"")
    assert minutes(told) == [(0, 1)]


def test_of_too_many_events_the_oldest_minutes_are_left_out() -> None:
    recent = Recent(most=2)
    french = recent.watch(Filter(Subscription(country=("FR",))))
    for ago in (5, 4, 4, 3):
        event = from_france(f"{ago}", 1, event_time=NOON - ago * MINUTE)
        recent.see(event, SOON)
    assert recent.since == NOON - 4 * MINUTE
    found = french.counts(SOON, recent.since)
    assert [one.pages for one in found] == [2, 1, 0, 0, 0]
    later = recent.watch(Filter(Subscription(country=("FR",))))
    assert later.counts(SOON, recent.since) == found


def test_events_are_told_once_each_and_only_to_who_wants_them() -> None:
    stage = Stage(Subscription(topics=("events",), path="/tea"), DEFAULT)
    tea, coffee = an_event("tea", offset=1, path="/tea"), an_event("coffee", offset=2)
    told, default = stage.tell(tea, coffee, tea)
    assert told is not None
    assert default is not None
    assert [event["event_id"] for event in told["events"]] == ["tea"]
    assert (told["counts"], told["sessions"]) == (None, [])
    assert default["events"] == []
    _, snapshot = stage.hub.join(SOON, list, Subscription(topics=("events",)))
    assert [event["event_id"] for event in json.loads(snapshot)["events"]] == ["tea", "coffee"]


def test_events_of_old_times_make_no_frame_for_those_who_want_none() -> None:
    stage = Stage(DEFAULT)
    assert stage.tell(an_event(event_time=NOON - 90 * MINUTE)) == [None]


def test_too_many_events_for_a_message_are_counted() -> None:
    stage = Stage(Subscription(topics=("events",)))
    (told,) = stage.tell(*(an_event(f"e{n}", offset=n) for n in range(MAX_EVENTS + 3)))
    assert told is not None
    assert told["events_left_out"] == 3
    assert told["events"][0]["event_id"] == "e3"


def test_a_session_that_stops_to_match_is_told_once_more() -> None:
    stage = Stage(Subscription(path="/tea"))
    stage.tell(a_session("a", entry_page="/tea"))
    (left,) = stage.tell(a_session("a", revision=2, entry_page="/api/tea"))
    assert left is not None
    assert left["sessions"][0]["entry_page"] == "/api/tea"


def test_equal_wishes_share_their_bytes_however_they_are_written() -> None:
    first = Subscription(topics=("stats", "sessions"), country=("FR", "DE", "DE"))
    second = Subscription(country=("DE", "FR"))
    assert canonical(first) == canonical(second)
    stage = Stage(first, second)
    assert stage.mailboxes[0].group is stage.mailboxes[1].group
    stage.hub.see(reads(a_session()), SOON, 0)
    stage.hub.deliver(SOON, 0)
    assert stage.mailboxes[0]._waiting is stage.mailboxes[1]._waiting
    assert stage.hub.join(SOON, list, first)[1] is stage.hub.join(SOON, list, second)[1]


def test_a_new_wish_begins_with_its_snapshot_and_the_numbers_go_on() -> None:
    stage = Stage(DEFAULT)
    stage.tell(a_session("fr", country="FR"), a_session("de"))
    stage.hub.resubscribe(stage.mailboxes[0], Subscription(country=("FR",)), SOON)
    message = json.loads(stage.mailboxes[0].take() or b"")
    assert (message["type"], message["sequence"]) == ("snapshot", 3)
    assert [session["session_id"] for session in message["sessions"]] == ["fr"]


def test_the_same_wish_again_is_another_snapshot_of_it() -> None:
    french = Subscription(country=("FR",))
    stage = Stage(french)
    stage.tell(a_session("a", country="FR"))
    for _ in range(2):
        stage.hub.resubscribe(stage.mailboxes[0], french, SOON)
        assert json.loads(stage.mailboxes[0].take() or b"")["counts"]["open_sessions"] == 1
    (told,) = stage.tell(a_session("b", country="FR"))
    assert told is not None
    assert told["counts"]["open_sessions"] == 2
    stage.hub.leave(stage.mailboxes[0])
    assert stage.hub.dashboards == 0


def test_distinct_wishes_are_bounded_and_forgotten() -> None:
    hub = Hub(10)
    wishes = [Subscription(path=f"/{number}") for number in range(MAX_GROUPS)]
    joined = [hub.join(SOON, list, wanted)[0] for wanted in wishes[1:]]
    with pytest.raises(TooManyGroupsError):
        hub.join(SOON, list, wishes[0])
    assert hub.dashboards == MAX_GROUPS - 1
    hub.leave(joined[0])
    hub.join(SOON, list, wishes[0])
