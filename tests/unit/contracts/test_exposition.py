"""Numbers as Prometheus reads them."""

import pytest

from contracts.exposition import Family, Histogram, Sample, exposition_of
from tests.support.exposition import read_exposition


def test_a_label_may_hold_anything() -> None:
    odd = 'back\\slash, "quoted"\nnext {line}'
    text = exposition_of([Family("things", "gauge", "one\ntwo", [Sample(2.5, {"name": odd})])])
    assert text.splitlines()[:2] == ["# HELP things one\\ntwo", "# TYPE things gauge"]
    assert read_exposition(text)["things"].values(name=odd) == [2.5]


def test_whole_numbers_are_written_whole() -> None:
    samples = [Sample(10**17, {"n": "1"}), Sample(True, {"n": "2"}), Sample(0.25, {"n": "3"})]
    lines = exposition_of([Family("things", "gauge", "", samples)]).splitlines()
    assert lines[2:] == [
        'things{n="1"} 100000000000000000',
        'things{n="2"} 1',
        'things{n="3"} 0.25',
    ]


def test_a_family_without_a_number_is_left_out() -> None:
    assert exposition_of([Family("things", "gauge", "", [])]) == ""


def test_a_histogram_counts_below_its_bounds() -> None:
    delays = Histogram((0.5, 1, 5))
    for seconds in (0.1, 0.5, 0.7, 100):
        delays.observe(seconds)
    text = exposition_of([delays.family("delay_seconds", "how long")])
    assert text.splitlines()[2:] == [
        'delay_seconds_bucket{le="0.5"} 2',
        'delay_seconds_bucket{le="1"} 3',
        'delay_seconds_bucket{le="5"} 3',
        'delay_seconds_bucket{le="+Inf"} 4',
        "delay_seconds_sum 101.3",
        "delay_seconds_count 4",
    ]
    assert read_exposition(text)["delay_seconds"].kind == "histogram"


@pytest.mark.parametrize(
    "wrong",
    [
        "things 1\n",
        "# HELP things x\n# TYPE things gauge\nthings 1",
        "# HELP things x\n# TYPE things gauge\nthings 1\nthings 1\n",
        "# HELP things x\n# TYPE things gauge\nothers 1\n",
        "# HELP things x\n# TYPE things gauge\nthings one\n",
        '# HELP things x\n# TYPE things gauge\nthings{a="1" 1\n',
        '# HELP things x\n# TYPE things gauge\nthings{a="b"c"} 1\n',
        "# HELP things x\n# TYPE things counter\nthings 1\n",
        "# HELP t_total x\n# TYPE t_total counter\nt_total -1\n",
    ],
)
def test_the_tests_reader_is_strict(wrong: str) -> None:
    with pytest.raises((AssertionError, KeyError, ValueError)):
        read_exposition(wrong)
