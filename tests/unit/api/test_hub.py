"""The live hub: what dashboards are told, and when. Time is a number that the test moves."""

import json
from itertools import pairwise
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from api.live.board import Board
from api.live.frames import MAX_SESSIONS
from api.live.hub import Hub
from api.live.mailbox import Mailbox
from api.live.pace import Allowance, Pace
from contracts import Message
from contracts.live import MinuteCount
from tests.support.live import reads
from tests.support.messages import MINUTE, NOON, a_job_status, a_session, an_event

SOON = NOON + 1000


class Stage:
    """A hub, a dashboard, and a clock in the test's hand."""

    def __init__(self, capacity: int = 10) -> None:
        self.hub = Hub(capacity)
        self.tick = 0.0
        self.wakes = 0
        self.mailbox, first = self.hub.join(SOON, self.woken)
        self.first = json.loads(first)

    def woken(self) -> None:
        self.wakes += 1

    def see(self, *messages: Message) -> None:
        self.hub.see(reads(*messages), SOON, self.tick)

    def frame(self) -> dict[str, Any]:
        """Move the clock to the due frame and open the mail."""
        assert self.hub.due is not None
        self.tick = self.hub.due
        self.hub.deliver(SOON, self.tick)
        return mail(self.mailbox)


def mail(mailbox: Mailbox) -> dict[str, Any]:
    message = mailbox.take()
    assert message is not None
    found: dict[str, Any] = json.loads(message)
    return found


def told(frame: dict[str, Any]) -> dict[str, int]:
    return {session["session_id"]: session["revision"] for session in frame["sessions"]}


class TestPace:
    def test_after_a_quiet_time_the_first_change_goes_out_in_20_ms(self) -> None:
        pace = Pace()
        pace.changed(1000)
        pace.changed(1010)
        assert pace.due == 1020

    def test_frames_are_at_least_250_ms_apart(self) -> None:
        pace = Pace()
        pace.changed(1000)
        pace.sent(1020)
        assert pace.due is None
        pace.changed(1030)
        assert pace.due == 1270

    def test_a_change_after_a_pause_goes_out_at_once_again(self) -> None:
        pace = Pace()
        pace.sent(1000)
        pace.changed(5000)
        assert pace.due == 5020

    @given(st.lists(st.integers(0, 2000), min_size=1, max_size=50))
    def test_never_more_than_four_frames_a_second_and_nothing_forgotten(
        self, gaps: list[int]
    ) -> None:
        pace, now, frames = Pace(), 0.0, list[float]()
        for gap in gaps:
            while pace.due is not None and pace.due <= now + gap:
                frames.append(pace.due)
                pace.sent(pace.due)
            now += gap
            pace.changed(now)
        assert pace.due is not None
        assert pace.due <= now + 250
        assert all(later - earlier >= 250 for earlier, later in pairwise(frames))


class TestAllowance:
    def test_some_messages_at_once_and_a_few_a_second_for_ever(self) -> None:
        allowance = Allowance(at_once=2, per_second=1)
        assert [allowance.takes(now) for now in (0, 0, 0)] == [True, True, False]

    def test_a_client_that_keeps_to_the_pace_is_never_refused(self) -> None:
        allowance = Allowance(at_once=2, per_second=1)
        assert all(allowance.takes(now) for now in range(0, 100_000, 1_000))


