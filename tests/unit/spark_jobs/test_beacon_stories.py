"""What a page's script reports, on its way through the job into sessions."""

import msgspec

from contracts import RequestEvent, SessionUpdate
from spark_jobs.packing import pack, unpack
from spark_jobs.parse import Invalid, Valid, parse_value
from spark_jobs.sessions import Kept
from tests.support.buckets import BucketRun
from tests.support.journey import MINUTE, SECOND, Journey, record_of


def run_of(journey: Journey) -> BucketRun:
    return BucketRun().feed(record_of(event, n) for n, event in enumerate(journey.events))


def only_session(run: BucketRun) -> SessionUpdate:
    (session,) = run.sessions().values()
    return session


def test_each_kind_is_counted_as_what_it_is() -> None:
    journey = (
        Journey("v")
        .view("/pricing")
        .call("/api/plans", after=SECOND)
        .custom("signup", "/pricing", after=MINUTE, plan="pro")
        .read(90_000, "/pricing", after=MINUTE)
        .view("/welcome", after=SECOND)
        .read(5_000, "/welcome", after=MINUTE)
    )
    run = run_of(journey)
    session = only_session(run)
    assert (session.events, session.pages, session.api_calls, session.custom_events) == (6, 2, 1, 1)
    assert session.engaged_ms == 95_000
    assert (session.entry_page, session.exit_page) == ("/pricing", "/welcome")
    assert run.tally.events == run.tally.requests == 6


def test_an_enriched_event_has_what_the_script_said_and_others_do_not_name_it() -> None:
    run = run_of(Journey("v").view("/").custom("signup", plan="pro", seats=3, trial=False))
    plain, custom = run.events
    assert (custom.kind, custom.origin, custom.name) == ("custom", "beacon", "signup")
    assert custom.properties == {"plan": "pro", "seats": 3, "trial": False}
    assert not {"origin", "name", "properties", "engaged_ms"} & set(msgspec.to_builtins(plain))


def test_reading_time_keeps_a_session_open() -> None:
    journey = Journey("v").view("/long").read(20 * MINUTE, "/long", after=20 * MINUTE)
    session = only_session(run_of(journey.view("/next", after=20 * MINUTE)))
    assert (session.pages, session.duration_ms) == (2, 40 * MINUTE)


def test_a_tab_that_is_read_again_the_next_day_is_a_session_without_a_page() -> None:
    journey = Journey("v").view("/a").read(MINUTE, "/a", after=24 * 60 * MINUTE)
    _, later = sorted(run_of(journey).sessions().values(), key=lambda one: one.start)
    assert (later.pages, later.events, later.entry_page) == (0, 1, "/a")


def test_a_checkpoint_of_before_goes_on() -> None:
    events = Journey("v").view("/").read(5_000, after=MINUTE).events
    run = BucketRun().feed([record_of(events[0], 0)])
    assert run.stored is not None
    run.stored = (run.stored[0], without_last_field(run.stored[1]))
    run.feed([record_of(events[1], 1)])
    assert only_session(run).engaged_ms == 5_000


def without_last_field(body: bytes) -> bytes:
    """A bucket's visitors with their events as they were kept before reading time was."""
    visitors = {}
    for key, (due, packed) in unpack(body).items():
        state = msgspec.msgpack.decode(packed)
        assert len(state[0][0]) == len(Kept.__struct_fields__)
        state[0] = [event[:-1] for event in state[0]]
        visitors[key] = (due, msgspec.msgpack.encode(state))
    return pack(visitors)


def parsed(**fields: object) -> Valid | Invalid:
    event = msgspec.to_builtins(Journey("v").custom("signup").events[0])
    return parse_value(msgspec.json.encode(event | fields))


def test_other_producers_are_held_to_the_same_bounds() -> None:
    for bad in (
        {"properties": {str(n): n for n in range(21)}},
        {"properties": {"k": "x" * 257}},
        {"properties": {"": 1}},
        {"properties": {"k": [1]}},
        {"properties": {"k": 2**53 + 1}},
        {"name": ""},
        {"name": "x" * 65},
        {"engaged_ms": -1},
        {"kind": "click"},
    ):
        assert isinstance(parsed(**bad), Invalid), bad
    assert isinstance(parsed(), Valid)
    assert isinstance(parsed(properties={"price": 9.5, "new": True, "seats": -3}), Valid)


def test_a_plain_request_is_no_larger_than_before() -> None:
    (event,) = Journey("v").view("/").events
    assert b"properties" not in msgspec.json.encode(event)
    assert msgspec.json.decode(msgspec.json.encode(event), type=RequestEvent) == event
