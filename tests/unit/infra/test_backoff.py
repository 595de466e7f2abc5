from infra.backoff import delay_seconds, failures_after


def test_waits_not_at_all_then_twice_as_long_each_time_up_to_half_a_minute() -> None:
    assert [delay_seconds(n) for n in range(1, 9)] == [0, 1, 2, 4, 8, 16, 30, 30]


def test_a_thousandth_failure_waits_no_longer() -> None:
    assert delay_seconds(1000) == 30


def test_failures_in_a_row_are_counted() -> None:
    assert failures_after(2, ready_seconds=0) == 3
    assert failures_after(2, ready_seconds=1.5) == 3


def test_who_was_ready_for_two_seconds_begins_anew() -> None:
    assert failures_after(6, ready_seconds=2) == 1
