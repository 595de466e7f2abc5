"""Cut off and back again: whoever reconnects knows what they would know without the cut."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.live.frames import MAX_SESSIONS
from api.live.hub import Hub
from api.live.log import SessionLog
from api.live.mailbox import Mailbox
from contracts.live import Subscription
from tests.support.live import BEGIN, SESSIONS, STREAM, Client, Tape
from tests.support.messages import NOON, a_session, an_event

SOON = NOON + 1000
EVERYTHING = Subscription(topics=("sessions", "events", "stats"))
WISHES = [
    EVERYTHING,
    Subscription(),
    Subscription(topics=("sessions", "events", "stats"), country=("FR",)),
    Subscription(topics=("sessions", "stats"), bots="exclude", path="/shop"),
    Subscription(topics=("events",), path="/shop"),
]


class Process:
    """An API process: a hub that reads the tape at its own pace."""

    def __init__(self, tape: Tape) -> None:
        self.hub = Hub(50)
        self.hub.begin_at(STREAM, BEGIN, SOON)
        self._tape = tape
        self._read = dict(BEGIN)

    def read(self, number: int, limit: int) -> None:
        """Read some records of one partition."""
        place = STREAM.places[number]
        reads = self._tape.read(place, self._read[place], limit)
        self._read[place] += len(reads)
        self.hub.see(reads, SOON, 0)
        self.hub.read_until(self._read)

    def read_all(self) -> None:
        for number in range(len(STREAM.places)):
            self.read(number, 1_000)
        self.deliver()

    def deliver(self) -> None:
        while self.hub.due is not None:
            self.hub.deliver(SOON, 0)


class Browser(Client):
    """A client with a connection that can be cut."""

    def __init__(self, wanted: Subscription) -> None:
        super().__init__()
        self.wanted = wanted
        self._mailbox: Mailbox | None = None

    def connect(self, process: Process) -> None:
        self._hub = process.hub
        self._mailbox, first = self._hub.join(SOON, list, self.wanted, self.position)
        self.hear(first)

    def cut(self) -> None:
        """What waits in the mailbox is lost with the connection."""
        assert self._mailbox is not None
        self._hub.leave(self._mailbox)
        self._mailbox = None

    def listen(self) -> None:
        while self._mailbox is not None and (message := self._mailbox.take()) is not None:
            self.hear(message)

    def knows(self) -> tuple[object, ...]:
        return self.sessions, sorted(self.events), self.counts, self.minutes


class Story:
    """Two processes; a client that is never cut off; and one that is, and goes to either."""

    def __init__(self, wanted: Subscription) -> None:
        self._tape = Tape()
        self._written = 0
        self._is_cut = False
        self.processes = [Process(self._tape), Process(self._tape)]
        self.faithful, self.cut_off = Browser(wanted), Browser(wanted)
        self.faithful.connect(self.processes[0])
        self.cut_off.connect(self.processes[0])

    def event(self, name: str, path: str) -> None:
        self._written += 1
        event = an_event(f"e{self._written}", offset=self._written, path=path)
        self._tape.write(event, ord(name) % 2)

    def session(self, name: str, status: str) -> None:
        """A session's place and entry page are those of its first event: they stay."""
        self._written += 1
        first = {"country": "DE"} if name in "ab" else {"country": "FR", "entry_page": "/shop/tea"}
        update = a_session(
            name, revision=self._written, events=self._written, status=status, **first
        )
        self._tape.write(update, ord(name) % 2)

    def read(self, which: int, number: int, limit: int) -> None:
        self.processes[which].read(number, limit)

    def deliver(self, which: int) -> None:
        self.processes[which].deliver()

    def cut(self) -> None:
        if not self._is_cut:
            self.cut_off.cut()
        self._is_cut = True

    def back(self, which: int) -> None:
        if self._is_cut:
            self.cut_off.connect(self.processes[which])
        self._is_cut = False

    def listen(self) -> None:
        self.faithful.listen()
        self.cut_off.listen()

    def end(self) -> None:
        self.back(1)
        for process in self.processes:
            process.read_all()
        self.listen()


names = st.sampled_from("abcd")
number = st.integers(0, 1)
steps = st.one_of(
    st.tuples(st.just("session"), names, st.sampled_from(["open", "open", "closed"])),
    st.tuples(st.just("event"), names, st.sampled_from(["/", "/shop/tea"])),
    st.tuples(st.just("read"), number, st.integers(0, 3), st.integers(1, 3)),
    st.tuples(st.just("deliver"), number),
    st.tuples(st.just("back"), number),
    st.just(("cut",)),
    st.just(("listen",)),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(steps, max_size=60), st.sampled_from(WISHES))
def test_any_cut_and_reconnection_ends_in_the_same_state(
    told: list[tuple[str, ...]], wanted: Subscription
) -> None:
    """To any of two processes, which read the partitions in orders of their own."""
    story = Story(wanted)
    for step, *how in told:
        getattr(story, step)(*how)
    story.end()
    faithful, cut_off = story.faithful, story.cut_off
    if False in cut_off.recovered[1:]:
        # A snapshot has the newest events only, and takes the place of all that were told.
        assert set(cut_off.events) <= set(faithful.events)
        cut_off.events = faithful.events
    assert cut_off.knows() == faithful.knows()


