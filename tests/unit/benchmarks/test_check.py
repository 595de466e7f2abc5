"""When the regression check says that a part became slower."""

from benchmarks.check import ALLOWED, Verdict


def test_a_part_may_be_as_much_slower_as_runs_differ() -> None:
    assert not Verdict("hub", 1.0, 1.0).is_slower
    assert not Verdict("hub", ALLOWED, 1.0).is_slower
    assert Verdict("hub", ALLOWED + 0.01, 1.0).is_slower


def test_a_new_part_has_nothing_to_hold() -> None:
    assert not Verdict("new", 100.0, None).is_slower