class TestMessages:
    def test_a_dashboard_begins_with_a_snapshot_and_goes_on_by_one(self) -> None:
        stage = Stage()
        assert (stage.first["type"], stage.first["sequence"]) == ("snapshot", 1)
        stage.see(a_session())
        assert stage.frame()["sequence"] == 2
        heartbeat = json.loads(stage.mailbox.heartbeat(SOON, None))
        assert (heartbeat["type"], heartbeat["sequence"]) == ("heartbeat", 3)

    def test_an_update_holds_exactly_the_contract(self) -> None:
        stage = Stage()
        stage.see(a_session())
        frame = stage.frame()
        assert list(frame) == [
            "type",
            "sequence",
            "position",
            "server_time",
            "sessions",
            "counts",
            "newest_response",
            "events",
            "events_left_out",
        ]
        assert frame["type"] == "update"
        assert frame["server_time"] == SOON

    def test_each_session_comes_once_in_its_latest_state(self) -> None:
        stage = Stage()
        stage.see(a_session("a"), a_session("b"), a_session("a", revision=2))
        assert told(stage.frame()) == {"a": 2, "b": 1}

    def test_old_news_is_no_news(self) -> None:
        stage = Stage()
        stage.see(a_session(revision=5))
        stage.frame()
        stage.see(a_session(revision=5), a_session(revision=4))
        assert stage.hub.due is None
        stage.see(a_session(epoch=2, revision=1))
        assert told(stage.frame()) == {"s1": 1}

    def test_the_snapshot_holds_the_newest_sessions_newest_first(self) -> None:
        stage = Stage(capacity=2)
        stage.see(*(a_session(f"s{n}", start=NOON + n) for n in range(7)))
        stage.see(a_session("s6", start=NOON + 6, revision=2, status="merged", merged_into="s5"))
        _, first = stage.hub.join(SOON, stage.woken)
        assert [s["session_id"] for s in json.loads(first)["sessions"]] == ["s5", "s4"]

    def test_a_merged_session_is_told_as_merged(self) -> None:
        stage = Stage()
        stage.see(a_session("a"), a_session("a", revision=2, status="merged", merged_into="b"))
        (session,) = stage.frame()["sessions"]
        assert (session["status"], session["merged_into"]) == ("merged", "b")

    def test_only_growth_has_a_newest_response(self) -> None:
        stage = Stage()
        stage.see(a_session(last_seen=NOON + 70), a_session("b", last_seen=NOON + 60))
        assert stage.frame()["newest_response"] == NOON + 70
        stage.see(a_session(revision=2, last_seen=NOON + 70))
        assert stage.frame()["newest_response"] is None
        stage.see(a_session(revision=3, status="closed"))
        assert stage.frame()["newest_response"] is None

    def test_a_replay_of_old_times_has_no_newest_response(self) -> None:
        stage = Stage()
        stage.see(a_session(start=NOON - 90 * MINUTE))
        assert stage.frame()["newest_response"] is None

    def test_the_age_of_the_pipeline_comes_from_whatever_it_wrote_last(self) -> None:
        hub = Hub(10)
        assert hub.pipeline_age_ms(SOON) is None
        hub.see(reads(a_job_status(NOON), an_event(processed_time=NOON - 5)), SOON, 0)
        assert hub.pipeline_age_ms(SOON) == 1000

    def test_the_latest_word_of_the_job_counts(self) -> None:
        hub = Hub(10)
        hub.see(reads(a_job_status(NOON, batch=2), a_job_status(NOON - 1, batch=1)), SOON, 0)
        assert hub.job is not None
        assert hub.job.batch == 2


class TestSlowDashboards:
    def test_frames_fold_into_one(self) -> None:
        stage = Stage()
        for revision in range(1, 6):
            stage.see(a_session("a", revision=revision, events=revision, last_seen=NOON + revision))
            stage.hub.deliver(SOON, stage.tick)
        stage.see(a_session("b", last_seen=NOON))
        stage.hub.deliver(SOON, stage.tick)
        frame = mail(stage.mailbox)
        assert frame["sequence"] == 2
        assert told(frame) == {"a": 5, "b": 1}
        assert frame["newest_response"] == NOON + 5
        assert stage.mailbox.take() is None

    def test_when_too_much_waits_it_begins_anew_and_gets_no_part(self) -> None:
        stage = Stage()
        for block in range(3):
            first = block * MAX_SESSIONS
            numbers = range(first, first + MAX_SESSIONS)
            stage.see(*(a_session(f"s{n}", start=NOON + n) for n in numbers))
            stage.hub.deliver(SOON, stage.tick)
        message = mail(stage.mailbox)
        assert (message["type"], message["sequence"], message["recovered"]) == (
            "snapshot",
            2,
            False,
        )
        newest = range(3 * MAX_SESSIONS - 1, 3 * MAX_SESSIONS - 11, -1)
        assert [s["session_id"] for s in message["sessions"]] == [f"s{n}" for n in newest]
        assert stage.mailbox.take() is None

    def test_dashboards_that_keep_up_share_the_encoded_frame(self) -> None:
        stage = Stage()
        other, _ = stage.hub.join(SOON, stage.woken)
        stage.see(a_session())
        stage.hub.deliver(SOON, stage.tick)
        assert stage.mailbox._waiting is other._waiting
        assert stage.wakes == 2
        stage.hub.leave(other)
        assert stage.hub.dashboards == 1


