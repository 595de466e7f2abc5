"""Create the contract's topics in a Kafka cluster."""

import contextlib
from collections.abc import Mapping
from typing import Any

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError, TopicAlreadyExistsError

from contracts.kafka import KafkaSettings
from contracts.topics import TOPICS, Topic
from infra.errors import InfraError


def ensure_topics(kafka: KafkaSettings, partitions: Mapping[str, int] | None = None) -> list[str]:
    """Create the topics that are missing; the names of those created.

    ``partitions`` overrides the contract's counts by role. Topics that exist keep their
    settings. Raises InfraError when Kafka cannot be reached, refuses, or holds a topic with
    fewer partitions than asked for (more are fine).
    """
    counts = {one.role: one.partitions for one in TOPICS} | dict(partitions or {})
    try:
        admin = KafkaAdminClient(**kafka.client_options(), bootstrap_timeout_ms=10_000)
    except (KafkaError, OSError) as error:
        raise InfraError(
            f"Kafka at {kafka.bootstrap_servers} cannot be reached ({error}): "
            "check CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS and that the broker runs."
        ) from None
    try:
        return _ensure(admin, kafka.topic_prefix, counts)
    except KafkaError as error:
        raise InfraError(f"Kafka refused to create Clickwake's topics: {error}") from None
    finally:
        admin.close()


def _ensure(admin: KafkaAdminClient, prefix: str, counts: Mapping[str, int]) -> list[str]:
    existing = set(admin.list_topics())
    missing = [one for one in TOPICS if one.name(prefix) not in existing]
    if missing:
        _create(admin, {one.name(prefix): _request(one, counts[one.role]) for one in missing})
    _require_partitions(admin, prefix, counts)
    return [one.name(prefix) for one in missing]


def _create(admin: KafkaAdminClient, requests: dict[str, dict[str, Any]]) -> None:
    # Another process may create one between our look and our request; all the same to us.
    with contextlib.suppress(TopicAlreadyExistsError):
        admin.create_topics(requests)
    admin.wait_for_topics(list(requests), timeout_ms=30_000)


def _request(topic: Topic, partitions: int) -> dict[str, Any]:
    return {"num_partitions": partitions, "configs": topic.config()}


def _require_partitions(admin: KafkaAdminClient, prefix: str, counts: Mapping[str, int]) -> None:
    wanted = {one.name(prefix): counts[one.role] for one in TOPICS}
    for described in admin.describe_topics(list(wanted)):
        name, found = described["name"], len(described["partitions"])
        if found < wanted[name]:
            raise InfraError(
                f"Topic {name} has {found} partition(s) but {wanted[name]} are needed: "
                "add partitions to it, or choose another CLICKWAKE_KAFKA_TOPIC_PREFIX."
            )
