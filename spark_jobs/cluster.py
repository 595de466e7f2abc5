"""Which Kafka cluster it is."""

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError

from contracts.kafka import KafkaSettings


def cluster_of(kafka: KafkaSettings) -> str:
    """The cluster's id; "" when this login may not ask."""
    try:
        admin = KafkaAdminClient(**kafka.client_options(), bootstrap_timeout_ms=10_000)
    except KafkaError:
        return ""
    try:
        return str(admin.describe_cluster()["cluster_id"] or "")
    except KafkaError:
        return ""
    finally:
        admin.close()
