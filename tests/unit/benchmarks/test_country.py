"""The look-up of countries that peers and the known answer share, beside the product's own."""

import pytest

from benchmarks.engines.shared.country import open_countries
from spark_jobs.geo import open_locator
from tests.support.buckets import MMDB


@pytest.mark.parametrize(
    ("address", "code"),
    [
        ("81.2.69.142", "GB"),
        ("2001:218::1", "JP"),
        ("127.0.0.1", ""),
        ("not an address", ""),
        ("", ""),
        (None, ""),
    ],
)
def test_peers_find_the_country_that_the_product_finds(address: str | None, code: str) -> None:
    geo, _, _ = open_locator((MMDB,))(address)
    assert open_countries([MMDB])(address) == code == ((geo and geo.country) or "")


def test_without_files_no_country_is_known() -> None:
    assert open_countries([])("81.2.69.142") == ""
