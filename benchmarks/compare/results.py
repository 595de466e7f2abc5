"""What was measured, and what it comes to. Pure."""

from statistics import median

import msgspec

from benchmarks.answer import Answer
from benchmarks.compare.engines import Engine

LIMIT = "polars"
"""The engine that all others are set against."""


class Round(msgspec.Struct, frozen=True, kw_only=True):
    """One pass of one engine, or why there is none.

    ``seconds`` is from the process' start to its exit; ``reading_s`` and ``per_s`` from when it
    began to read until the last session was known. ``warm_per_s`` leaves its first batch out.
    """

    engine: str
    number: int
    failure: str | None = None
    events: int = 0
    seconds: float = 0
    reading_s: float = 0
    per_s: int = 0
    warm_per_s: int | None = None
    cpu_s: float = 0
    memory_mb: int = 0
    sessions_found: int = 0
    events_found: int = 0
    checksum_found: int = 0
    right: bool = False


class Missing(msgspec.Struct, frozen=True):
    """An engine that was not run, and why."""

    engine: str
    reason: str


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """The raw results, as they are kept."""

    begun: str
    machine: dict[str, str]
    configuration: dict[str, str]
    versions: dict[str, dict[str, str]]
    answers: dict[str, Answer]
    rounds: list[Round]
    missing: list[Missing]


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """An engine's medians. ``spread`` is largest minus smallest rate, in parts of the median."""

    engine: Engine
    rounds: int
    events: int
    seconds: float
    per_s: float
    spread: float
    warm_per_s: float | None
    cpu_s: float
    memory_mb: float
    limit_ratio: float | None
    verdict: str


def rows(results: Comparison, engines: tuple[Engine, ...]) -> list[Row]:
    """A row for each engine that ran, in the engines' order."""
    limit = _rate(results.rounds, LIMIT)
    found = []
    for engine in engines:
        done = [one for one in results.rounds if one.engine == engine.name and not one.failure]
        if done:
            found.append(_row(engine, done, results.answers[engine.name], limit))
    return found


def reasons(results: Comparison) -> dict[str, str]:
    """Why an engine has no row, or fewer rounds than the others."""
    failed = {one.engine: one.failure for one in results.rounds if one.failure}
    return {one.engine: one.reason for one in results.missing} | failed


def _row(engine: Engine, done: list[Round], answer: Answer, limit: float | None) -> Row:
    rates = [one.per_s for one in done]
    rate = median(rates)
    warm = [one.warm_per_s for one in done if one.warm_per_s is not None]
    return Row(
        engine=engine,
        rounds=len(done),
        events=done[0].events,
        seconds=median(one.seconds for one in done),
        per_s=rate,
        spread=(max(rates) - min(rates)) / rate,
        warm_per_s=median(warm) if warm else None,
        cpu_s=median(one.cpu_s for one in done),
        memory_mb=median(one.memory_mb for one in done),
        limit_ratio=rate / limit if limit else None,
        verdict=_verdict(done, answer),
    )


def _rate(rounds: list[Round], engine: str) -> float | None:
    rates = [one.per_s for one in rounds if one.engine == engine and not one.failure]
    return median(rates) if rates else None


def _verdict(done: list[Round], answer: Answer) -> str:
    wrong = next((one for one in done if not one.right), None)
    if wrong is None:
        return "right"
    if (wrong.sessions_found, wrong.events_found) == (answer.sessions, answer.events):
        return "WRONG: an entry or exit page, a country, or what belongs together"
    return (
        f"WRONG: {wrong.sessions_found:,} of {answer.sessions:,} sessions, "
        f"{wrong.events_found:,} of {answer.events:,} events"
    )
