import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import msgspec
import pytest

from contracts import ContractError, JobStatus
from contracts.client import key_headers
from infra.job_readiness import is_working
from infra.ports import free_ports
from infra.readiness import answers, components, fetch, is_component_ok

BODY = b'{"ready": false, "components": {"job": {"ok": true, "detail": "running"}}}'


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(503 if self.path == "/readyz" else 200)
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *unused: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    http = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}"
    http.shutdown()
    thread.join()
    http.server_close()


def test_only_a_200_is_an_answer(server: str) -> None:
    assert answers(f"{server}/healthz")
    assert not answers(f"{server}/readyz")


def test_a_503_still_tells_about_its_parts(server: str) -> None:
    assert is_component_ok(f"{server}/readyz", "job")
    assert not is_component_ok(f"{server}/readyz", "unheard-of")


def test_an_api_that_needs_keys_tells_of_the_whole_only(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(f"{__name__}.BODY", b'{"ready": true}')
    assert is_component_ok(f"{server}/healthz", "job")
    assert not is_component_ok(f"{server}/readyz", "job")


def test_nobody_there_is_no_answer() -> None:
    assert fetch(f"http://127.0.0.1:{free_ports(1)[0]}/") == (0, None)


@pytest.mark.parametrize("document", [None, [], {}, {"components": 3}, {"components": {"job": 1}}])
def test_an_unexpected_document_has_no_parts(document: object) -> None:
    assert components(document) == {}


def status(started: int, batch: int = 0) -> bytes:
    return msgspec.json.encode(
        JobStatus(
            instance="a", epoch=1, started=started, batch=batch, rows=0, batch_ms=0, behind=0,
            geo_ok=True, geo_detail="", processed_time=started,
        )
    )  # fmt: skip


def test_an_earlier_jobs_word_does_not_count() -> None:
    assert is_working(status(1_700_000_000_000), since=1_700_000_000_000)
    assert not is_working(status(1_699_999_999_999), since=1_700_000_000_000)


def test_a_job_that_has_finished_no_batch_is_not_ready() -> None:
    assert not is_working(status(1_700_000_000_000, batch=-1), since=1_700_000_000_000)


@pytest.mark.parametrize("value", [None, b"", b"nonsense", b"{}"])
def test_a_record_that_is_no_status_does_not_count(value: bytes | None) -> None:
    assert not is_working(value, since=0)


def test_a_key_is_shown_to_an_api(monkeypatch: pytest.MonkeyPatch) -> None:
    assert key_headers({}) == {}
    assert key_headers({"CLICKWAKE_CLIENT_KEY": "cw_1"}) == {"Authorization": "Bearer cw_1"}
    with pytest.raises(ContractError, match="CLICKWAKE_CLIENT_KAY is not a setting"):
        key_headers({"CLICKWAKE_CLIENT_KAY": "cw_1"})
