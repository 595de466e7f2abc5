import pytest

from interceptor.client_ip import Trust, client_ip, parsed
from interceptor.errors import InterceptorError
from tests.unit.interceptor.cases import client_ip_rows

PROXIES = Trust.of("10.0.0.0/8")
ROWS = [row for row in client_ip_rows() if row[0] != "unix:"]
(UNIX_ROW,) = [row for row in client_ip_rows() if row[0] == "unix:"]


def walked(peer, headers, trust=PROXIES):
    return client_ip(peer, headers.get("x-forwarded-for", ""), headers.get("forwarded", ""), trust)


@pytest.mark.parametrize(("peer", "headers", "expected", "why"), ROWS, ids=[r[3] for r in ROWS])
def test_shared_case(peer, headers, expected, why):
    assert walked(peer, headers) == expected


def test_unix_peer_is_believed_only_when_trusted():
    _, headers, _, _ = UNIX_ROW
    assert walked(None, headers, Trust.of("10.0.0.0/8,unix")) == "81.2.69.142"
    assert walked(None, headers, PROXIES) is None


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ("81.2.69.142", "81.2.69.142"),
        (" 81.2.69.142 ", "81.2.69.142"),
        ('"81.2.69.142:80"', "81.2.69.142"),
        ("[2001:218::1]:443", "2001:218::1"),
        ('"[2001:218::1]:443"', "2001:218::1"),
        ("2001:218::1", "2001:218::1"),
        ("fe80::1%eth0", "fe80::1"),
        ("::ffff:81.2.69.142", "81.2.69.142"),
        ("081.2.69.142", None),
        ("81.2.69", None),
        ("81.2.69.142.5", None),
        ("2001:218::1:443:1:2:3:4:5", None),
        ("unknown", None),
        ("_hidden", None),
        ("", None),
        ("٨١.2.69.142", None),
        ("9" * 10_000, None),
    ],
)
def test_an_entry_is_an_address_or_nothing(entry, expected):
    address = parsed(entry)
    assert (address and str(address)) == expected


@pytest.mark.parametrize(
    ("forwarded", "expected"),
    [
        ('For="[2001:218::1]:4711"', "2001:218::1"),
        ("proto=https;for=81.2.69.142", "81.2.69.142"),
        ('for=81.2.69.142;by="a,b;for=9.9.9.9"', "81.2.69.142"),
        ("for=8.8.8.8, for=81.2.69.142, for=10.0.0.9", "81.2.69.142"),
        ("for=8.8.8.8, proto=https", "10.0.0.2"),
        ('for="unfinished', "10.0.0.2"),
    ],
)
def test_forwarded_header(forwarded, expected):
    assert walked("10.0.0.2", {"forwarded": forwarded}) == expected


def test_forwarded_is_used_when_the_other_header_holds_no_entry():
    headers = {"x-forwarded-for": ", ,", "forwarded": "for=81.2.69.142"}
    assert walked("10.0.0.2", headers) == "81.2.69.142"


def test_a_hidden_hop_ends_the_walk_at_the_last_address_believed():
    assert walked("10.0.0.2", {"x-forwarded-for": "8.8.8.8, unknown, 10.0.0.9"}) == "10.0.0.9"


def test_a_very_long_chain_is_bounded():
    chain = ", ".join(["8.8.8.8"] + ["10.0.0.3"] * 5_000)
    assert walked("10.0.0.2", {"x-forwarded-for": chain}) == "10.0.0.3"


def test_a_peer_that_is_no_address_gives_none():
    assert walked("testclient", {"x-forwarded-for": "8.8.8.8"}) is None


def test_a_wrong_network_is_named():
    with pytest.raises(InterceptorError, match=r"'10\.0\.0/8'"):
        Trust.of("127.0.0.1, 10.0.0/8")
