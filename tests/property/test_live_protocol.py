"""The live WebSocket's protocol: whatever a client sends, the server answers by its own rules."""

import contextlib
import json
import logging
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from api.history.writer import HistoryWriter
from api.live.closings import CLOSINGS
from contracts.live import ClientMessage, Subscription
from infra.paths import PROJECT
from tests.support.api import NO_KAFKA, Served, api_settings, served
from tests.support.history import a_slice, new_history
from tests.support.messages import a_session

DEADLINE = 20
LAST = {"type": "ping", "sent": 4711.5}
# 1006: who goes on sending after the server's closing frame may find the connection reset.
CODES = {code for code, _ in CLOSINGS.values()} | {1006, 1007, 1009}


def schema(name: str) -> Draft202012Validator:
    text = (PROJECT / "contracts" / "schema" / f"{name}.schema.json").read_text()
    return Draft202012Validator(json.loads(text))


SERVER, CLIENT = schema("live"), schema("live-client")

anything = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)
words = st.sampled_from(["DE", "!DE", "shop", "search", "", "é\x00", "x" * 200])
choices = st.lists(words, max_size=4)
fields = {
    "topics": st.lists(st.sampled_from(["sessions", "events", "stats"]), min_size=1, max_size=3),
    "bots": st.sampled_from(["include", "exclude", "only"]),
    **dict.fromkeys(["path", "session", "visitor"], words),
    **dict.fromkeys(["site", "country", "channel", "device", "browser", "os"], choices),
}
assert set(fields) == set(Subscription.__struct_fields__)
subscriptions = st.fixed_dictionaries({}, optional=fields)
good = st.one_of(
    st.fixed_dictionaries(
        {"type": st.just("hello")},
        optional={
            "subscription": subscriptions,
            "resume": words | st.just("a.b.0-0"),
            "key": st.none(),
        },
    ),
    st.fixed_dictionaries({"type": st.just("subscribe"), "subscription": subscriptions}),
    st.fixed_dictionaries({"type": st.just("ping"), "sent": st.floats(0, 1e15)}),
)
spoilt = st.tuples(
    good, st.sampled_from(["type", "subscription", "sent", "resume", "more"]), anything
)
texts = st.one_of(
    good.map(json.dumps),
    good.map(json.dumps),
    spoilt.map(lambda told: json.dumps({**told[0], told[1]: told[2]})),
    anything.map(json.dumps),
    st.sampled_from(["Infinity", "-Infinity", "NaN"]),  # Python writes them, but they are no JSON
    st.text(max_size=50),
    st.binary(max_size=50),
    st.integers(4_090, 5_000).map("x".__mul__),
)

# The server's threads draw random numbers of their own beside the strategies.
pytestmark = pytest.mark.filterwarnings("ignore:Do not use the `random` module")


class Failures(logging.Handler):
    """What the server could not handle: who asked may only see that the connection is gone."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.seen.append(self.format(record))


@pytest.fixture(scope="module")
def failures() -> Iterator[Failures]:
    found = Failures()
    loggers = [logging.getLogger(name) for name in ("uvicorn.error", "asyncio", "api")]
    for logger in loggers:
        logger.addHandler(found)
    yield found
    for logger in loggers:
        logger.removeHandler(found)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history with people who are here."""
    folder: Path = tmp_path_factory.mktemp("fuzzed")
    now = time.time_ns() // 1_000_000
    sessions = [a_session(f"s{n}", start=now, country=("DE", "FR")[n % 2]) for n in range(6)]
    engine = new_history(folder)
    HistoryWriter(engine).take([a_slice("sessions", sessions)])
    engine.dispose()
    return folder


@pytest.fixture(scope="module")
def api(folder: Path) -> Iterator[Served]:
    with served(api_settings(folder), NO_KAFKA) as running:
        yield running


