"""Log lines: for people or for programs, with the id of the request they belong to."""

import json
import logging
import os
import re
import subprocess
import sys
from typing import Any

import pytest

from contracts import ContractError
from contracts.logs import REQUEST_ID, JsonFormatter, TextFormatter, configure, request_id_of
from infra.paths import PROJECT


def a_record(message: str, *arguments: object, error: bool = False) -> logging.LogRecord:
    info: Any = None
    if error:
        try:
            raise OSError("the disk is full")
        except OSError:
            info = sys.exc_info()
    record = logging.LogRecord("api.feed", logging.WARNING, "", 0, message, arguments, info)
    record.created = 1_772_366_400.25
    return record


@pytest.fixture
def request_id() -> Any:
    token = REQUEST_ID.set("call-7")
    yield "call-7"
    REQUEST_ID.reset(token)


def test_a_line_is_one_json_object() -> None:
    line = JsonFormatter("api").format(a_record('said "%s"\nand %d', "no", 3))
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2026-03-01T12:00:00.250Z",
        "level": "WARNING",
        "part": "api",
        "logger": "api.feed",
        "message": 'said "no"\nand 3',
    }


def test_a_line_has_the_requests_id_and_the_parts_own_fields(request_id: str) -> None:
    fields = {"epoch": 5}
    formatter = JsonFormatter("job", fields)
    fields["batch"] = 12
    line = json.loads(formatter.format(a_record("done")))
    assert (line["request_id"], line["epoch"], line["batch"]) == (request_id, 5, 12)


def test_an_error_is_in_the_line() -> None:
    line = json.loads(JsonFormatter("api").format(a_record("failed", error=True)))
    assert line["message"] == "failed"
    assert line["error"].endswith("OSError: the disk is full")


def test_people_see_the_id_at_the_end_of_the_first_line(request_id: str) -> None:
    first, *traceback = TextFormatter().format(a_record("failed", error=True)).splitlines()
    assert first.endswith(f"WARNING api.feed: failed [request {request_id}]")
    assert traceback[-1] == "OSError: the disk is full"


@pytest.mark.parametrize("given", ["call-7", "A.b_c-9", "x" * 64])
def test_a_plain_id_is_kept(given: str) -> None:
    assert request_id_of(given) == given


@pytest.mark.parametrize("given", [None, "", "x" * 65, "a b", 'a"b', "a\nb", "a\n", "ä", "<b>"])
def test_another_one_is_replaced(given: str | None) -> None:
    first, second = request_id_of(given), request_id_of(given)
    assert re.fullmatch("[0-9a-f]{32}", first)
    assert first != second


def test_a_wrong_format_is_named() -> None:
    with pytest.raises(ContractError, match="CLICKWAKE_LOG_FORMAT is wrong"):
        configure("api", environ={"CLICKWAKE_LOG_FORMAT": "yaml"})


@pytest.mark.parametrize("module", ["api", "infra.traffic", "frontend.demo_site"])
def test_each_process_stops_at_a_wrong_format(module: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", module],
        env={**os.environ, "PYTHONPATH": str(PROJECT), "CLICKWAKE_LOG_FORMAT": "yaml"},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 1
    assert "CLICKWAKE_LOG_FORMAT is wrong" in done.stderr


@pytest.mark.parametrize("file", ["spark_jobs/log4j2.properties", "infra/kafka-log4j2.properties"])
def test_the_jvms_write_the_same_members(file: str) -> None:
    text = (PROJECT / file).read_text()
    pattern = re.search(r"^appender\.json\.layout\.pattern = (.+)%n$", text, re.M)
    assert pattern
    line = json.loads(pattern[1])
    assert list(line) == ["time", "level", "part", "logger", "message", "error"]
    assert "ref = ${env:CLICKWAKE_LOG_FORMAT:-text}" in text
    names = set(re.findall(r"^appender\.\w+\.name = (\w+)$", text, re.M))
    assert names == {"text", "json"}
