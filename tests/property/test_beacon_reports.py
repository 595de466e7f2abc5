"""Whatever bytes are reported: a valid event, or a clear refusal, and each is counted once."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from contracts import RequestEvent
from contracts.settings import Secret
from interceptor import SiteSettings
from tests.support.gateways import Asked, asgi_site, wsgi_site
from tests.support.watched import Recorder

SITE = SiteSettings(site_id="shop", secret=Secret("k"), beacon_path="/cw.js", query_allow="q")
OWN_PAGE = {"Sec-Fetch-Site": "same-origin"}

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))
near_reports = st.fixed_dictionaries(
    {
        "kind": st.sampled_from(["page", "custom", "engagement"]) | scalars,
        "path": st.text().map("/".__add__) | scalars,
    },
    optional={
        "referrer": st.text() | st.text().map("https://shop.example/".__add__) | values,
        "name": st.text() | values,
        "properties": st.dictionaries(st.text(), scalars, max_size=25) | values,
        "engaged_ms": st.integers(-1, 2**40) | values,
        "event_id": values,
    },
)
# Lone surrogates are what JSON allows and UTF-8 does not.
written = near_reports.map(lambda report: msgspec.json.encode(_plain(report)))
bodies = st.binary(max_size=200) | written | st.tuples(written, st.binary(max_size=3)).map(b"".join)
asked = st.builds(
    lambda body, length: Asked("POST", "/cw", OWN_PAGE | length, body),
    bodies,
    st.just({}) | st.sampled_from(["", "0", "3", "8192", "x"]).map(lambda n: {"Content-Length": n}),
)


def _plain(value: object) -> object:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {_plain(key): _plain(one) for key, one in value.items()}
    return value


@given(asked)
def test_any_report_is_a_valid_event_or_a_refusal(request):
    for new_site in (asgi_site, wsgi_site):
        seen = Recorder()
        answer = new_site(SITE, seen)(request)
        stats = seen.ledger.stats(0)
        assert answer.status in (204, 400, 413)
        assert (answer.status == 204) == (len(seen.events) == 1)
        assert stats.observed == 1 == len(seen.events) + sum(stats.dropped.values())
        for event in seen.events:
            assert msgspec.json.decode(msgspec.json.encode(event), type=RequestEvent) == event
