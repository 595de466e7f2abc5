"""From a visitor's n-th response to the first message that counts n events, and where it went."""

import msgspec

from benchmarks.figures import percentile

QUANTILES = {"p50": 0.5, "p99": 0.99, "p999": 0.999}
PARTS = ("to_broker", "waiting", "telling")
TENTHS = 10


class Told(msgspec.Struct, frozen=True):
    """What a dashboard was told of a visitor, and when: ``arrived`` in s, the others in ms."""

    arrived: float
    events: int
    broker_time: int
    processed_time: int


class Delay(msgspec.Struct, frozen=True):
    """From a response to the message that counts it, and its parts, in s.

    ``responded``: when that was, in s since 1970.
    ``to_broker``: until the event stood in Kafka. ``waiting``: until a micro-batch took it up.
    ``telling``: the rest of the micro-batch, the API, and the hub's pace.
    """

    responded: float
    whole: float
    to_broker: float
    waiting: float
    telling: float


def delays(done: dict[str, list[float]], seen: dict[str, list[Told]], after: float) -> list[Delay]:
    """One for each response after that time that was told of.

    ``done``: by visitor, when its responses had arrived; ``seen``: what was told of it.
    """
    found = []
    for visitor, responses in done.items():
        updates, place = seen[visitor], 0
        for number, responded in enumerate(responses, start=1):
            while place < len(updates) and updates[place].events < number:
                place += 1
            if responded >= after and place < len(updates):
                found.append(_delay(responded, updates[place]))
    return found


def _delay(responded: float, told: Told) -> Delay:
    return Delay(
        responded=responded,
        whole=told.arrived - responded,
        to_broker=told.broker_time / 1000 - responded,
        waiting=(told.processed_time - told.broker_time) / 1000,
        telling=told.arrived - told.processed_time / 1000,
    )


def _quantile(found: list[Delay], part: str, share: float) -> float:
    return round(percentile(sorted(getattr(one, part) for one in found), share), 3)


def summary(found: list[Delay]) -> dict[str, object]:
    """Percentiles, the parts' medians, and the median of each tenth of the time, in s.

    The tenths show a drift: each should be like the one before.
    """
    return {
        **{f"{name}_s": _quantile(found, "whole", share) for name, share in QUANTILES.items()},
        **{f"{part}_p50_s": _quantile(found, part, 0.5) for part in PARTS},
        "tenths_p50_s": [_quantile(tenth, "whole", 0.5) for tenth in tenths(found)],
    }


def tenths(found: list[Delay]) -> list[list[Delay]]:
    """The delays by the tenth of the time in which their responses came."""
    if not found:
        return []
    begin, end = min(one.responded for one in found), max(one.responded for one in found)
    parts: list[list[Delay]] = [[] for _ in range(TENTHS)]
    for one in found:
        share = (one.responded - begin) / max(end - begin, 1e-9)
        parts[min(int(share * TENTHS), TENTHS - 1)].append(one)
    return parts