class TestFloods:
    def test_what_is_too_much_for_a_frame_comes_with_the_next(self) -> None:
        stage = Stage()
        stage.see(*(a_session(f"s{n}", start=NOON + n) for n in range(MAX_SESSIONS + 5)))
        first, second = stage.frame(), stage.frame()
        assert set(told(second)) == {f"s{n}" for n in range(5)}
        assert len(first["sessions"]) == MAX_SESSIONS
        assert stage.hub.due is None

    def test_waiting_changes_are_bounded(self) -> None:
        board = Board(10)
        for n in range(12 * MAX_SESSIONS):
            board.see_session(a_session(f"s{n}", start=NOON + n), SOON)
        frames = 0
        while board.has_changes:
            board.frame(SOON)
            frames += 1
        assert frames <= 10


class TestCounts:
    def test_people_and_bots_are_counted_apart(self) -> None:
        stage = Stage()
        stage.see(a_session("a"), a_session("b"), a_session("c", is_bot=True))
        counts = stage.frame()["counts"]
        assert (counts["open_sessions"], counts["open_bots"]) == (2, 1)
        stage.see(a_session("a", revision=2, status="closed"))
        assert stage.frame()["counts"]["open_sessions"] == 1

    def test_a_session_that_reopens_counts_again(self) -> None:
        stage = Stage()
        stage.see(a_session(), a_session(revision=2, status="closed"), a_session(revision=3))
        assert stage.frame()["counts"]["open_sessions"] == 1

    def test_silence_ends_a_visit_even_when_the_job_does_not_say_so(self) -> None:
        board = Board(10)
        board.see_session(a_session(), SOON)
        board.see_session(a_session(revision=2, end=NOON + MINUTE), SOON)
        assert board.counts(NOON + 31 * MINUTE - 1).open_sessions == 1
        assert board.counts(NOON + 31 * MINUTE).open_sessions == 0

    def test_a_replay_of_old_times_is_not_here_now(self) -> None:
        board = Board(10)
        board.see_session(a_session(start=NOON - 24 * 60 * MINUTE), SOON)
        assert board.counts(SOON).open_sessions == 0

    @given(
        st.lists(
            st.tuples(
                st.sampled_from("abc"),
                st.sampled_from(["open", "closed", "merged"]),
                st.booleans(),
                st.integers(-40, 40),
            ),
            max_size=30,
        ),
        st.integers(0, 80),
    )
    def test_the_counters_agree_with_a_recount(
        self, steps: list[tuple[str, str, bool, int]], later: int
    ) -> None:
        board, latest = Board(10), {}
        for revision, (name, status, is_bot, end) in enumerate(steps):
            update = a_session(
                name, revision=revision, status=status, is_bot=is_bot, end=NOON + end * MINUTE
            )
            board.see_session(update, NOON)
            latest[name] = update
        now = NOON + later * MINUTE
        here = [u for u in latest.values() if u.status == "open" and u.expires > now]
        counts = board.counts(now)
        assert counts.open_bots == sum(u.agent.is_bot for u in here)
        assert counts.open_sessions == sum(not u.agent.is_bot for u in here)

    def test_events_count_in_the_minute_of_their_event_time(self) -> None:
        stage = Stage()
        stage.see(
            an_event("a", offset=1),
            an_event("b", offset=2, kind="api", event_time=NOON - 1),
            an_event("old", offset=3, event_time=NOON - 60 * MINUTE),
        )
        first = json.loads(stage.hub.join(SOON, list)[1])
        minutes = first["counts"]["minutes"]
        assert len(minutes) == 60
        assert minutes[-1] == {"minute": NOON, "pages": 1, "api_calls": 0}
        assert minutes[-2] == {"minute": NOON - MINUTE, "pages": 0, "api_calls": 1}
        assert sum(m["pages"] + m["api_calls"] for m in minutes) == 2

    def test_an_update_has_only_the_minutes_that_changed(self) -> None:
        stage = Stage()
        stage.see(an_event("a", offset=1, event_time=NOON - 2 * MINUTE), an_event("b", offset=2))
        before = {"minute": NOON - 2 * MINUTE, "pages": 1, "api_calls": 0}
        assert stage.frame()["counts"]["minutes"] == [
            before,
            {"minute": NOON, "pages": 1, "api_calls": 0},
        ]
        stage.see(an_event("c", offset=3))
        assert stage.frame()["counts"]["minutes"] == [{"minute": NOON, "pages": 2, "api_calls": 0}]
        stage.see(a_session("a"))
        assert stage.frame()["counts"]["minutes"] == []

    def test_a_slow_dashboard_misses_no_minute(self) -> None:
        stage = Stage()
        for offset, ago in enumerate((3, 1, 0, 0), start=1):
            stage.see(an_event(str(offset), offset=offset, event_time=NOON - ago * MINUTE))
            assert stage.hub.due is not None
            stage.tick = stage.hub.due
            stage.hub.deliver(SOON, stage.tick)
        counts = mail(stage.mailbox)["counts"]["minutes"]
        assert [(each["minute"], each["pages"]) for each in counts] == [
            (NOON - 3 * MINUTE, 1),
            (NOON - MINUTE, 1),
            (NOON, 2),
        ]

    def test_a_batch_that_the_job_wrote_twice_counts_once(self) -> None:
        stage = Stage()
        stage.see(an_event(offset=1), an_event(offset=1))
        assert stage.frame()["counts"]["minutes"][-1]["pages"] == 1

    def test_history_is_the_beginning_and_no_change(self) -> None:
        hub = Hub(10)
        minute = MinuteCount(minute=NOON, pages=3, api_calls=1)
        hub.start_from([a_session("a"), a_session("b", status="closed")], [minute], SOON)
        assert hub.due is None
        first = json.loads(hub.join(SOON, list)[1])
        assert [s["session_id"] for s in first["sessions"]] == ["b", "a"]
        assert first["counts"]["open_sessions"] == 1
        assert first["counts"]["minutes"][-1]["pages"] == 3


