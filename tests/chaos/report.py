"""A run told from its seed to its verdict, with how long the job took to come back."""

from collections.abc import Callable, Sequence
from math import ceil
from pathlib import Path

from tests.chaos.attack import BrokenError
from tests.chaos.plan import Round
from tests.chaos.run import Run


def attacked(
    data: Path,
    rounds: list[Round],
    seed: int,
    say: Callable[[str], None],
    *,
    kinds: Sequence[str] = (),
    keep: bool = False,
) -> bool:
    """Whether every promise held. What did not is said. ``kinds``: the plan has only these."""
    faults = sum(map(len, rounds))
    only = "".join(f" --only {kind}" for kind in kinds)
    again = f"./clickwake chaos --faults {faults} --seed {seed}{only}"
    say(f"{faults} fault(s), seed {seed}: {again}")
    run = Run(data, seed, say)
    try:
        run.go(rounds, keep=keep)
    except BrokenError as broken:
        for sentence in broken.args:
            run.say(f"BROKEN: {sentence}")
        return False
    except AssertionError as error:
        run.say(f"BROKEN: {error}")
        return False
    finally:
        for label, times in run.watches.by_label().items():
            run.say(f"from the kill to new session updates, {label}: {quantiles(times)}")
    run.say(f"{faults - len(run.skipped)} faults, and every promise held")
    return True


def quantiles(times: list[int]) -> str:
    """Nearest-rank p50, p95 and maximum of times in ms, as seconds."""
    ordered = sorted(times)
    rank = {p: ordered[ceil(p / 100 * len(ordered)) - 1] / 1000 for p in (50, 95)}
    return (
        f"p50 {rank[50]:.1f} s, p95 {rank[95]:.1f} s, max {ordered[-1] / 1000:.1f} s "
        f"({len(times)} time(s))"
    )
