"""``./clickwake ledger``: what it prints, and what it says when it cannot."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import msgspec
import pytest
from typer.testing import CliRunner, Result

from contracts import InterceptorStats, Tally
from contracts.ledger import Ledger, LedgerBucket, LedgerInterceptors, LedgerTopic
from infra.cli import app
from infra.errors import InfraError
from infra.ledger import read_ledger
from infra.ports import free_ports

TOPIC = "clickwake.requests"


def a_ledger(tally: Tally, *, balances: bool) -> Ledger:
    process = InterceptorStats(
        instance="web-1",
        site_id="shop",
        started=0,
        observed=1300,
        sent=1200,
        queued=0,
        dropped={"head": 40, "image": 50},
        lost={"queue_full": 10},
        spooled=777,
        adopted=666,
    )
    return Ledger(
        balances=balances,
        detail="As the API says.",
        behind=17,
        job_seen=0,
        total=tally,
        topics=[LedgerTopic(topic=TOPIC, epoch=1, buckets=1, tally=tally, balances=balances)],
        buckets=[
            LedgerBucket(
                topic=TOPIC,
                partition=1,
                bucket=130,
                epoch=1,
                watermark=0,
                processed_time=0,
                visitors=3,
                tally=tally,
                balances=balances,
            )
        ],
        late_listed=5,
        late_placed=2,
        interceptors=LedgerInterceptors(
            processes=1,
            observed=1300,
            sent=1200,
            queued=0,
            dropped=process.dropped,
            lost=process.lost,
            requests=tally.requests,
            unexplained=tally.requests - 1200,
            detail="Why they differ.",
            newest=[process],
            spooled=777,
            adopted=666,
            spool_errors=2,
        ),
    )


BALANCED = a_ledger(
    Tally(requests=1234, events=1200, duplicates=20, late=5, dead_letters=4, cut=5), balances=True
)


@contextmanager
def an_api(status: int, document: Any) -> Iterator[str]:
    """Something that answers every GET with this document, at the address."""

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(msgspec.json.encode(document))

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Answer)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        server.server_close()


def asked(ledger: Ledger, *options: str) -> Result:
    with an_api(200, ledger) as address:
        environ = {"COLUMNS": "140"}
        return CliRunner().invoke(app, ["ledger", "--api", address, *options], env=environ)


def test_a_balanced_ledger_reads_as_a_table() -> None:
    done = asked(BALANCED)
    assert done.exit_code == 0, done.output
    for text in (
        "clickwake.requests, 1 bucket ",
        "1,234",
        "balances  As the API says.",
        "17 unread records",
        "5 late events are listed in the history; 2 of them are in sessions",
        "shop web-1",
        "head 40",
        "queue_full 10",
        "Why they differ.",
        " 777 ",
        " 666 ",
        "111 events lie on the sites' disks",
        "disks failed 2 times",
    ):
        assert text in done.output
    assert "bucket 130" not in done.output


def test_buckets_are_listed_when_asked_for() -> None:
    assert "clickwake.requests/1 bucket 130" in asked(BALANCED, "--buckets").output


def test_one_that_does_not_balance_ends_with_status_1() -> None:
    wrong = a_ledger(Tally(requests=2, events=1), balances=False)
    done = asked(wrong)
    assert done.exit_code == 1
    assert "DOES NOT BALANCE" in done.output
    assert "WRONG" in done.output
    assert asked(wrong, "--json").exit_code == 1


def test_programs_get_the_contract() -> None:
    done = asked(BALANCED, "--json")
    assert msgspec.json.decode(done.output, type=Ledger) == BALANCED
    assert json.loads(done.output)["total"]["cut"] == 5


def test_without_a_stack_it_says_so(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["ledger", "--data", str(tmp_path)])
    assert isinstance(done.exception, InfraError)
    assert str(done.exception).startswith("No stack is running")


def test_an_api_that_does_not_answer_is_one_sentence() -> None:
    (port,) = free_ports(1)
    with pytest.raises(InfraError, match="does not answer"):
        read_ledger(f"http://127.0.0.1:{port}")


@pytest.mark.parametrize(
    ("status", "document", "sentence"),
    [
        (503, {"detail": "The history database does not answer."}, "The history database does"),
        (404, None, "has no ledger: it answers 404"),
        (200, {"hello": "visitor"}, "is no Clickwake API"),
    ],
)
def test_what_the_api_says_instead_is_passed_on(status: int, document: Any, sentence: str) -> None:
    with an_api(status, document) as address, pytest.raises(InfraError, match=sentence):
        read_ledger(address.rstrip("/"))


def test_an_address_needs_its_scheme() -> None:
    done = CliRunner().invoke(app, ["ledger", "--api", "127.0.0.1:8020"])
    assert "is no address: write one such as" in str(done.exception)
