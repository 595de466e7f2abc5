"""When a feed has caught up."""

from api.progress import FAR_RECORDS, Place, Progress

A, B = Place("t", 0), Place("t", 1)


def test_empty_topics_are_caught_up_at_once() -> None:
    progress = Progress({A: 5, B: 0}, {A: 5, B: 0})
    assert (progress.lag, progress.caught_up) == (0, True)


def test_one_unread_record_is_enough_to_be_behind() -> None:
    progress = Progress({A: 4, B: 0}, {A: 5, B: 0})
    assert (progress.lag, progress.caught_up) == (1, False)
    progress.move({A: 5}, {A: 5})
    assert (progress.lag, progress.caught_up) == (0, True)


def test_the_goal_is_what_was_there_at_the_start() -> None:
    progress = Progress({A: 0, B: 0}, {A: 10, B: 10})
    progress.move({A: 10}, {A: 25})
    assert not progress.caught_up
    progress.move({B: 12}, {B: 30})
    assert (progress.lag, progress.caught_up) == (33, True)


def test_falling_far_behind_counts() -> None:
    progress = Progress({A: 0}, {A: 0})
    progress.move({A: 1}, {A: FAR_RECORDS + 2})
    assert not progress.caught_up
    progress.move({A: 2}, {A: FAR_RECORDS + 2})
    assert progress.caught_up
