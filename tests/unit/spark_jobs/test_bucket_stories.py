"""Sessions told as short stories with literal times, through the bucket's public face."""

import msgspec

from contracts import WATERMARK_END, WATERMARK_START
from spark_jobs.rules import Rules
from tests.support.buckets import BucketRun, in_order
from tests.support.journey import HOUR, MINUTE, SECOND, Journey, at, record_of, watermark


def feed_journey(run: BucketRun, journey: Journey, first_offset: int = 0) -> BucketRun:
    return run.feed(record_of(e, first_offset + i) for i, e in enumerate(journey.events))


def test_an_event_exactly_one_gap_later_joins():
    run = feed_journey(BucketRun(), Journey("ann").view().view(after=30 * MINUTE))
    (session,) = run.sessions().values()
    assert (session.events, session.duration_ms, session.status) == (2, 30 * MINUTE, "open")


def test_an_event_one_millisecond_more_than_a_gap_later_does_not():
    run = feed_journey(BucketRun(), Journey("ann").view().view(after=30 * MINUTE + 1))
    assert [session.events for session in in_order(run.sessions().values())] == [1, 1]


def test_a_session_closes_by_silence_alone_and_then_becomes_final():
    run = feed_journey(BucketRun(), Journey("ann", "2026-01-15 10:00:00").view("/a"))
    run.feed([watermark(at("2026-01-15 10:30:10"), 10)])
    assert [u.status for u in run.updates] == ["open"], "one gap after the last event it may join"
    run.feed([watermark(at("2026-01-15 10:30:10") + 1, 11)])
    assert [u.status for u in run.updates] == ["open", "closed"]
    run.feed([watermark(at("2026-01-15 10:45:10") + 1, 12)])
    assert [u.status for u in run.updates] == ["open", "closed", "final"]
    revisions = [u.revision for u in run.updates]
    assert revisions == sorted(set(revisions))


def test_a_visitor_is_forgotten_once_nothing_can_refer_to_it():
    run = feed_journey(BucketRun(), Journey("ann", "2026-01-15 10:00:00").view("/a"))
    run.feed([watermark(at("2026-01-15 11:15:10"), 10)])
    assert run.visitors == 1
    run.feed([watermark(at("2026-01-15 11:15:10") + 1, 11)])
    assert run.visitors == 0


def test_a_bridge_merges_two_sessions_and_says_into_which():
    early = Journey("ann", "2026-01-15 10:00:00").view("/a").events
    late = Journey("ann", "2026-01-15 10:50:00").view("/c", event_id="c").events
    bridge = Journey("ann", "2026-01-15 10:25:00").view("/b", event_id="b").events
    run = BucketRun().feed([record_of(early[0], 0), record_of(late[0], 1)])
    assert len(run.sessions()) == 2
    run.feed([record_of(bridge[0], 2)])
    (session,) = run.sessions().values()
    assert (session.entry_page, session.exit_page, session.events) == ("/a", "/c", 3)
    merged = [u for u in run.updates if u.status == "merged"]
    assert [u.merged_into for u in merged] == [session.session_id]


def test_an_earlier_event_renames_the_session_and_the_old_name_leads_to_the_new():
    first = Journey("ann", "2026-01-15 10:10:00").view("/b", event_id="b").events[0]
    before = Journey("ann", "2026-01-15 10:00:00").view("/a", event_id="a").events[0]
    run = BucketRun().feed([record_of(first, 0)]).feed([record_of(before, 1)])
    (session,) = run.sessions().values()
    old = run.updates[0].session_id
    assert session.session_id != old
    assert [(u.session_id, u.merged_into) for u in run.updates if u.status == "merged"] == [
        (old, session.session_id)
    ]


