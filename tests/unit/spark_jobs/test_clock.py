"""How often the live clock writes, and when it gives a producer up."""

import pytest
from kafka.errors import KafkaTimeoutError, NotLeaderForPartitionError
from kafka.future import Future

from spark_jobs.clock import ANSWER_S, Owed, Pace


def paces(shares: int, others: list[int]) -> list[str]:
    pace = Pace(shares)
    return [pace.next(count) for count in others]


def test_each_tick_wakes_a_share_while_records_come_in() -> None:
    assert paces(5, [*range(20)]) == ["share"] * 20


def test_an_idle_topic_is_told_the_time_once_a_turn() -> None:
    told = paces(5, [7] * 20)
    assert told[:5] == ["share"] * 5, "whoever sent last is woken by the turn that follows"
    assert told[5:] == ["all", "none", "none", "none", "none"] * 3


def test_the_first_record_brings_the_pace_back() -> None:
    assert paces(2, [7, 7, 7, 7, 7, 8, 8]) == [
        "share", "share", "all", "none", "all", "share", "share",
    ]  # fmt: skip


def test_own_records_that_are_not_read_yet_are_no_news() -> None:
    assert paces(2, [7, 5, 7, 6, 7])[2:] == ["all", "none", "all"]


def test_a_producer_that_owes_an_answer_for_long_is_given_up() -> None:
    owed = Owed()
    owed.add([Future().success(None), Future()], 100.0)
    owed.add([Future().success(None)], 110.0)
    owed.check(100.0 + ANSWER_S)
    with pytest.raises(KafkaTimeoutError, match="no answer for 20 s"):
        owed.check(100.1 + ANSWER_S)


def test_answers_that_have_come_are_owed_no_more() -> None:
    owed, late = Owed(), Future()
    owed.add([late], 100.0)
    owed.check(110.0)
    late.success(None)
    owed.check(1000.0)


def test_an_answer_that_is_a_failure_is_told() -> None:
    owed = Owed()
    owed.add([Future().failure(NotLeaderForPartitionError())], 100.0)
    with pytest.raises(NotLeaderForPartitionError):
        owed.check(100.0)
