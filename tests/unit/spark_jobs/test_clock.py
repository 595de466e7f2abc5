"""How often the live clock writes."""

from spark_jobs.clock import Pace


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
