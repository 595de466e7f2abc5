from collections import Counter
from ipaddress import ip_address
from pathlib import Path
from random import Random

import pytest

from infra.traffic.places import Place, chosen_places, country_of, spread

GEO = Path(__file__).parents[2] / "fixtures" / "data" / "maxmind-test"


def test_a_small_database_is_walked_through():
    places = chosen_places([str(GEO / "GeoIP2-City-Test.mmdb")], Random(1))
    assert len(places) > 50
    assert {"GB", "US", "JP"} <= {place.country for place in places}
    assert all(ip_address(place.address).is_global for place in places)


def test_without_a_database_addresses_are_public_and_without_a_country(caplog):
    for files in ([], ["/nowhere.mmdb"], [__file__]):
        places = chosen_places(files, Random(1))
        assert len(places) == 400
        assert all(ip_address(place.address).is_global for place in places)
        assert {place.country for place in places} == {None}
    assert "no addresses are chosen from /nowhere.mmdb" in caplog.text


@pytest.mark.parametrize("name", ["Invalid-Node-Count", "Broken-Double-Format"])
def test_a_broken_database_stops_nobody(name):
    assert chosen_places([str(GEO / f"GeoIP2-City-Test-{name}.mmdb")], Random(1))


def test_large_countries_get_more_visitors_but_not_all():
    pool = [Place(f"20.0.{n // 250}.{n % 250}", "US") for n in range(3000)]
    pool += [Place(f"21.0.{n // 250}.{n % 250}", "DE") for n in range(300)]
    pool += [Place("22.0.0.1", "IS")]
    counts = Counter(place.country for place in spread(pool, 100, Random(1)))
    assert counts["IS"] == 1
    assert 60 < counts["US"] < 90
    assert 10 < counts["DE"] < 40


def test_both_layouts_of_records_are_read():
    assert country_of({"country": {"iso_code": "DE"}}) == "DE"
    assert country_of({"country_code": "DE"}) == "DE"
    for record in (None, "DE", {}, {"country": "DE"}, {"country_code": 49}, {"country": {}}):
        assert country_of(record) is None
