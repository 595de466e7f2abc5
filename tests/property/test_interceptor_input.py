"""Whatever a visitor sends, the interceptor makes a valid event of it and never raises."""

from ipaddress import ip_address

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from contracts import RequestEvent
from contracts.settings import Secret
from interceptor.capture import Capture, Outcome
from interceptor.client_ip import Trust, client_ip
from interceptor.environ import EnvironReader
from interceptor.identities import identity_of
from interceptor.policy import Policy
from interceptor.settings import SiteSettings

SITE = SiteSettings(
    site_id="shop",
    secret=Secret("k"),
    identity="cookie",
    trusted_proxies="10.0.0.0/8,unix",
    query_allow="q,ref",
)
POLICY = Policy.of(SITE)
# The one that reads most of a request: the cookie, and without one all that rotating ids need.
IDENTITY = identity_of(SITE, lambda: 1_767_268_800_000)
CAPTURE = Capture(SITE, POLICY, IDENTITY)
READER = EnvironReader(CAPTURE.names)
NAMES = [
    *(b"host", b"referer", b"user-agent", b"x-forwarded-for", b"forwarded", b"dnt", b"upgrade"),
    *(b"cookie", b"x-forwarded-proto"),
]

addresses = st.ip_addresses().map(str) | st.sampled_from(["unknown", "_x", "", "10.1.2.3", "010.1"])
entries = addresses | addresses.map(lambda a: f'"[{a}]:80"') | st.text(max_size=20)
peers = st.none() | st.just("10.0.0.1") | addresses


@given(peers, st.lists(entries).map(", ".join), st.lists(entries).map(", for=".join))
def test_an_address_is_canonical_or_nothing(peer, forwarded_for, forwarded):
    found = client_ip(peer, forwarded_for, f"for={forwarded}", Trust.of("10.0.0.0/8,unix"))
    assert found is None or str(ip_address(found)) == found


@given(st.ip_addresses().map(str), st.text(), st.text())
def test_an_untrusted_peers_headers_change_nothing(peer, forwarded_for, forwarded):
    trust = Trust.of("")
    assert client_ip(peer, forwarded_for, forwarded, trust) == client_ip(peer, "", "", trust)


@given(
    st.text(min_size=1, max_size=20),
    st.binary(max_size=5000),
    st.binary(max_size=5000),
    st.lists(st.tuples(st.sampled_from(NAMES), st.binary(max_size=3000)), max_size=9),
    peers,
)
def test_any_request_becomes_a_valid_event(method, path, query, headers, peer):
    request = CAPTURE.request(
        {
            "method": method,
            "raw_path": path,
            "query_string": query,
            "headers": headers,
            "client": (peer, 1) if peer else None,
        }
    )
    assert_valid(request)


def assert_valid(request):
    POLICY.drop_reason(request.method, request.path, request.headers)
    IDENTITY.cookie.offer(request.headers, request.peer, "http")
    event = CAPTURE.event(request, Outcome(1_767_268_800_000, 0.0, 200))
    assert msgspec.json.decode(msgspec.json.encode(event), type=RequestEvent) == event


# A server reads bytes as Latin-1; text beyond it is a server's mistake, and survived as well.
environ_texts = st.binary(max_size=3000).map(lambda raw: raw.decode("latin-1")) | st.text()


@given(
    st.text(min_size=1, max_size=20),
    st.dictionaries(
        st.sampled_from(
            [
                *("SCRIPT_NAME", "PATH_INFO", "QUERY_STRING", "REMOTE_ADDR", "CONTENT_TYPE"),
                *(f"HTTP_{name.decode().upper().replace('-', '_')}" for name in NAMES),
            ]
        ),
        environ_texts,
    ),
)
def test_any_environ_becomes_a_valid_event(method, environ):
    assert_valid(READER.request({"REQUEST_METHOD": method, **environ}))
