"""How every part reaches Kafka: one struct, as kafka-python's and as Spark's options."""

from typing import Any

import msgspec

from contracts.checksums import use_native_checksums
from contracts.settings import Secret


class KafkaSettings(msgspec.Struct, frozen=True, kw_only=True):
    """Where Kafka is and how to log in, from ``CLICKWAKE_KAFKA_*``.

    ``bootstrap_servers``: ``host:port`` of one or more brokers, comma-separated.
    ``topic_prefix``: stands before every topic's role, as in ``clickwake.requests``.
    ``security_protocol``: PLAINTEXT, SSL, SASL_PLAINTEXT or SASL_SSL.
    ``sasl_mechanism``: PLAIN, SCRAM-SHA-256 or SCRAM-SHA-512; none for no log-in.
    ``sasl_username``: who logs in.
    ``sasl_password``: with what.
    ``ssl_cafile``: a PEM file of the authorities that are trusted, instead of the system's.
    """

    bootstrap_servers: str = "127.0.0.1:9092"
    topic_prefix: str = "clickwake"
    security_protocol: str = "PLAINTEXT"
    sasl_mechanism: str | None = None
    sasl_username: str | None = None
    sasl_password: Secret | None = None
    ssl_cafile: str | None = None

    def topic(self, role: str) -> str:
        """The full name of the topic with that role."""
        return f"{self.topic_prefix}.{role}"

    def client_options(self) -> dict[str, Any]:
        """Keyword arguments for kafka-python's clients."""
        use_native_checksums()
        options: dict[str, Any] = {
            "bootstrap_servers": self.bootstrap_servers.split(","),
            "security_protocol": self.security_protocol,
        }
        if self.ssl_cafile:
            options["ssl_cafile"] = self.ssl_cafile
        if self.sasl_mechanism:
            options["sasl_mechanism"] = self.sasl_mechanism
            options["sasl_plain_username"] = self.sasl_username
            options["sasl_plain_password"] = (
                None if not self.sasl_password else str(self.sasl_password)
            )
        return options

    def spark_options(self) -> dict[str, str]:
        """Options for Spark's Kafka source and sink (the Java client's names)."""
        options = {
            "kafka.bootstrap.servers": self.bootstrap_servers,
            "kafka.security.protocol": self.security_protocol,
        }
        if self.ssl_cafile:
            options["kafka.ssl.truststore.type"] = "PEM"
            options["kafka.ssl.truststore.location"] = self.ssl_cafile
        if self.sasl_mechanism:
            module = (
                "org.apache.kafka.common.security.plain.PlainLoginModule"
                if self.sasl_mechanism == "PLAIN"
                else "org.apache.kafka.common.security.scram.ScramLoginModule"
            )
            options["kafka.sasl.mechanism"] = self.sasl_mechanism
            options["kafka.sasl.jaas.config"] = (
                f"{module} required username={_quoted(self.sasl_username)} "
                f"password={_quoted(self.sasl_password)};"
            )
        return options


def _quoted(text: str | None) -> str:
    escaped = str(text or "").replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