def test_an_event_for_a_final_session_is_listed_as_late_and_glued_to_nothing():
    run = feed_journey(BucketRun(), Journey("ann", "2026-01-15 10:00:00").view("/a"))
    run.feed([watermark(at("2026-01-15 12:00:00"), 1)])
    straggler = Journey("ann", "2026-01-15 10:05:00").view("/x", event_id="x").events[0]
    returning = Journey("ann", "2026-01-15 12:00:00").view("/y", event_id="y").events[0]
    run.feed([record_of(straggler, 2), record_of(returning, 3)])
    (late,) = run.late
    assert (late.reason, late.event.path) == ("session_final", "/x")
    assert late.late_ms == 115 * MINUTE - 10 * SECOND
    assert [s.entry_page for s in in_order(run.sessions().values())] == ["/a", "/y"]


def test_an_event_within_the_lateness_still_joins_its_closed_session():
    run = feed_journey(BucketRun(), Journey("ann", "2026-01-15 10:00:00").view("/a"))
    run.feed([watermark(at("2026-01-15 10:44:00"), 1)])
    straggler = Journey("ann", "2026-01-15 10:05:00").view("/x", event_id="x").events[0]
    run.feed([record_of(straggler, 2)])
    (session,) = run.sessions().values()
    assert (session.events, session.exit_page, session.status) == (2, "/x", "closed")


def test_a_returning_visitors_earlier_session_closes_by_itself():
    journey = Journey("ann", "2026-01-15 10:00:00").view("/a").view("/b", after=45 * MINUTE)
    run = feed_journey(BucketRun(), journey)
    run.feed([watermark(at("2026-01-15 10:46:00"), 9)])
    statuses = [s.status for s in in_order(run.sessions().values())]
    assert statuses == ["final", "open"]


def test_a_doubled_event_counts_once_and_is_counted_as_a_duplicate():
    event = Journey("ann").view().events[0]
    run = BucketRun().feed([record_of(event, 0), record_of(event, 1)]).feed([record_of(event, 2)])
    (session,) = run.sessions().values()
    assert session.events == 1
    assert (run.tally.requests, run.tally.events, run.tally.duplicates) == (3, 1, 2)
    assert len(run.events) == 1


def test_a_clock_a_day_ahead_is_set_to_the_brokers_and_hurts_nobody():
    ahead = Journey("fast", "2026-01-16 10:00:00").view().events[0]
    other = Journey("ann", "2026-01-15 10:00:05").view().events[0]
    now = at("2026-01-15 10:00:00")
    run = BucketRun().feed([record_of(ahead, 0, broker_time=now), record_of(other, 1)])
    by_visitor = {s.visitor_id: s for s in run.sessions().values()}
    assert by_visitor["fast"].start == now
    assert by_visitor["fast"].flags == ["clock_clamped"]
    assert by_visitor["ann"].status == "open"
    assert not run.late


def test_a_watermark_far_ahead_of_the_broker_closes_nobody():
    run = feed_journey(BucketRun(), Journey("ann", "2026-01-15 10:00:00").view())
    run.feed([watermark(at("2026-01-17 00:00:00"), 1, broker_time=at("2026-01-15 10:01:00"))])
    assert [s.status for s in run.sessions().values()] == ["open"]


def test_ties_break_by_sequence_then_identity_in_any_order():
    later = Journey("ann").view("/b", event_id="2").events[0]
    sooner = Journey("ann").view("/a", event_id="1").events[0]
    for first, second in ((later, sooner), (sooner, later)):
        run = BucketRun().feed([record_of(first, 0)]).feed([record_of(second, 1)])
        (session,) = run.sessions().values()
        assert (session.entry_page, session.exit_page) == ("/a", "/b")


def test_pages_make_entry_and_exit_and_api_calls_are_counted_apart():
    journey = Journey("ann").call("/api/a").view("/in", after=1).view("/out", after=1)
    run = feed_journey(BucketRun(), journey.call("/api/b", after=1))
    (session,) = run.sessions().values()
    assert (session.entry_page, session.exit_page) == ("/in", "/out")
    assert (session.events, session.pages, session.api_calls) == (4, 2, 2)


def test_place_and_device_are_those_of_the_first_event():
    (session,) = feed_journey(BucketRun(), Journey("ann").view()).sessions().values()
    assert session.geo is not None
    assert (session.geo.country, session.geo.city) == ("GB", "London")
    assert session.geo.time_zone == "Europe/London"


