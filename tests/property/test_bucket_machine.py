"""A topic's whole life against one bucket: every step may be followed by every other."""

import random
from collections import defaultdict
from itertools import pairwise

import msgspec
from hypothesis import assume, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from contracts import WATERMARK_END, SessionUpdate
from spark_jobs.gaps import GapRule
from spark_jobs.parse import Record
from spark_jobs.rules import Rules
from tests.support.buckets import BucketRun
from tests.support.journey import HOUR, MINUTE, SECOND, Journey, at, record_of, watermark
from tests.support.oracle import described, expected_sessions

NOON = at("2026-03-29 00:30:00")
DAY = 24 * HOUR
RULES = [
    Rules(),
    Rules(gaps=(GapRule("*", "/checkout*", HOUR), GapRule("shop", "/quick", 5 * MINUTE))),
    Rules(max_events=3, max_per_minute=2, max_length=70 * MINUTE),
    Rules(gap=20 * SECOND, lateness=15 * SECOND, delay=0, max_events=3, max_per_minute=4),
    Rules(
        gap=20 * SECOND,
        gaps=(GapRule("*", "/checkout*", 50 * SECOND),),
        lateness=40 * SECOND,
        max_events=4,
        max_per_minute=5,
        max_length=90 * SECOND,
    ),
]

visitors = st.sampled_from(["ann", "ann", "ann", "bob", "eve", "eve", "eve", "eva"])
ROTATING = frozenset(["eve", "eva"])
"""Visitors whose ids rotate; they share a routing key."""
paths = st.sampled_from(["/", "/checkout", "/quick"])
steps = st.integers(-100, 8)
"""In thirtieths of the gap, so that an event one gap after another is nothing rare."""
FORMS = [int, float, str, lambda ms: ms * 1000, lambda ms: str(ms * 1000), lambda ms: ms / 1000]


def person_of(visitor_id):
    """``~eee.eve-17`` → ``eve``."""
    return visitor_id.removeprefix("~eee.").partition("-")[0]


def seen(update):
    """All of an update that must not depend on the reading."""
    return msgspec.structs.replace(update, epoch=0, processed_time=0, revision=0, broker_time=0)


