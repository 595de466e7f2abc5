"""Flask and Django under gunicorn without Kafka: a raw client sees what it sees without us."""

import pytest

from tests.support.raw_http import exchange, request
from tests.support.serving import a_file, gunicorn

pytestmark = pytest.mark.slow

EXCHANGES = {
    "stream": (request("/stream"), b"end of stream"),
    "file": (request("/file"), b"Content-Length: 100000"),
    "HEAD of a file": (request("/file", "HEAD"), b"Content-Length: 100000"),
    "HEAD of a stream": (request("/stream", "HEAD"), b"HTTP/1.1 200"),
    "range": (request("/file", "GET", b"", "Range: bytes=10-19"), b"0123456789"),
    "not found": (request("/nowhere"), b"HTTP/1.1 404"),
    "POST": (request("/stream", "POST", b"a=1"), b"HTTP/1.1 "),
    "OPTIONS": (request("/stream", "OPTIONS"), b"HTTP/1.1 "),
    "fails": (request("/fails"), b"HTTP/1.1 500"),
}


@pytest.fixture(scope="module", params=["flask_shop", "django_shop"])
def sites(request, tmp_path_factory):
    """The ports of the plain and of the watched site."""
    folder = tmp_path_factory.mktemp("shop")
    environ = {
        "TINY_SITE_FILE": str(a_file(folder)),
        "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": "127.0.0.1:9",
        "CLICKWAKE_SITE_SECRET": "k",
        "CLICKWAKE_SITE_QUEUE_SIZE": "5",
        "CLICKWAKE_SITE_FLUSH_DEADLINE": "100ms",
    }
    module = f"tests.support.sites.{request.param}"
    with (
        gunicorn(f"{module}:plain", folder, "--preload", environ=environ) as plain,
        gunicorn(f"{module}:app", folder, "--preload", environ=environ) as watched,
    ):
        yield plain.port, watched.port


@pytest.mark.parametrize("name", EXCHANGES)
def test_the_same_bytes(sites, name):
    sent, expected = EXCHANGES[name]
    plain, watched = (exchange(port, sent) for port in sites)
    assert watched == plain
    assert expected in plain
