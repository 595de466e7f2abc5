"""The arguments that ``backfill`` and ``verify`` share, checked."""

import argparse
from time import time

import msgspec

from contracts import ContractError
from contracts.instants import format_instant, parse_instant
from contracts.settings import milliseconds
from spark_jobs.file_arguments import add_file_arguments
from spark_jobs.gaps import read_gap_rules
from spark_jobs.kafka_range import KafkaRange
from spark_jobs.rules import Rules

BEGINNING, END = -(2**53), 2**53


class PeriodError(Exception):
    """The period, or what was asked of it, cannot be had. The message says what can."""


class Period(msgspec.Struct, frozen=True):
    """Sessions that start in [begin, end), ms since 1970 UTC; of one site, or of all."""

    begin: int
    end: int
    site: str | None


def add_period_arguments(parser: argparse.ArgumentParser) -> None:
    """When, where from, and against which history."""
    parser.add_argument(
        "--from",
        dest="begin",
        metavar="TIME",
        help="sessions that start then or later, as "
        "2026-03-01T12:00:00Z (default: as far back as Kafka or the file goes)",
    )
    parser.add_argument(
        "--to", dest="end", metavar="TIME", help="sessions that start before (default: now)"
    )
    parser.add_argument("--api", metavar="URL", help="the history (default: the running stack's)")
    parser.add_argument(
        "--what-if",
        action="append",
        metavar="RULE=VALUE",
        default=[],
        help="gap=15m, gaps=SITE:PATH=1h, max_length=12h, max_events=100 or max_per_minute=60: "
        "show what the counts would be under that rule, and touch nothing; may be repeated",
    )
    add_file_arguments(parser, is_optional=True)


def period_of(arguments: argparse.Namespace, found: KafkaRange | None, rules: Rules) -> Period:
    """The period; PeriodError when it is upside down, or Kafka no longer has all of it."""
    earliest = _earliest(found, rules)
    begin = earliest if arguments.begin is None else _instant(arguments.begin, "--from")
    now = int(time() * 1000)
    end = (
        (END if found is None else now)
        if arguments.end is None
        else _instant(arguments.end, "--to")
    )
    if end <= begin:
        raise PeriodError(f"--to must be later than --from ({format_instant(begin)})")
    if begin < earliest:
        raise PeriodError(
            "Kafka has deleted records that sessions of that time need: choose --from "
            f"{format_instant(earliest)} or later, or recompute from files"
        )
    return Period(begin, end, arguments.site)


def _earliest(found: KafkaRange | None, rules: Rules) -> int:
    if found is None or found.edge is None:
        return BEGINNING
    # What starts later than this had no event that is deleted, or began after a gap to it.
    return found.edge + rules.clock_tolerance + rules.longest_gap + 1


def _instant(text: str, name: str) -> int:
    try:
        return parse_instant(text)
    except ValueError as error:
        raise PeriodError(f"{name} {text!r} {error}") from None


_DURATIONS = {"gap", "max_length"}
_NUMBERS = {"max_events", "max_per_minute"}


def rules_if(rules: Rules, changes: list[str]) -> Rules:
    """The rules with ``--what-if`` applied; PeriodError shows what cannot be read."""
    for text in changes:
        name, _, value = text.partition("=")
        try:
            rules = msgspec.structs.replace(rules, **{name: _value(name, value)})
        except (ContractError, ValueError) as error:
            raise PeriodError(f"--what-if {text}: {error}") from None
    return rules


def _value(name: str, text: str) -> object:
    if name in _DURATIONS:
        return milliseconds(text)
    if name in _NUMBERS:
        return int(text)
    if name == "gaps":
        return read_gap_rules(text)
    raise ValueError(f"can be {', '.join(sorted({*_DURATIONS, *_NUMBERS, 'gaps'}))}")
