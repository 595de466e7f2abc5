"""The shared session cases through the file reader and the bucket core: the batch path."""

import json
from pathlib import Path

import pytest

from tests.support.buckets import BucketRun
from tests.support.session_cases import CASES, assert_expected, records_of


@pytest.mark.parametrize("name", CASES)
def test_case_in_one_go(name):
    run = BucketRun().feed(records_of(name))
    assert_expected(name, list(run.sessions().values()), len(run.dead))


@pytest.mark.parametrize("name", CASES)
def test_case_record_by_record(name):
    run = BucketRun().feed_in(records_of(name), [1] * 400)
    assert_expected(name, list(run.sessions().values()), len(run.dead))


def test_every_case_has_its_answer():
    folder = Path("tests/fixtures/cases/sessions")
    assert {p.name.split(".")[0] for p in folder.glob("*.jsonl")} == set(CASES)
    assert all(json.loads((folder / f"{name}.expected.json").read_text()) for name in CASES)