def conversation(api: Served, said: list[str | bytes]) -> tuple[list[dict[str, Any]], int | None]:
    """All that the server says until it answers a last ping, or the code with which it ends."""
    answers: list[dict[str, Any]] = []
    with connect(f"ws://{api.address}/api/v1/live?hello", compression=None) as client:
        try:
            for message in said:
                client.send(message)
            client.send(json.dumps(LAST))
            while not answers or answers[-1].get("sent") != LAST["sent"]:
                answers.append(json.loads(client.recv(DEADLINE)))
        except ConnectionClosed as closed:
            answers += _rest(client)
            return answers, closed.rcvd.code if closed.rcvd else 1006
    return answers, None


def _rest(client: ClientConnection) -> list[dict[str, Any]]:
    """What arrived before the end was noticed."""
    rest: list[dict[str, Any]] = []
    with contextlib.suppress(ConnectionClosed, TimeoutError):
        while True:
            rest.append(json.loads(client.recv(0)))
    return rest


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(texts, max_size=5))
def test_whatever_is_said_is_answered_in_form_or_refused_with_a_code(
    api: Served, failures: Failures, said: list[str | bytes]
) -> None:
    answers, code = conversation(api, said)
    assert code is None or code in CODES
    assert failures.seen == []
    for answer in answers:
        SERVER.validate(answer)
    numbers = [answer["sequence"] for answer in answers if "sequence" in answer]
    assert numbers == list(range(1, len(numbers) + 1))
    kinds = [answer["type"] for answer in answers]
    assert set(kinds) <= {"snapshot", "heartbeat", "pong"}


wishes = st.lists(subscriptions, min_size=1, max_size=3).flatmap(
    lambda some: st.lists(st.sampled_from(some), min_size=1, max_size=6)
)
"""Few, so that clients come back to what they wanted before, and several want the same."""


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(wishes, wishes)
def test_clients_may_change_their_wishes_in_any_order(
    api: Served, failures: Failures, one: list[Any], other: list[Any]
) -> None:
    url = f"ws://{api.address}/api/v1/live?hello"
    with connect(url, compression=None) as first, connect(url, compression=None) as second:
        for client, wanted in ((first, one), (second, other)):
            client.send(json.dumps({"type": "hello", "subscription": wanted[0]}))
        for client, wanted in ((first, one[1:]), (second, other[1:])):
            for wish in wanted:
                client.send(json.dumps({"type": "subscribe", "subscription": wish}))
        for client, wanted in ((first, one), (second, other)):
            client.send(json.dumps(LAST))
            answers = _until_pong(client)
            assert 1 <= len(answers) <= len(wanted) + 1, "snapshots may be conflated"
    assert failures.seen == []


def _until_pong(client: ClientConnection) -> list[dict[str, Any]]:
    """The messages before the pong, but those that come by themselves; all of the schema."""
    answers: list[dict[str, Any]] = []
    while True:
        answer = json.loads(client.recv(DEADLINE))
        SERVER.validate(answer)
        if answer["type"] == "pong":
            return answers
        answers += [answer] if answer["type"] == "snapshot" else []


queries = st.dictionaries(
    # Without resume: it is waited for three seconds, as what it names may yet be read.
    st.sampled_from([*fields, "ticket", "more"]),
    words | st.sampled_from(["sessions", "include", "!DE", "a.b.0-0"]) | st.text(max_size=8),
    max_size=4,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(queries)
def test_any_address_is_a_stream_or_says_what_is_wrong(
    api: Served, failures: Failures, query: dict[str, str]
) -> None:
    url = f"http://{api.address}/api/v1/live"
    with httpx.stream("GET", url, params=query, timeout=DEADLINE) as answer:
        if answer.status_code == 200:
            assert next(answer.iter_lines()).startswith(("data: ", "event: "))
        else:
            assert answer.status_code in {401, 422}
            assert json.loads(answer.read())["detail"]
    assert failures.seen == []


@settings(max_examples=200, deadline=None)
@given(good | anything)
def test_what_the_schema_allows_is_read_and_nothing_else(message: Any) -> None:
    text = json.dumps(message)
    try:
        msgspec.json.decode(text, type=ClientMessage)
        is_read = True
    except msgspec.ValidationError:
        is_read = False
    assert is_read == CLIENT.is_valid(json.loads(text))