def told_up_to_now(process: Process) -> Browser:
    browser = Browser(EVERYTHING)
    browser.connect(process)
    process.read_all()
    browser.listen()
    return browser


def test_who_was_away_gets_exactly_what_it_missed() -> None:
    tape = Tape()
    tape.write(a_session("before"))
    tape.write(an_event("e1", offset=1))
    process = Process(tape)
    browser = told_up_to_now(process)
    browser.cut()
    tape.write(a_session("a"), 1)
    tape.write(a_session("a", revision=2), 1)
    tape.write(an_event("e2", offset=2))
    process.read_all()
    browser.connect(process)
    assert browser.kinds[-1] == "recovered"
    assert browser.sessions == {"before": (1, 1), "a": (1, 2)}
    assert browser.events == ["e1", "e2"]


def test_another_process_goes_on_where_the_first_was() -> None:
    tape = Tape()
    first, second = Process(tape), Process(tape)
    tape.write(a_session("a"))
    tape.write(a_session("b"), 1)
    browser = told_up_to_now(first)
    browser.cut()
    tape.write(a_session("c"))
    second.read_all()
    browser.connect(second)
    assert browser.recovered == [False, True]
    assert set(browser.sessions) == {"a", "b", "c"}


def test_a_process_that_is_behind_says_that_it_cannot_go_on() -> None:
    tape = Tape()
    first, second = Process(tape), Process(tape)
    tape.write(a_session("a"))
    browser = told_up_to_now(first)
    assert browser.position is not None
    assert second.hub.may_yet_recover(EVERYTHING, browser.position)
    browser.cut()
    browser.connect(second)
    assert browser.recovered == [False, False]
    second.read_all()
    assert not second.hub.may_yet_recover(EVERYTHING, browser.position)


@pytest.mark.parametrize(
    "position",
    ["", "nonsense", "test.00000000.0-0-0-0", "other.{}.0-0-0-0", "test.{}.0-0", "test.{}.x-0-0-0"],
)
def test_a_position_of_something_else_gives_a_snapshot(position: str) -> None:
    process = Process(Tape())
    browser = told_up_to_now(process)
    assert browser.position is not None
    browser.position = position.format(browser.position.split(".")[1])
    browser.connect(process)
    assert browser.recovered == [False, False]


def test_a_position_belongs_to_its_subscription() -> None:
    process = Process(Tape())
    browser = told_up_to_now(process)
    browser.wanted = Subscription()
    browser.connect(process)
    assert browser.recovered == [False, False]


def test_what_the_log_forgot_is_never_left_out_silently() -> None:
    tape = Tape()
    for number in range(40):
        tape.write(a_session(f"s{number}"))
    log = SessionLog(capacity=20_000)
    log.begin(BEGIN)
    process = Process(tape)
    process.hub._board.sessions_log = log
    browser = told_up_to_now(process)
    early = dict.fromkeys(STREAM.places, 0)
    assert log.since(early) is None
    assert len(log.all()) < 40
    oldest = min(state.mark.offset for state in log.all() if state.mark is not None)
    found = log.since({**early, STREAM.places[2]: oldest})
    assert found is not None
    assert len(found) == 40 - oldest
    assert browser.sessions["s0"] == (1, 1)


def test_a_heartbeat_says_how_far_the_client_is() -> None:
    tape = Tape()
    process = Process(tape)
    browser = Browser(Subscription(country=("FR",)))
    browser.connect(process)
    before = browser.position
    tape.write(a_session("german", country="DE"))
    process.read_all()
    assert browser._mailbox is not None
    heartbeat = json.loads(browser._mailbox.heartbeat(SOON, None))
    assert heartbeat["position"] != before


def test_a_flood_that_takes_several_frames_is_not_counted_as_told_before_it_is() -> None:
    tape = Tape()
    first, second = Process(tape), Process(tape)
    browser = Browser(EVERYTHING)
    browser.connect(first)
    for number in range(MAX_SESSIONS + 5):
        tape.write(a_session(f"s{number}", start=NOON + number))
    first.read(STREAM.places.index(SESSIONS[0]), 2 * MAX_SESSIONS)
    first.hub.deliver(SOON, 0)
    browser.listen()
    assert len(browser.sessions) == MAX_SESSIONS
    browser.cut()
    second.read_all()
    browser.connect(second)
    assert browser.kinds[-1] == "recovered"
    assert len(browser.sessions) == MAX_SESSIONS + 5


def test_when_kafka_has_lost_records_everyone_begins_anew() -> None:
    tape = Tape()
    process = Process(tape)
    tape.write(a_session("a"))
    browser = told_up_to_now(process)
    process.hub.begin_at(STREAM, process._read, SOON)
    browser.listen()
    assert browser.kinds == ["snapshot", "update"]
    process.hub.begin_at(STREAM, dict.fromkeys(STREAM.places, 7), SOON)
    browser.listen()
    assert browser.kinds == ["snapshot", "update", "snapshot"]