def test_a_session_over_a_day_is_cut_there_and_says_so():
    journey = Journey("crawler", "2026-01-15 00:00:00").view()
    for _ in range(100):
        journey.view(after=20 * MINUTE)
    run = feed_journey(BucketRun(), journey).feed([watermark(WATERMARK_END, 1000)])
    first, second = in_order(run.sessions().values())
    assert (first.duration_ms, first.flags) == (24 * HOUR - 20 * MINUTE, ["cut_length"])
    assert (first.events, second.events, second.flags) == (72, 29, [])
    assert run.tally.late == 0


def test_a_full_session_is_cut_at_its_size():
    journey = Journey("busy")
    for _ in range(7):
        journey.view(after=SECOND)
    run = feed_journey(BucketRun(Rules(max_events=3)), journey)
    assert [s.events for s in in_order(run.sessions().values())] == [3, 3, 1]


def test_too_many_events_in_a_minute_keep_the_first_in_order_and_balance():
    journey = Journey("flood", "2026-01-15 10:00:00")
    for _ in range(50):
        journey.view(after=SECOND)
    backwards = [record_of(e, i) for i, e in enumerate(reversed(journey.events))]
    run = BucketRun(Rules(max_per_minute=10)).feed_in(backwards, [7, 20])
    (session,) = run.sessions().values()
    assert (session.events, session.duration_ms, session.flags) == (10, 9 * SECOND, ["thinned"])
    assert (run.tally.events, run.tally.cut, run.tally.requests) == (10, 40, 50)


def test_a_replay_ends_with_every_session_final_and_a_new_one_starts_its_clock_again():
    journey = Journey("ann", "2015-05-17 10:00:00").view().view(after=MINUTE)
    records = [record_of(e, i + 1) for i, e in enumerate(journey.events)]
    run = BucketRun().feed([watermark(WATERMARK_START, 0), *records, watermark(WATERMARK_END, 3)])
    assert [s.status for s in run.sessions().values()] == ["final"]
    assert run.visitors == 0
    again = [record_of(e, i + 5) for i, e in enumerate(journey.events)]
    run.feed([watermark(WATERMARK_START, 4), *again, watermark(WATERMARK_END, 7)])
    assert [(s.status, s.events) for s in run.sessions().values()] == [("final", 2)]
    assert not run.late


def test_a_new_replay_first_ends_what_an_unfinished_one_left():
    event = Journey("ann", "2015-05-17 10:00:00").view().events[0]
    run = BucketRun().feed([watermark(WATERMARK_START, 0), record_of(event, 1)])
    run.feed([watermark(WATERMARK_START, 2)])
    assert [s.status for s in run.sessions().values()] == ["final"]


def test_without_news_a_woken_bucket_is_not_unpacked_and_says_nothing():
    run = feed_journey(BucketRun(), Journey("ann", "2026-01-15 10:00:00").view())
    run.feed([watermark(at("2026-01-15 10:00:01"), 1)])
    body = run.stored[1]
    before = len(run.updates)
    run.feed([watermark(at("2026-01-15 10:00:02"), 2)])
    assert run.stored[1] is body
    assert len(run.updates) == before


def test_a_session_that_a_bound_brings_back_after_a_merge_is_told_again():
    """With three events a session: c stands alone, is merged, and is cut off again."""
    rules = Rules(max_events=3)
    a = Journey("ann", "2026-01-15 10:00:00").view("/a", event_id="a").events[0]
    b = Journey("ann", "2026-01-15 10:25:00").view("/b", event_id="b").events[0]
    b2 = Journey("ann", "2026-01-15 10:24:00").view("/b2", event_id="b2").events[0]
    c = Journey("ann", "2026-01-15 10:50:00").view("/c", event_id="c").events[0]
    run = BucketRun(rules)
    for offset, event in enumerate((a, c, b, b2)):
        run.feed([record_of(event, offset)])
    first, second = in_order(run.sessions().values())
    assert (first.entry_page, first.exit_page, first.events) == ("/a", "/b", 3)
    assert (second.entry_page, second.events, second.status) == ("/c", 1, "open")
    run.feed([watermark(WATERMARK_END, 9)])
    assert [s.status for s in in_order(run.sessions().values())] == ["final", "final"]


