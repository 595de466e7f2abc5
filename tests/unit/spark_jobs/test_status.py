"""How far behind the job says it is."""

import pytest

from spark_jobs.status import behind


@pytest.mark.parametrize(
    ("read", "there", "records"),
    [
        ('{"a":{"0":5,"1":7},"b":{"0":0}}', '{"a":{"0":9,"1":8},"b":{"0":3}}', 8),
        ('{"a":{"0":5}}', '{"a":{"0":5}}', 0),
        ('{"a":{"0":5}}', "null", 0),
        ("null", '{"a":{"0":5}}', 0),
    ],
)
def test_it_is_the_sum_of_all_partitions(read: str, there: str, records: int) -> None:
    assert behind({"endOffset": read, "latestOffset": there}) == records
