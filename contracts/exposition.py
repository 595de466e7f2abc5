"""Numbers for Prometheus, in its text format 0.0.4. Pure.

https://prometheus.io/docs/instrumenting/exposition_formats/
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Literal, NamedTuple

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Kind = Literal["counter", "gauge", "histogram"]


class Sample(NamedTuple):
    """One number. ``suffix`` follows the family's name, as a histogram's ``_bucket`` does."""

    value: float
    labels: Mapping[str, str] = {}
    suffix: str = ""


class Family(NamedTuple):
    """All numbers of one name. A counter's name ends in ``_total``."""

    name: str
    kind: Kind
    meaning: str
    samples: Sequence[Sample]


def exposition_of(families: Iterable[Family]) -> str:
    """The families as one text; those without a number are left out."""
    return "".join(f"{line}\n" for family in families for line in _lines(family))


def _lines(family: Family) -> Iterator[str]:
    if not family.samples:
        return
    meaning = family.meaning.replace("\\", "\\\\").replace("\n", "\\n")
    yield f"# HELP {family.name} {meaning}"
    yield f"# TYPE {family.name} {family.kind}"
    for sample in family.samples:
        yield f"{family.name}{sample.suffix}{_braced(sample.labels)} {_number(sample.value)}"


def _braced(labels: Mapping[str, str]) -> str:
    if not labels:
        return ""
    return "{" + ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items()) + "}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(float(value))


class Histogram:
    """Counts how often a number of seconds fell below each of some bounds."""

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = tuple(bounds)
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float) -> None:
        """Count a value; one that equals a bound lies below it."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def family(self, name: str, meaning: str) -> Family:
        """What was counted since the process began."""
        counts = list(accumulate(self._counts))
        limits = [*(f"{bound:g}" for bound in self._bounds), "+Inf"]
        buckets = (
            Sample(count, {"le": limit}, "_bucket")
            for limit, count in zip(limits, counts, strict=True)
        )
        whole = (Sample(self._sum, suffix="_sum"), Sample(counts[-1], suffix="_count"))
        return Family(name, "histogram", meaning, [*buckets, *whole])