class BucketMachine(RuleBasedStateMachine):
    """``topic`` is what was sent; the first ``applied`` records of it are in the state."""

    @initialize(rules=st.sampled_from(RULES))
    def begin(self, rules):
        self.rules = rules
        self.now = NOON
        self.topic: list[Record] = []
        self.ahead: set[int] = set()
        self.applied = self.retold = 0
        self.run = BucketRun(rules)
        self.checkpoints: list[tuple[int, tuple[bytes, bytes] | None]] = [(0, None)]
        self.checked = 0
        self.newest: dict[str, SessionUpdate] = {}
        self.told: dict[tuple[str, int], bytes] = {}

    @property
    def broker_time(self):
        return self.now + self.rules.delay

    def append(self, record):
        self.topic.append(msgspec.structs.replace(record, offset=len(self.topic)))

    def names(self, visitor, moment):
        """What the visitor's id is, and what it was until a longest gap ago or two."""
        if visitor not in ROTATING:
            return visitor, None
        day, time = divmod(moment, 3 * self.rules.longest_gap)
        before = f"~eee.{visitor}-{day - 1}" if time < 2 * self.rules.longest_gap else None
        return f"~eee.{visitor}-{day}", before

    def send_event(self, visitor, moment, path="/", sequence=0, form=int, skew=0):
        number, happened = len(self.topic), moment
        if moment > self.broker_time + self.rules.clock_tolerance:
            self.ahead.add(number)
            happened = self.broker_time
        name, previous = self.names(visitor, happened + skew * self.rules.gap // 30)
        (event,) = Journey(name).view(path, event_id=f"e{number:03}").events
        event = msgspec.structs.replace(
            event, event_time=form(moment), sequence=sequence, previous_visitor_id=previous
        )
        self.append(record_of(event, number, self.broker_time))

    @rule(
        who=visitors,
        step=steps,
        more=st.integers(0, 1),
        path=paths,
        sequence=st.integers(0, 1),
        form=st.sampled_from(FORMS),
        skew=st.sampled_from([0, 0, -1, 1]),
    )
    def send(self, who, step, more, path, sequence, form, skew):
        moment = self.now + step * self.rules.gap // 30 + more
        self.send_event(who, moment, path, sequence, form, skew)

    @rule(who=visitors, step=steps, ties=st.integers(2, 5), back=st.booleans())
    def send_ties(self, who, step, ties, back):
        sequences = range(ties, 0, -1) if back else [0] * ties
        for sequence in sequences:
            self.send_event(who, self.now + step * self.rules.gap // 30, sequence=sequence)

    @precondition(lambda self: self.topic)
    @rule(data=st.data())
    def send_again(self, data):
        again = data.draw(st.sampled_from(self.topic))
        # Its id would belong to another time than the one that it is clamped to.
        assume(again.offset not in self.ahead or b"~" not in (again.key or b""))
        # What a bound left out is not remembered, so a copy with another clamped time is new.
        broker_time = again.broker_time if again.offset in self.ahead else self.broker_time
        if again.offset in self.ahead:
            self.ahead.add(len(self.topic))
        self.append(msgspec.structs.replace(again, broker_time=broker_time))

    @rule(who=visitors.filter(lambda name: name not in ROTATING))
    def send_from_a_clock_a_day_ahead(self, who):
        self.send_event(who, self.now + DAY)

    @rule(value=st.sampled_from([None, b"", b"{", b'{"event_time":-1}']))
    def send_what_is_no_event(self, value):
        self.append(Record(b"shop/ann", value, 0, self.broker_time))

    @rule(step=st.integers(0, 60))
    def tick(self, step):
        self.now += step * self.rules.gap // 30
        self.append(watermark(self.now, 0))

    @precondition(lambda self: self.applied < len(self.topic))
    @rule(size=st.integers(1, 8), crashes=st.sampled_from([0, 0, 1, 2]))
    def apply(self, size, crashes):
        """A crash between sink and commit: the batch is told, forgotten, and applied again."""
        batch, before = self.topic[self.applied : self.applied + size], self.run.stored
        for _ in range(crashes):
            self.run.feed(batch)
            self.run.stored = before
        self.run.feed(batch)
        self.applied += len(batch)
        self.checkpoints.append((self.applied, self.run.stored))
        self.check_updates()

    @rule(data=st.data(), told=st.integers(0, 8))
    def go_back(self, data, told):
        """Newest files are torn, and a batch whose borders nobody knows any more was told."""
        self.run.feed(self.topic[self.applied : self.applied + told])
        kept = data.draw(st.integers(1, len(self.checkpoints)))
        self.checkpoints = self.checkpoints[:kept]
        self.retold = len(self.topic)
        self.applied, stored = self.checkpoints[-1]
        self.run.go_back(stored, self.applied, self.retold)
        self.check_updates()

    def check_updates(self):
        for update in self.run.updates[self.checked :]:
            self.check_update(update)
        self.checked = len(self.run.updates)
        for update in self.newest.values():
            assert update.merged_into is None or update.merged_into in self.newest

    def check_update(self, update):
        if update.status != "merged":
            # A crash repeats what was told; whatever is told anew has a higher revision.
            text = msgspec.json.encode(update)
            assert self.told.setdefault((update.session_id, update.revision), text) == text
        known = self.newest.get(update.session_id)
        if known is None or update.revision > known.revision:
            assert known is None or known.status != "final"
            self.newest[update.session_id] = update

    @invariant()
    def the_ledger_balances(self):
        if not hasattr(self, "run"):
            return
        tally = self.run.tally
        parts = tally.events + tally.duplicates + tally.late + tally.dead_letters + tally.cut
        requests = sum(record.watermark is None for record in self.topic[: self.applied])
        assert parts == tally.requests == requests

    @invariant()
    def a_visitors_sessions_do_not_overlap(self):
        # After going back they may, until what was told is told again.
        if not hasattr(self, "run") or self.applied < self.retold:
            return
        by_visitor = defaultdict(list)
        for update in self.newest.values():
            if update.status != "merged":
                by_visitor[update.visitor_id].append((update.start, update.end))
        for spans in by_visitor.values():
            spans.sort()
            # Equal only where a bound cuts between two events of one event_time.
            assert all(end <= start for (_, end), (start, _) in pairwise(spans))

    def teardown(self):
        if not hasattr(self, "run"):
            return
        self.append(watermark(WATERMARK_END, 0))
        self.run.feed(self.topic[self.applied :])
        self.check_updates()
        self.applied = len(self.topic)
        self.the_ledger_balances()
        final = [update for update in self.newest.values() if update.status != "merged"]
        assert all(update.status == "final" for update in final)
        assert sum(update.events for update in final) == self.run.tally.events
        assert self.run.visitors == 0
        self.check_against_sort_and_cut(final)
        self.check_against_batch(final)
        self.check_against_another_reading(final)

    def check_against_sort_and_cut(self, final):
        gaps = {rule.path.rstrip("*"): rule.gap for rule in self.rules.gaps}
        expected = expected_sessions(
            self.run.events,
            self.rules,
            lambda _site, path: gaps.get(path, self.rules.gap),
            person_of,
        )
        assert described(final) == expected

    def check_against_batch(self, final):
        """Of what the stream accepted, in another order and with the clock at its end only."""
        accepted = [self.topic[offset] for offset in sorted({e.offset for e in self.run.events})]
        random.Random(len(accepted)).shuffle(accepted)
        ordered = [msgspec.structs.replace(r, offset=i) for i, r in enumerate(accepted)]
        batch = BucketRun(self.rules).feed([*ordered, watermark(WATERMARK_END, len(ordered))])
        assert {u.session_id: seen(u) for u in final} == {
            key: seen(u) for key, u in batch.sessions().items()
        }
        assert not batch.late

    def check_against_another_reading(self, final):
        sizes = random.Random(len(self.topic)).choices(range(9), k=len(self.topic))
        other = BucketRun(self.rules).feed_in(self.topic, sizes)
        assert {u.session_id: u for u in final} == other.sessions()
        assert other.tally == self.run.tally
        assert {each.event.offset: each for each in self.run.late} == {
            each.event.offset: each for each in other.late
        }
        assert {each.offset: each for each in self.run.dead} == {
            each.offset: each for each in other.dead
        }


BucketMachine.TestCase.settings = settings(
    max_examples=250,
    stateful_step_count=50,
)
TestBucketMachine = BucketMachine.TestCase
