"""What the comparison makes of its measurements."""

import re
from xml.etree import ElementTree

import msgspec
import pytest

from benchmarks.answer import Answer
from benchmarks.compare.engines import ENGINES, PROGRAMS, chosen
from benchmarks.compare.plot import svg
from benchmarks.compare.results import Comparison, Missing, Round, reasons, rows
from benchmarks.compare.running import answer_of, is_right
from benchmarks.compare.table import TITLES, cells, markdown
from benchmarks.engines.shared.task import checksum, spark_times, tally
from benchmarks.engines.shared.visit import NONE, joined, pages, visit

ANSWER = Answer(events=1_000, sessions=200, checksum=11, geo_checksum=22)
PAIR = chosen("polars,spark")


def passed(engine: str, number: int, per_s: int, **more: object) -> Round:
    known: dict[str, object] = {
        "engine": engine, "number": number, "per_s": per_s, "events": 1_000, "right": True,
        "sessions_found": 200, "events_found": 1_000, "memory_mb": 500,
    }  # fmt: skip
    return msgspec.convert(known | more, Round)


def comparison(*rounds: Round, missing: tuple[Missing, ...] = ()) -> Comparison:
    return Comparison(
        begun="2026-01-05T00:00:00+00:00",
        machine={"cores": "2"},
        configuration={"workload": "1,000 events"},
        versions={},
        answers={engine.name: ANSWER for engine in ENGINES},
        rounds=list(rounds),
        missing=list(missing),
    )


def test_a_row_has_the_median_its_spread_and_its_ratio_to_the_limit() -> None:
    found = comparison(
        *(passed("polars", number, 1_000) for number in (1, 2, 3)),
        *(passed("spark", number, rate) for number, rate in enumerate((400, 500, 600), 1)),
    )
    _, spark = rows(found, PAIR)
    assert (spark.per_s, spark.spread, spark.limit_ratio) == (500, pytest.approx(0.4), 0.5)


def test_without_the_limit_there_is_no_ratio() -> None:
    (spark,) = rows(comparison(passed("spark", 1, 400)), PAIR)
    assert spark.limit_ratio is None


def test_one_wrong_round_makes_an_engine_wrong_and_shows_its_numbers() -> None:
    wrong = passed("spark", 2, 400, right=False, sessions_found=150, events_found=900)
    (spark,) = rows(comparison(passed("spark", 1, 400), wrong), PAIR)
    assert spark.verdict == "WRONG: 150 of 200 sessions, 900 of 1,000 events"


def test_right_counts_with_other_pages_are_wrong() -> None:
    wrong = passed("spark", 1, 400, right=False, checksum_found=12)
    (spark,) = rows(comparison(wrong), PAIR)
    assert spark.verdict.startswith("WRONG: an entry or exit page")


def test_countries_are_checked_where_they_are_looked_up() -> None:
    spark, geo = chosen("spark,flink-sql-heap-geo")
    found = {"first": 1.0, "sessions": 200, "events": 1_000, "checksum": 11}
    assert is_right(spark, found, ANSWER)
    assert not is_right(geo, found, ANSWER)
    assert is_right(geo, found | {"checksum": 22}, ANSWER)
    assert not is_right(spark, found | {"sessions": 199}, ANSWER)


def test_the_checksum_depends_on_pages_and_not_on_order() -> None:
    one, other = ("a", 3, "/", "/cart", ""), ("b", 1, "/", "/", "")
    assert checksum([one, other]) == checksum([other, one])
    assert checksum([one]) != checksum([("a", 3, "/cart", "/", "")])
    assert tally([one, other]) == {
        "sessions": 2, "events": 4, "checksum": checksum([one, other]),
    }  # fmt: skip


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_a_visit_has_the_same_pages_in_any_order_of_events(order: tuple[int, ...]) -> None:
    events = [
        visit(1_000, "a", "api", "/api/cart"),
        visit(2_000, "b", "page", "/"),
        visit(2_000, "c", "page", "/cart"),
        visit(3_000, "d", "api", "/api/pay"),
    ]
    found = NONE
    for number in order:
        found = joined(found, events[number])
    assert pages(found) == (4, "/", "/cart")


def test_a_visit_without_pages_has_its_first_and_last_request() -> None:
    found = joined(visit(2_000, "b", "api", "/late"), visit(1_000, "a", "api", "/early"))
    assert pages(found) == (2, "/early", "/late")


def test_a_failed_round_has_no_part_in_the_figures_but_is_told() -> None:
    failed = Round(engine="spark", number=2, failure="exit status 1: no memory")
    found = comparison(passed("spark", 1, 400), failed, missing=(Missing("polars", "no network"),))
    assert [row.rounds for row in rows(found, PAIR)] == [1]
    assert reasons(found) == {"polars": "no network", "spark": "exit status 1: no memory"}


def test_raw_results_survive_their_file() -> None:
    found = comparison(passed("spark", 1, 400, warm_per_s=450))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Comparison) == found


def test_markdown_has_a_cell_for_each_title_and_a_line_for_what_did_not_run() -> None:
    found = rows(comparison(passed("spark", 1, 45_300)), PAIR)
    text = markdown(found, {"bytewax": "no wheel for this Python"})
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {line.count("|") for line in table} == {len(TITLES) + 1}
    assert len(cells(found[0])) == len(TITLES)
    assert "| 45.3 k | – |" in text
    assert "- not run: bytewax: no wheel for this Python" in text


def test_the_plot_is_a_picture_with_a_bar_for_each_engine() -> None:
    found = rows(comparison(passed("polars", 1, 1_000), passed("spark", 1, 400, right=False)), PAIR)
    picture = ElementTree.fromstring(svg(found, "a < b"))
    bars = picture.findall("{http://www.w3.org/2000/svg}rect")[1:]
    assert [float(bar.get("width") or 0) for bar in bars] == [400, 160]
    assert "wrong" in svg(found, "")


def test_every_peer_has_a_program_and_pinned_requirements() -> None:
    for engine in ENGINES:
        if not engine.program:
            continue
        assert (PROGRAMS / engine.program).is_file()
        if engine.program.endswith(".py"):
            lines = (PROGRAMS / engine.folder / "requirements.txt").read_text().splitlines()
            pins = [line for line in lines if not line.startswith("#")]
            assert pins
            assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins)


def test_engines_are_chosen_by_name_in_the_asked_order() -> None:
    assert [one.name for one in chosen("spark, polars")] == ["spark", "polars"]
    assert chosen("") == ENGINES
    with pytest.raises(SystemExit, match="no engine 'storm'"):
        chosen("storm")


def test_a_report_is_found_among_an_engines_own_lines() -> None:
    output = 'started\n{"first": 1.0, "done": 3.0, "sessions": 2, "events": 5}\nERROR closed\n'
    assert answer_of(output) == {"first": 1.0, "done": 3.0, "sessions": 2, "events": 5}
    assert answer_of("ERROR no memory\n") is None


def test_sparks_warm_rate_leaves_out_its_first_batch() -> None:
    def batch(timestamp: str, rows: int, took: int) -> dict[str, object]:
        return {
            "timestamp": timestamp,
            "numInputRows": rows,
            "durationMs": {"triggerExecution": took},
        }

    times = spark_times(
        [
            batch("2026-01-05T00:00:10.000Z", 1_000, 8_000),
            batch("2026-01-05T00:00:18.000Z", 1_000, 2_000),
            batch("2026-01-05T00:00:20.000Z", 0, 500),
        ]
    )
    assert times["done"] - times["first"] == pytest.approx(10.5)
    assert times["warm_per_s"] == pytest.approx(400)
