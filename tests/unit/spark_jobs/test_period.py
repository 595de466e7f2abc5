"""What ``verify`` and ``backfill`` refuse before anything starts, and which period they take."""

import pytest

from contracts.instants import parse_instant
from spark_jobs import backfill, verify
from spark_jobs.kafka_range import KafkaRange
from spark_jobs.period import BEGINNING, Asked, PeriodError, period_of
from spark_jobs.rules import Rules
from tests.support.journey import MINUTE

TAKEN = "2026-03-02T00:00:00Z"
API = "--api=http://127.0.0.1:1"


@pytest.mark.parametrize("command", [verify, backfill])
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((API, "--from", "yesterday"), "--from 'yesterday' must be an RFC 3339 time"),
        ((API, "--from=1000", "--to=1000"), "--to must be later than --from (1970-01-01 00:00:01"),
        (("--what-if", "gap=soon"), "--what-if gap=soon: 'soon' is not a duration"),
        (("--what-if", "gaps=/a"), "--what-if gaps=/a: '/a' is not a gap rule"),
        (("--what-if", "max_events=few"), "--what-if max_events=few: must be a whole number"),
        (("--what-if", "colour=red"), "--what-if colour=red: can be gap, gaps, max_"),
        (("--api", "nowhere"), "--api 'nowhere' is no address"),
        ((), "no stack is running"),
        ((API, "missing.log", "--format", "combined"), "missing.log is not a file"),
        ((API, "README.md"), "say how to read README.md: --format"),
    ],
)
def test_what_cannot_be_asked_is_said(
    command, arguments: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main([*arguments]) == 2
    assert sentence in capsys.readouterr().err


def nothing_said(begin: int | None = None, end: int | None = None) -> Asked:
    return Asked(begin, end, None, None, None, None)


def kafka_with(edge: int | None) -> KafkaRange:
    return KafkaRange({"t": {"0": 0}}, {"t": {"0": 9}}, edge, taken=parse_instant(TAKEN))


def test_without_a_word_it_is_all_that_there_is() -> None:
    assert period_of(nothing_said(), kafka_with(None), Rules()).begin == BEGINNING
    assert period_of(nothing_said(), None, Rules()).begin == BEGINNING


def test_what_retention_has_broken_cannot_be_had() -> None:
    edge = parse_instant("2026-03-01T12:00:00Z")
    first = edge + 31 * MINUTE + 1
    assert period_of(nothing_said(), kafka_with(edge), Rules()).begin == first
    assert period_of(nothing_said(begin=first), kafka_with(edge), Rules()).begin == first
    with pytest.raises(PeriodError, match="choose --from 2026-03-01 12:31:00 UTC or later"):
        period_of(nothing_said(begin=first - 1), kafka_with(edge), Rules())


def test_what_came_after_the_range_was_taken_need_not_be_in_it() -> None:
    """Live traffic goes on while a period is recomputed."""
    taken = parse_instant(TAKEN)
    assert kafka_with(None).should_hold(taken - 1)
    assert not kafka_with(None).should_hold(taken)
    assert not kafka_with(taken - 10).should_hold(taken - 10)
    assert kafka_with(taken - 10).should_hold(taken - 9)


def test_until_now_means_until_the_range_was_taken() -> None:
    assert period_of(nothing_said(), kafka_with(None), Rules()).end == parse_instant(TAKEN)
