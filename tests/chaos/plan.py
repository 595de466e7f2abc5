"""Which faults, in which order, two of them at a time: decided by the seed alone. Pure."""

import random

import msgspec

DECK = (
    "job", "job-before-commit",
    "torn-offsets", "torn-commits", "torn-state", "freeze-job", "full-checkpoint",
    "broker", "freeze-broker", "broker-away", "full-kafka",
    "api", "freeze-api", "full-history", "history-again",
    "site", "supervisor", "requests-again", "second-api", "dashboards",
)  # fmt: skip
"""Twenty faults, one of every kind. Dealt shuffled, again and again."""

ALONE = {"broker", "freeze-broker", "broker-away", "full-kafka", "supervisor"}
"""They touch every part, so no other fault goes with them."""
TOUCHES = {"site": "site", "requests-again": "topic"}
API_FAULTS = {"api", "freeze-api", "full-history", "history-again", "second-api", "dashboards"}
NEEDS_DISK = {"full-checkpoint", "full-kafka", "full-history"}


class Planned(msgspec.Struct, frozen=True):
    """A fault, its place among all, and the seed of whatever it leaves to chance."""

    number: int
    kind: str
    seed: int


Round = tuple[Planned, ...]
"""Faults that happen side by side: one, or two that touch different parts."""


def plan(faults: int, seed: int, kinds: tuple[str, ...] = DECK) -> list[Round]:
    """That many faults. The same arguments give the same plan."""
    dice = random.Random(seed)
    dealt: list[str] = []
    while len(dealt) < faults:
        dealt += dice.sample(kinds, len(kinds))
    planned = [
        Planned(number, kind, dice.randrange(2**32))
        for number, kind in enumerate(dealt[:faults], 1)
    ]
    return _paired(planned, dice)


def _paired(planned: list[Planned], dice: random.Random) -> list[Round]:
    """Join neighbours that touch different parts, half of the time."""
    rounds: list[Round] = []
    for one in planned:
        last = rounds[-1] if rounds else ()
        if len(last) == 1 and _go_together(last[0].kind, one.kind) and dice.random() < 0.7:
            rounds[-1] = (*last, one)
        else:
            rounds.append((one,))
    return rounds


def _go_together(first: str, second: str) -> bool:
    return not ALONE & {first, second} and part_of(first) != part_of(second)


def part_of(kind: str) -> str:
    """What a fault touches: the job, the API, the site or the request topic."""
    return "api" if kind in API_FAULTS else TOUCHES.get(kind, "job")
