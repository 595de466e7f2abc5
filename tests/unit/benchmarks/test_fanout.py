"""The listening client's protocol, what a frame tells, and the table."""

import os
import resource

import msgspec
import pytest

from benchmarks.fanout import messages
from benchmarks.fanout.frames import PING, TEXT, FrameError, FrameReader, client_frame
from benchmarks.fanout.limits import allow_files, cores, pinned
from benchmarks.fanout.listening import Ear
from benchmarks.fanout.results import Round, bars, notes, rows
from benchmarks.fanout.servers import chosen
from contracts import SessionUpdate
from contracts.live import Update

NOON = 1_772_366_400_000
"""2026-03-01 12:00:00 UTC."""


def server_frame(opcode: int, payload: bytes) -> bytes:
    size = len(payload)
    if size < 126:
        return bytes((0x80 | opcode, size)) + payload
    if size < 65_536:
        return bytes((0x80 | opcode, 126)) + size.to_bytes(2, "big") + payload
    return bytes((0x80 | opcode, 127)) + size.to_bytes(8, "big") + payload


def test_frames_are_found_however_the_bytes_are_cut() -> None:
    sent = [(TEXT, b"a"), (PING, b""), (TEXT, b"b" * 4_000), (TEXT, b"c" * 70_000)]
    stream = b"".join(server_frame(*one) for one in sent)
    for size in (1, 7, 4_096, len(stream)):
        reader = FrameReader()
        pieces = [stream[at : at + size] for at in range(0, len(stream), size)]
        assert [frame for piece in pieces for frame in reader.feed(piece)] == sent


def test_what_this_client_cannot_read_is_said() -> None:
    compressed = bytes((0xC1, 0))
    with pytest.raises(FrameError, match="c100"):
        FrameReader().feed(compressed)


def test_a_clients_frame_is_masked_with_zeros() -> None:
    assert client_frame(TEXT, b"hi") == b"\x81\x82\0\0\0\0hi"
    assert client_frame(TEXT, b"x" * 200)[:4] == b"\x81\xfe\x00\xc8"


def test_what_is_told_is_what_the_contract_says() -> None:
    update = messages.update(3, 17, NOON)
    assert msgspec.json.decode(msgspec.json.encode(update), type=SessionUpdate) == update
    frame = messages.frame(3, 17, NOON)
    decoded = msgspec.json.decode(frame, type=Update, strict=True)
    assert decoded.sessions == [update]
    assert messages.told(frame) == (NOON, [17])


def test_a_joined_frame_tells_all_its_updates_and_a_heartbeat_none() -> None:
    joined = messages.frame(1, 5, NOON) + b"\n" + messages.frame(2, 6, NOON + 1)
    assert messages.told(joined) == (NOON, [5, 6])
    assert messages.told(b'{"type":"heartbeat","sequence":2,"server_time":1772366400000}') is None


def test_what_was_due_during_the_warm_up_does_not_count() -> None:
    ear = Ear()
    ear.hear(messages.frame(1, 1_000_000, NOON), 9_000_000, NOON + 4)
    ear.after = 2_000_000
    ear.hear(messages.frame(2, 1_999_999, NOON), 9_000_000, NOON + 4)
    ear.hear(messages.frame(3, 2_000_000, NOON), 9_000_000, NOON + 4)
    heard = ear.heard()
    assert (heard.updates, heard.frames) == (1, 1)
    assert heard.told_ms == [7.0] * 4
    assert heard.fanout_ms == [4.0] * 4


def a_round(number: int, p99: float, **fields: object) -> Round:
    plain = {
        "server": "clickwake",
        "clients": 5_000,
        "rate": 4.0,
        "frame_bytes": 3_955,
        "told_ms": [50.0, 150.0, 160.0, 170.0],
        "fanout_ms": [40.0, p99, 150.0, 160.0],
        "cpu": 0.5,
        "kb_per_client": 25.0,
        "delivered": 1.0,
    }
    return msgspec.convert(plain | {"number": number} | fields, Round)


def test_a_row_has_medians_the_spread_and_the_worst_delivery() -> None:
    rounds = [
        a_round(1, 100.0),
        a_round(2, 120.0, delivered=0.99),
        a_round(3, 140.0, client_cpu=0.95),
    ]
    (row,) = rows(rounds)
    assert row == [
        *("Clickwake", "5,000", "4", "50 ms", "150 ms", "40 ms", "120 ms", "33%", "50%", "25 kB"),
        *("99.00%", "0%"),
    ]
    (bar,) = bars(rounds)
    assert (bar.label, bar.value) == ("Clickwake, 5,000 × 4/s", 120)
    assert (bar.text, bar.is_ours) == ("120 ms, 50% of a core", True)


def test_a_round_that_failed_is_a_note_and_no_row() -> None:
    failed = Round(server="broadcast", number=1, clients=5, rate=1.0, failure="does not serve")
    assert rows([failed]) == []
    assert notes([failed], {"centrifugo": "no Go"}) == [
        "not run: Centrifugo v6.9.1: no Go",
        "FastAPI broadcast, 5 clients, round 1: does not serve",
    ]


def test_clients_that_need_a_whole_core_are_marked() -> None:
    (row,) = rows([a_round(1, 100.0, client_cpu=0.93)])
    assert row[-1] == "93% (busy)"
    assert any("whole core" in note for note in notes([a_round(1, 1.0, client_cpu=0.93)], {}))


def test_what_is_started_stays_on_its_core() -> None:
    server, others = cores()
    before = os.sched_getaffinity(0)
    with pinned(server):
        assert os.sched_getaffinity(0) == server
    assert os.sched_getaffinity(0) == before
    assert len(server) == 1
    assert others == before - server or others == server


def test_more_connections_than_the_system_allows_are_refused() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        pytest.skip("this system allows any number")
    with pytest.raises(SystemExit, match=f"allows {most}"):
        allow_files(most)


def test_an_unknown_server_is_named() -> None:
    assert chosen("") == ["clickwake", "broadcast", "centrifugo"]
    with pytest.raises(SystemExit, match="'nginx'"):
        chosen("clickwake, nginx")
