"""Any order, any batching, any duplication gives the same sessions as one sort and cut."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts import WATERMARK_END
from spark_jobs.rules import Rules
from spark_jobs.sessions import Kept, insert, sessionize
from tests.support.buckets import BucketRun
from tests.support.journey import MINUTE, Journey, at, record_of, watermark

RULES = Rules(max_events=6, max_per_minute=4, max_length=3 * 60 * MINUTE)
START = at("2026-03-28 23:00:00")

minutes = st.integers(0, 200)
steps = st.lists(st.tuples(minutes, st.integers(0, 3)), min_size=1, max_size=25)


def events_of(drawn):
    """Events with ties in time; one visitor."""
    made = []
    for number, (minute, sequence) in enumerate(drawn):
        (event,) = Journey("ann").view(f"/{number}", event_id=f"e{number:03}").events
        made.append(
            msgspec.structs.replace(event, event_time=START + minute * MINUTE, sequence=sequence)
        )
    return made


def oracle(drawn):
    """(start, end, events) by sorting and cutting with nothing of the product but the rules."""
    ordered = sorted((minute, sequence, number) for number, (minute, sequence) in enumerate(drawn))
    kept, seen = [], {}
    for minute, sequence, number in ordered:
        seen[minute] = seen.get(minute, 0) + 1
        if seen[minute] <= RULES.max_per_minute:
            kept.append((minute, sequence, number))
    sessions = []
    for minute, _, number in kept:
        last = sessions[-1] if sessions else None
        if (
            last is None
            or minute - last[-1][0] > 30
            or minute - last[0][0] >= 180
            or len(last) == RULES.max_events
        ):
            sessions.append([])
        sessions[-1].append((minute, number))
    return [(s[0][0], s[-1][0], len(s), f"/{s[0][1]}", f"/{s[-1][1]}") for s in sessions]


def found(run):
    sessions = sorted(run.sessions().values(), key=lambda s: (s.start, s.end))
    return [
        (
            (s.start - START) // MINUTE,
            (s.end - START) // MINUTE,
            s.events,
            s.entry_page,
            s.exit_page,
        )
        for s in sessions
    ]


@settings(max_examples=300)
@given(steps, st.randoms(use_true_random=False), st.lists(st.integers(0, 6), max_size=8))
def test_any_order_batching_and_duplication_ends_in_the_same_sessions(drawn, random, sizes):
    events = events_of(drawn)
    arrival = [*events, *random.sample(events, k=len(events) // 2)]
    random.shuffle(arrival)
    records = [record_of(e, i, broker_time=START + 10**9) for i, e in enumerate(arrival)]
    run = BucketRun(RULES).feed_in(records, sizes)
    run.feed([watermark(WATERMARK_END, 10_000)])
    assert sorted(found(run)) == sorted(oracle(drawn))
    assert all(s.status == "final" for s in run.sessions().values())
    assert run.tally.requests == len(arrival)
    assert (
        run.tally.events + run.tally.duplicates + run.tally.late + run.tally.cut
        == run.tally.requests
    )
    assert run.visitors == 0


def final_content(run):
    finals = [u for u in run.updates if u.status == "final"]
    return sorted(msgspec.json.encode(u) for u in finals)


timeline = st.lists(
    st.one_of(
        st.tuples(st.just("event"), st.integers(-90, 15), st.integers(0, 1)),
        st.tuples(st.just("watermark"), st.integers(0, 25), st.just(0)),
    ),
    min_size=1,
    max_size=30,
)


@settings(max_examples=300)
@given(
    timeline,
    st.lists(st.integers(0, 5), max_size=10),
    st.lists(st.integers(0, 5), max_size=10),
    st.sampled_from([Rules(), Rules(max_events=3, max_per_minute=2, max_length=70 * MINUTE)]),
)
def test_the_topic_alone_decides_what_is_final_and_what_is_late(drawn, one_way, another, rules):
    """The same records in other batches: the same final sessions byte for byte, and late events."""
    records, now = [], 0
    for offset, (kind, step, who) in enumerate(drawn):
        if kind == "watermark":
            now += step
            records.append(watermark(START + now * MINUTE, offset))
        else:
            (event,) = Journey(f"v{who}").view(f"/{offset}", event_id=f"e{offset}").events
            timed = msgspec.structs.replace(event, event_time=START + (now + step) * MINUTE)
            records.append(record_of(timed, offset, broker_time=START + (now + 20) * MINUTE))
    records.append(watermark(WATERMARK_END, len(drawn)))
    first = BucketRun(rules).feed_in(records, one_way)
    second = BucketRun(rules).feed_in(records, another)
    assert final_content(first) == final_content(second)
    assert [late.event.event_id for late in first.late] == [x.event.event_id for x in second.late]
    assert first.tally == second.tally
    live = list(first.sessions().values())
    assert sum(s.events for s in live) == first.tally.events
    assert all(s.status == "final" for s in live)
    assert_no_overlap(live)


def assert_no_overlap(sessions):
    by_visitor = {}
    for session in sorted(sessions, key=lambda s: s.start):
        before = by_visitor.get(session.visitor_id)
        # Equal only where a bound cuts between two events of one event_time.
        assert before is None or session.start >= before.end
        by_visitor[session.visitor_id] = session


@given(st.lists(st.tuples(minutes, st.integers(0, 9)), max_size=40))
def test_thinning_and_cutting_lose_nothing_uncounted(drawn):
    events = sorted(
        Kept(m * MINUTE, s, bytes([i]), i, 0, "/", 0, 0) for i, (m, s) in enumerate(drawn)
    )
    stays: list[Kept] = []
    gone = [out for event in events if (out := insert(stays, event, RULES)) is not None]
    cuts = sessionize(stays, RULES)
    assert sum(len(cut.events) for cut in cuts) + len(gone) == len(events)
    assert [event for cut in cuts for event in cut.events] == stays
    assert all(len(cut.events) <= RULES.max_events for cut in cuts)