def test_a_session_is_not_yet_final_at_exactly_its_lateness():
    run = feed_journey(BucketRun(), Journey("ann", "2026-01-15 10:00:00").view("/a"))
    run.feed([watermark(at("2026-01-15 10:45:10"), 1)])
    assert [s.status for s in run.sessions().values()] == ["closed"]
    straggler = Journey("ann", "2026-01-15 10:30:00").view("/x", event_id="x").events[0]
    run.feed([record_of(straggler, 2)])
    assert [s.events for s in run.sessions().values()] == [2]


def test_after_a_full_session_is_final_the_next_millisecond_begins_another():
    journey = Journey("busy", "2026-01-15 10:00:00").view().view(after=1).view(after=1)
    run = feed_journey(BucketRun(Rules(max_events=3)), journey)
    run.feed([watermark(at("2026-01-15 10:20:00"), 5)])
    assert [s.status for s in run.sessions().values()] == ["final"]
    at_its_end = Journey("busy", "2026-01-15 10:00:00.002").view("/x", event_id="x").events[0]
    after_it = Journey("busy", "2026-01-15 10:00:00.003").view("/y", event_id="y").events[0]
    run.feed([record_of(at_its_end, 6), record_of(after_it, 7)])
    assert [late.event.path for late in run.late] == ["/x"]
    assert [s.entry_page for s in in_order(run.sessions().values())] == ["/", "/y"]


def test_duplicates_are_known_among_many_events_of_one_batch():
    journey = Journey("busy")
    for _ in range(100):
        journey.view(after=SECOND)
    records = [record_of(e, i) for i, e in enumerate([*journey.events, *journey.events])]
    run = BucketRun().feed(records)
    assert (run.tally.events, run.tally.duplicates) == (100, 100)


def test_a_watermark_never_goes_back():
    run = feed_journey(BucketRun(), Journey("ann", "2026-01-15 10:00:00").view("/a"))
    run.feed([watermark(at("2026-01-15 12:00:00"), 1), watermark(at("2026-01-15 10:00:00"), 2)])
    straggler = Journey("ann", "2026-01-15 10:05:00").view("/x", event_id="x").events[0]
    run.feed([record_of(straggler, 3)])
    assert len(run.late) == 1


def test_what_final_sessions_knew_is_forgotten_and_the_rest_keeps_its_own():
    """Twenty visits from twenty places, one an hour: only what is not final stays in the state."""
    run, sizes = BucketRun(), []
    for hour in range(20):
        journey = Journey("ann", f"2026-01-15 {hour:02}:00:00").view(f"/{hour}", event_id=f"{hour}")
        (event,) = journey.events
        origin = f"https://site-{hour}.example/"
        told = msgspec.structs.replace(event, referrer=origin)
        run.feed([watermark(journey.time, 2 * hour), record_of(told, 2 * hour + 1)])
        sizes.append(len(run.stored[1]))
    assert max(sizes[3:]) <= 1.1 * sizes[2]
    run.feed([watermark(WATERMARK_END, 100)])
    found = [(s.entry_page, s.referrer) for s in in_order(run.sessions().values())]
    assert found == [(f"/{hour}", f"https://site-{hour}.example/") for hour in range(20)]


def test_many_origins_within_one_long_visit_stay_right_when_sessions_are_cut_off():
    journey = Journey("ann", "2026-01-15 00:00:00")
    for _ in range(60):
        journey.view(after=20 * MINUTE)
    records = [
        record_of(msgspec.structs.replace(e, referrer=f"https://site-{i}.example/"), 2 * i)
        for i, e in enumerate(journey.events)
    ]
    run = BucketRun(Rules(max_events=3))
    for index, record in enumerate(records):
        run.feed([record, watermark(record.broker_time, 2 * index + 1)])
    found = [s.referrer for s in in_order(run.sessions().values())]
    assert found == [f"https://site-{i}.example/" for i in range(0, 60, 3)]
