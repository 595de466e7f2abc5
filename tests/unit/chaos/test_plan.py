"""Which faults a seed brings."""

from tests.chaos.plan import ALONE, DECK, Planned, part_of, plan
from tests.chaos.report import quantiles
from tests.chaos.run import FAULTS


def dealt(faults: int, seed: int) -> list[Planned]:
    return [fault for one in plan(faults, seed) for fault in one]


def test_the_same_seed_brings_the_same_faults() -> None:
    assert plan(40, 5) == plan(40, 5)
    assert plan(40, 5) != plan(40, 6)


def test_twenty_faults_are_of_every_kind() -> None:
    assert len(DECK) == 20
    assert sorted(fault.kind for fault in dealt(20, 1)) == sorted(DECK)
    assert [fault.number for fault in dealt(50, 1)] == list(range(1, 51))


def test_only_faults_of_different_parts_go_together() -> None:
    pairs = [one for seed in range(30) for one in plan(60, seed) if len(one) == 2]
    assert pairs
    for first, second in pairs:
        assert part_of(first.kind) != part_of(second.kind)
        assert not ALONE & {first.kind, second.kind}


def test_every_kind_can_be_done() -> None:
    assert set(FAULTS) == set(DECK)


def test_quantiles_are_times_that_were_taken() -> None:
    times = [*range(1000, 20000, 1000), 60_000]
    assert quantiles(times) == "p50 10.0 s, p95 19.0 s, max 60.0 s (20 time(s))"