class TestBeginning:
    def test_a_dashboard_that_came_before_the_history_begins_anew_with_it(self) -> None:
        stage = Stage()
        minute = MinuteCount(minute=NOON, pages=3, api_calls=1)
        stage.hub.start_from([a_session("a")], [minute], SOON)
        message = mail(stage.mailbox)
        assert (message["type"], message["sequence"]) == ("snapshot", 2)
        assert told(message) == {"a": 1}
        assert message["counts"]["minutes"][-1] == {"minute": NOON, "pages": 3, "api_calls": 1}
        assert message["counts"]["open_sessions"] == 1

    def test_beginning_again_forgets_what_it_began_with(self) -> None:
        hub = Hub(10)
        minute = MinuteCount(minute=NOON, pages=3, api_calls=1)
        hub.start_from([a_session("a")], [minute], SOON)
        hub.start_from([a_session("b")], [], SOON)
        first = json.loads(hub.join(SOON, list)[1])
        assert [s["session_id"] for s in first["sessions"]] == ["b"]
        assert first["counts"]["open_sessions"] == 1
        assert first["counts"]["minutes"][-1]["pages"] == 0

    def test_the_history_tells_when_the_job_last_wrote(self) -> None:
        hub = Hub(10)
        hub.start_from([a_session(processed_time=NOON)], [], SOON)
        assert hub.pipeline_age_ms(SOON) == 1000
