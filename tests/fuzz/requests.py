"""Targets that take a request: a line ``METHOD path?query``, a line with the peer, then headers.

So a corpus can be read and written by hand.
"""

from collections.abc import Iterable

import msgspec

from contracts import RequestEvent
from contracts.settings import Secret
from interceptor.capture import Capture, Outcome, Request
from interceptor.environ import EnvironReader
from interceptor.identity import keyed_hash
from interceptor.policy import Policy
from interceptor.settings import SiteSettings

SITE = SiteSettings(
    site_id="shop",
    trusted_proxies="10.0.0.0/8,unix",
    query_allow="q,utm_source",
    header_allow="accept-language",
    exclude_paths="/admin*",
    drop_bots=True,
)
POLICY = Policy.of(SITE)
CAPTURE = Capture(SITE, POLICY, keyed_hash(Secret("k")))
READER = EnvironReader(CAPTURE.names)


class Sent:
    """What a client sent, as the lines of ``data`` say."""

    def __init__(self, data: bytes) -> None:
        first, peer, *headers = [*data.split(b"\n"), b"", b""][: max(2, data.count(b"\n") + 1)]
        method, _, target = first.partition(b" ")
        self.method = method.decode("latin-1") or "GET"
        self.path, _, self.query = target.partition(b"?")
        self.peer = peer.decode("latin-1") or None
        self.headers = [_header(line) for line in headers]


def _header(line: bytes) -> tuple[bytes, bytes]:
    name, _, value = line.partition(b":")
    return name.strip().lower(), value.strip()


def scope(data: bytes) -> None:
    """An ASGI scope gives a valid event or a reason."""
    sent = Sent(data)
    _judge(
        CAPTURE.request(
            {
                "method": sent.method,
                "raw_path": sent.path,
                "query_string": sent.query,
                "headers": sent.headers,
                "client": (sent.peer, 1) if sent.peer else None,
            }
        )
    )


def environ(data: bytes) -> None:
    """A WSGI environ gives a valid event or a reason."""
    sent = Sent(data)
    given = {"REQUEST_METHOD": sent.method, "PATH_INFO": sent.path.decode("latin-1")}
    given |= {"QUERY_STRING": sent.query.decode("latin-1"), "REMOTE_ADDR": sent.peer or ""}
    for name, value in sent.headers:
        key = "HTTP_" + name.decode("latin-1").upper().replace("-", "_")
        given[key] = value.decode("latin-1")
    _judge(READER.request(given))


def _judge(request: Request) -> None:
    reason = POLICY.drop_reason(request.method, request.path, request.headers)
    assert reason is None or reason.replace("_", "").isalpha(), reason
    event = CAPTURE.event(request, Outcome(1_767_268_800_000, 0.0, 200))
    assert msgspec.json.decode(msgspec.json.encode(event), type=RequestEvent) == event
    assert_printable((event.path, event.host, event.referrer or "", *event.query.values()))
    assert event.query.keys() <= {"q", "utm_source"}, event.query
    assert event.headers.keys() <= {"accept-language"}, event.headers


def assert_printable(texts: Iterable[str]) -> None:
    """No control character, and nothing that UTF-8 cannot hold."""
    for text in texts:
        text.encode()
        assert not any(character < " " or character == "\x7f" for character in text), repr(text)
