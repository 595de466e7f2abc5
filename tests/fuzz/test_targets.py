"""The fuzzed promises hold for what fuzzing begins with, and for all that it ever found."""

import pytest

from tests.fuzz.records import spool
from tests.fuzz.table import TARGETS


@pytest.mark.parametrize("name", TARGETS)
def test_a_target_holds_for_its_seeds(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()
    assert len(seeds) >= 3
    for seed in seeds:
        target.run(seed)


@pytest.mark.parametrize("kind", [1, 2, 3, 4, 254, 255])
def test_a_segment_that_is_torn_or_damaged_anywhere_gives_no_other_record(kind: int) -> None:
    for place in range(60):
        spool(bytes([kind, 0, place]) + b"one\ntwo\nthree")
