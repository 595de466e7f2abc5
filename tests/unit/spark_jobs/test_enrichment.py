"""Place, device and origin, against known answers."""

import base64
import csv
import json
from pathlib import Path

import pytest

from contracts import Agent, Attribution
from spark_jobs.geo import check_databases, open_locator
from spark_jobs.referrer import attribute, utm_of
from spark_jobs.user_agent import read_user_agent

FOLDER = Path("tests/fixtures/data/maxmind-test")
GOOD = str(FOLDER / "GeoIP2-City-Test.mmdb")
BROKEN = [
    str(FOLDER / "GeoIP2-City-Test-Broken-Double-Format.mmdb"),
    str(FOLDER / "GeoIP2-City-Test-Invalid-Node-Count.mmdb"),
]
TRUTH = list(csv.DictReader((FOLDER / "lookup_truth_GeoIP2-City-Test.csv").open()))
AGENTS = [
    json.loads(line)
    for line in Path("tests/fixtures/cases/user_agents.jsonl").read_text().splitlines()
]


@pytest.mark.parametrize("row", TRUTH, ids=lambda row: row["ip"] or "empty")
def test_lookups_agree_with_the_known_answers(row):
    geo, reason, _network = open_locator((GOOD,))(row["ip"])
    if row["result"] != "found":
        assert geo is None
        assert reason in {"not_found", "private_address", "malformed_address", "no_address"}
        return
    assert reason is None
    assert geo is not None
    assert (geo.country or "", geo.region or "", geo.city or "", geo.time_zone or "") == (
        row["country"],
        row["subdivision"],
        row["city"],
        row["tz"],
    )
    if row["lat"]:
        assert (geo.latitude, geo.longitude) == pytest.approx(
            (float(row["lat"]), float(row["lon"])), abs=1e-4
        )


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        (None, "no_address"),
        ("", "no_address"),
        ("999.1.1.1", "malformed_address"),
        ("unknown", "malformed_address"),
        ("10.0.0.5", "private_address"),
        ("127.0.0.1", "private_address"),
        ("fe80::1%eth0", "private_address"),
        ("8.8.8.8", "not_found"),
    ],
)
def test_without_geo_the_reason_is_said(address, reason):
    geo, said, _ = open_locator((GOOD,))(address)
    assert (geo, said) == (None, reason)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("81.2.69.142", "81.2.69.0/24"),
        ("::ffff:81.2.69.142", "81.2.69.0/24"),
        ("2001:480:10:abcd::1", "2001:480:10::/48"),
        ("999.1.1.1", None),
    ],
)
def test_only_the_network_of_an_address_is_kept(address, network):
    assert open_locator((GOOD,))(address)[2] == network


@pytest.mark.parametrize("path", BROKEN)
def test_a_broken_database_costs_geo_and_nothing_else(path):
    locate = open_locator((path,))
    assert all(len(locate(row["ip"])) == 3 for row in TRUTH)
    is_fine, sentence = check_databases((path,))
    assert not is_fine
    assert "broken" in sentence


def test_a_missing_database_is_said_with_what_to_do():
    assert open_locator(("/nowhere/x.mmdb",))("81.2.69.142")[:2] == (None, "no_database")
    assert check_databases(("/nowhere/x.mmdb",)) == (
        False,
        "x.mmdb is missing: events flow without geo; put it back or set CLICKWAKE_JOB_GEO",
    )
    assert check_databases(())[0] is False
    assert check_databases((GOOD,)) == (True, "GeoIP2-City-Test.mmdb")


@pytest.mark.parametrize("case", AGENTS, ids=lambda case: case["exp"])
def test_user_agent_cases(case):
    if "bytes_b64" in case:
        header = base64.b64decode(case["bytes_b64"]).decode("latin-1")
    else:
        header = case["ua"] if "ua" in case else eval(case["make"])
    agent = read_user_agent(header[:1024])
    expected = case["exp"]
    if expected == "unknown":
        assert agent == Agent()
    elif expected == "bot":
        assert (agent.is_bot, agent.device, agent.bot) == (True, "bot", "Googlebot")
    elif expected == "bot/health":
        assert (agent.is_bot, agent.bot) == (True, "health")
    else:
        assert not agent.is_bot


@pytest.mark.parametrize(
    ("header", "device", "browser"),
    [
        (
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
            "Chrome/124.0.0.0 Safari/537.36",
            "desktop",
            "Chrome",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 "
            "(KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
            "mobile",
            "Mobile Safari",
        ),
        (
            "Mozilla/5.0 (iPad; CPU OS 17_4 like Mac OS X) AppleWebKit/605.1.15 "
            "(KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
            "tablet",
            "Mobile Safari",
        ),
        ("curl/8.5.0", "bot", "curl"),
    ],
)
def test_devices(header, device, browser):
    agent = read_user_agent(header)
    assert (agent.device, agent.browser) == (device, browser)


@pytest.mark.parametrize(
    ("host", "referrer", "query", "channel", "domain"),
    [
        ("shop.example", None, {}, "direct", None),
        ("shop.example", "http://WWW.Shop.Example:80/x", {}, "internal", "shop.example"),
        ("www.shop.example:8080", "https://shop.example/", {}, "internal", "shop.example"),
        ("shop.example", "android-app://com.example/", {}, "referral", "com.example"),
        ("shop.example", "javascript:alert(1)", {}, "direct", None),
        ("shop.example", "http://[bad", {}, "direct", None),
        ("shop.example", "https://www.google.co.uk/", {}, "search", "google.co.uk"),
        ("shop.example", "https://duckduckgo.com/", {}, "search", "duckduckgo.com"),
        ("shop.example", "https://t.co/abc", {}, "social", "t.co"),
        ("shop.example", "https://mail.google.com/", {}, "email", "mail.google.com"),
        ("shop.example", "https://blog.example.org/post", {}, "referral", "blog.example.org"),
        ("shop.example", None, {"utm_medium": "email"}, "email", None),
        ("shop.example", "https://google.com/", {"utm_medium": "cpc"}, "paid", "google.com"),
        ("shop.example", None, {"utm_source": "partner"}, "campaign", None),
    ],
)
def test_attribution(host, referrer, query, channel, domain):
    found = attribute(host, referrer, utm_of(query))
    assert isinstance(found, Attribution)
    assert (found.channel, found.domain) == (channel, domain)
