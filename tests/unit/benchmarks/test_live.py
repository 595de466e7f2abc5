"""What a delay is: from a visitor's n-th response to the first message that counts n events."""

from benchmarks.delays import Delay, Told, delays, tenths

NOON = 1_772_366_400.0


def told(arrived: float, events: int) -> Told:
    broker, processed = arrived - 0.4, arrived - 0.25
    return Told(arrived, events, round(broker * 1000), round(processed * 1000))


def rounded(delays: list[Delay]) -> list[tuple[float, float, float, float]]:
    return [
        (round(one.whole, 3), round(one.to_broker, 3), round(one.waiting, 3), round(one.telling, 3))
        for one in delays
    ]


def test_an_update_may_tell_of_several_responses() -> None:
    done = {"ann": [NOON, NOON + 0.2, NOON + 0.4]}
    seen = {"ann": [told(NOON + 0.5, 1), told(NOON + 0.9, 3)]}
    assert rounded(delays(done, seen, after=NOON)) == [
        (0.5, 0.1, 0.15, 0.25),
        (0.7, 0.3, 0.15, 0.25),
        (0.5, 0.1, 0.15, 0.25),
    ]


def test_the_warm_up_and_what_was_never_told_are_left_out() -> None:
    done = {"ann": [NOON, NOON + 30, NOON + 31], "bob": [NOON + 30]}
    seen = {"ann": [told(NOON + 1, 1), told(NOON + 30.5, 2)], "bob": []}
    assert [one[0] for one in rounded(delays(done, seen, after=NOON + 25))] == [0.5]


def test_each_delay_is_in_its_tenth_of_the_time() -> None:
    done = {"ann": [NOON + 10 * number for number in range(11)]}
    seen = {"ann": [told(NOON + 10 * number + 1, number + 1) for number in range(11)]}
    found = tenths(delays(done, seen, after=NOON))
    assert [len(part) for part in found] == [1, 1, 1, 1, 1, 1, 1, 1, 1, 2]
    assert tenths([]) == []
