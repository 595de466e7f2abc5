"""The arguments that ``backfill`` and ``verify`` share, checked."""

import argparse
import re

import msgspec

from contracts import ContractError
from contracts.instants import format_instant, parse_instant
from contracts.settings import milliseconds
from spark_jobs.file_arguments import add_file_arguments, file_options
from spark_jobs.files import FileOptions
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


class Asked(msgspec.Struct, frozen=True):
    """The arguments, read: ``begin`` and ``end`` are None where there was no word of them.

    ``other`` are the rules of ``--what-if``; ``file`` is how to read FILE.
    """

    begin: int | None
    end: int | None
    site: str | None
    api: str | None
    other: Rules | None
    file: FileOptions | None


def asked(arguments: argparse.Namespace, rules: Rules) -> Asked:
    """Check what can be checked before anything starts. PeriodError and FileError say what not."""
    begin, end = _instant(arguments.begin, "--from"), _instant(arguments.end, "--to")
    if begin is not None and end is not None and end <= begin:
        raise PeriodError(f"--to must be later than --from ({format_instant(begin)})")
    other = rules_if(rules, arguments.what_if) if arguments.what_if else None
    if other is None:
        _require_api(arguments.api)
    file = None if arguments.file is None else file_options(arguments)
    return Asked(begin, end, arguments.site, arguments.api, other, file)


def _require_api(api: str | None) -> None:
    if api is None:
        raise PeriodError("no stack is running: start one, or name its API with --api URL")
    if not re.match(r"https?://", api):
        raise PeriodError(f"--api {api!r} is no address such as http://127.0.0.1:8020")


def period_of(wanted: Asked, found: KafkaRange | None, rules: Rules) -> Period:
    """The period; PeriodError when Kafka no longer has all of it."""
    earliest = _earliest(found, rules)
    begin = earliest if wanted.begin is None else wanted.begin
    if begin < earliest:
        raise PeriodError(
            "Kafka has deleted records that sessions of that time need: choose --from "
            f"{format_instant(earliest)} or later, or recompute from files"
        )
    until_now = END if found is None else found.taken
    return Period(begin, until_now if wanted.end is None else wanted.end, wanted.site)


def _earliest(found: KafkaRange | None, rules: Rules) -> int:
    if found is None or found.edge is None:
        return BEGINNING
    # What starts later than this had no event that is deleted, or began after a gap to it.
    return found.edge + rules.clock_tolerance + rules.longest_gap + 1


def _instant(text: str | None, name: str) -> int | None:
    try:
        return None if text is None else parse_instant(text)
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
        if not text.isdecimal() or int(text) == 0:
            raise ValueError("must be a whole number, 1 or more")
        return int(text)
    if name == "gaps":
        return read_gap_rules(text)
    raise ValueError(f"can be {', '.join(sorted({*_DURATIONS, *_NUMBERS, 'gaps'}))}")
