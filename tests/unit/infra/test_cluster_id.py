"""The embedded broker's identity."""

import re
import uuid

import pytest

from infra import kafka_broker
from infra.kafka_broker import new_cluster_id


def test_an_id_has_kafkas_own_form() -> None:
    assert re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_-]{21}", new_cluster_id())


def test_no_id_looks_like_an_option(monkeypatch: pytest.MonkeyPatch) -> None:
    """One in 64 begins with a dash, and Kafka's format command then knew no id at all."""
    drawn = iter([uuid.UUID(bytes=b"\xf8" + bytes(15)), uuid.UUID(bytes=bytes(16))])
    monkeypatch.setattr(kafka_broker.uuid, "uuid4", lambda: next(drawn))
    assert new_cluster_id() == "A" * 22
