"""The counts as Prometheus metrics, and who may have them."""

import asyncio

import httpx
import pytest

from contracts import InterceptorStats
from contracts.kafka import KafkaSettings
from contracts.settings import Secret
from interceptor import ClickwakeMiddleware, ClickwakeWsgiMiddleware, SiteSettings
from interceptor.metrics import exposition

STATS = InterceptorStats(
    instance="web-1",
    site_id="shop",
    started=1_767_268_800_000,
    observed=10,
    sent=4,
    queued=1,
    dropped={"image": 2},
    lost={"queue_full": 1, 'a"b': 1},
    spooled=2,
    adopted=1,
    spool_errors=3,
)


def test_every_column_is_exposed():
    text = exposition(STATS)
    for line in (
        "# TYPE clickwake_interceptor_observed_total counter",
        'clickwake_interceptor_observed_total{site="shop",instance="web-1"} 10',
        'clickwake_interceptor_adopted_total{site="shop",instance="web-1"} 1',
        'clickwake_interceptor_sent_total{site="shop",instance="web-1"} 4',
        "# TYPE clickwake_interceptor_queued gauge",
        'clickwake_interceptor_queued{site="shop",instance="web-1"} 1',
        'clickwake_interceptor_spooled{site="shop",instance="web-1"} 2',
        'clickwake_interceptor_spool_errors_total{site="shop",instance="web-1"} 3',
        'clickwake_interceptor_dropped_total{site="shop",instance="web-1",reason="image"} 2',
        'clickwake_interceptor_lost_total{site="shop",instance="web-1",reason="queue_full"} 1',
        'clickwake_interceptor_lost_total{site="shop",instance="web-1",reason="a\\"b"} 1',
        'clickwake_interceptor_start_time_seconds{site="shop",instance="web-1"} 1767268800',
    ):
        assert line in text.splitlines()
    assert text.endswith("\n")


def test_each_metric_is_described_once_and_before_its_values():
    lines = exposition(STATS).splitlines()
    described = [line.split()[2] for line in lines if line.startswith("# TYPE")]
    assert len(described) == len(set(described)) == 9
    for line in lines:
        if not line.startswith("#"):
            assert f"# TYPE {line.partition('{')[0]} " in "\n".join(lines[: lines.index(line)])


async def hello(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"the site"})


def asked(path, client="127.0.0.1", method="GET", headers=None, metrics_path="/-/clickwake"):
    site = SiteSettings(
        site_id="shop", secret=Secret("k"), metrics_path=metrics_path, flush_deadline="0ms"
    )
    app = ClickwakeMiddleware(hello, site, kafka=KafkaSettings(bootstrap_servers="127.0.0.1:1"))

    async def call():
        transport = httpx.ASGITransport(app=app, client=(client, 50_000))
        async with httpx.AsyncClient(transport=transport, base_url="http://shop.example") as http:
            return await http.request(method, path, headers=headers)

    answer = asyncio.run(call())
    observed = app.emitter.stats().observed
    app.emitter.close()
    return answer, observed


@pytest.mark.parametrize("client", ["127.0.0.1", "::1", "127.1.2.3"])
def test_this_machine_gets_them_and_is_no_visitor(client):
    answer, observed = asked("/-/clickwake", client)
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "clickwake_interceptor_sent_total" in answer.text
    assert observed == 0


@pytest.mark.parametrize(
    "options",
    [
        {"client": "10.0.0.7"},
        {"client": "unknown"},
        {"method": "POST"},
        {"headers": {"X-Forwarded-For": "127.0.0.1"}},
        {"headers": {"Forwarded": "for=127.0.0.1"}},
        {"headers": {"X-Real-IP": "127.0.0.1"}},
        {"headers": {"Via": "1.1 proxy"}},
        {"metrics_path": ""},
        {"metrics_path": "/other"},
    ],
    ids=str,
)
def test_all_others_get_the_sites_own_answer(options):
    answer, observed = asked("/-/clickwake", **options)
    assert (answer.text, observed) == ("the site", 1)


def asked_by_wsgi(**environ):
    """The headers and the body of a WSGI site's answer."""
    site = SiteSettings(
        site_id="shop", secret=Secret("k"), metrics_path="/-/clickwake", flush_deadline="0ms"
    )
    kafka = KafkaSettings(bootstrap_servers="127.0.0.1:1")
    app = ClickwakeWsgiMiddleware(hello_by_wsgi, site, kafka=kafka)
    request = {"REQUEST_METHOD": "GET", "PATH_INFO": "/-/clickwake", "REMOTE_ADDR": "127.0.0.1"}
    heads = []
    body = b"".join(app(request | environ, lambda status, headers: heads.append(headers)))
    app.emitter.close()
    return dict(heads[0]), body.decode()


def hello_by_wsgi(environ, start_response):
    start_response("200 OK", [])
    return [b"the site"]


def test_a_wsgi_site_shows_them_to_this_machine():
    headers, body = asked_by_wsgi()
    assert headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert 'clickwake_interceptor_observed_total{site="shop"' in body


@pytest.mark.parametrize(
    "environ",
    [
        {"REMOTE_ADDR": "10.0.0.7"},
        {"REMOTE_ADDR": ""},
        {"REQUEST_METHOD": "POST"},
        {"HTTP_X_FORWARDED_FOR": "127.0.0.1"},
        {"HTTP_VIA": "1.1 proxy"},
        {"PATH_INFO": "/other"},
        {"SCRIPT_NAME": "/below"},
    ],
    ids=str,
)
def test_all_others_get_the_wsgi_sites_own_answer(environ):
    assert asked_by_wsgi(**environ)[1] == "the site"
