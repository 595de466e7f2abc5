"""Targets that take a header's or an address's text."""

import re
from ipaddress import ip_address

from interceptor.client_ip import Trust, client_ip
from interceptor.text import decoded, host_text, path_text, query_values, referrer_text
from tests.fuzz.requests import assert_printable

TRUST = Trust.of("10.0.0.0/8,fd00::/8,unix")
ALLOWED = frozenset({"q"})
MATRIX = re.compile(r"(?:;|%3B)[^/]*=", re.IGNORECASE)


def address(data: bytes) -> None:
    """A peer, an X-Forwarded-For and a Forwarded, a line each, give a canonical address or none."""
    peer, forwarded_for, forwarded = [decoded(part) for part in [*data.split(b"\n"), b"", b""][:3]]
    found = client_ip(peer or None, forwarded_for, forwarded, TRUST)
    assert found is None or str(ip_address(found)) == found
    # Who is not trusted is not asked.
    alone = client_ip("192.0.2.1", forwarded_for, forwarded, TRUST)
    assert alone == "192.0.2.1", alone


def address_texts(data: bytes) -> None:
    """What comes of a Referer, path, query and Host keeps no secret's place."""
    text = decoded(data)
    referrer = referrer_text(text)
    path, host = path_text(data), host_text(text)
    query = query_values(data, ALLOWED)
    assert_printable((referrer or "", path, host, *query.values()))
    assert referrer is None or len(referrer) <= 2048
    assert referrer is None or not re.search(r"[?#]", referrer), referrer
    assert referrer is None or not MATRIX.search(referrer.partition("//")[2]), referrer
    assert referrer is None or "@" not in referrer.partition("//")[2].partition("/")[0], referrer
    assert 1 <= len(path) <= 2048
    assert not re.search(r";[^/]*=", path), path
    assert len(host) <= 255
    assert all(len(value) <= 256 for value in query.values())
