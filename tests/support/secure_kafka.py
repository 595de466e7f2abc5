"""A broker that also listens with TLS and log-in, beside the plain port that tests look through."""

import subprocess
from pathlib import Path

from contracts.kafka import KafkaSettings
from contracts.settings import Secret
from infra.jars import KAFKA, ensure_jars
from infra.java import find_java
from infra.kafka_broker import EmbeddedBroker
from infra.kafka_config import HOST, BrokerLayout
from infra.ports import free_ports
from tests.support.kafka import CACHE

USER, PASSWORD = "clickwake", Secret("canary-of-kafka")
SCRAM = ("SCRAM-SHA-256", "SCRAM-SHA-512")
STORE_PASSWORD = "of-the-store"
MODULES = "org.apache.kafka.common.security"


class SecureBroker:
    """An embedded broker with a TLS port, not started. ``authority`` signed its certificate."""

    def __init__(self, folder: Path) -> None:
        port, controller, self.tls_port, self.sasl_port = free_ports(4)
        folder.mkdir(parents=True, exist_ok=True)
        self.authority = folder / "authority.pem"
        store = _make_certificate(folder / "broker.p12", self.authority)
        java = find_java()
        listeners = {
            "PLAINTEXT": port,
            "CONTROLLER": controller,
            "SSL": self.tls_port,
            "SASL_SSL": self.sasl_port,
        }
        users = [f"{name}=[name={USER},password={PASSWORD}]" for name in SCRAM]
        self.broker = EmbeddedBroker(
            BrokerLayout(
                folder=folder / "broker",
                jars=ensure_jars(CACHE, java, sets=[KAFKA]),
                java=java,
                port=port,
                controller_port=controller,
                overrides=_listening(listeners) | _tls(store) | _log_in(),
                format_options=tuple(part for user in users for part in ("--add-scram", user)),
            )
        )

    def with_tls(self, topic_prefix: str) -> KafkaSettings:
        """Encrypted, without a log-in."""
        return KafkaSettings(
            bootstrap_servers=f"{HOST}:{self.tls_port}",
            topic_prefix=topic_prefix,
            security_protocol="SSL",
            ssl_cafile=str(self.authority),
        )

    def logged_in(
        self, topic_prefix: str, mechanism: str, password: Secret = PASSWORD
    ) -> KafkaSettings:
        """Encrypted, as the one user there is."""
        return KafkaSettings(
            bootstrap_servers=f"{HOST}:{self.sasl_port}",
            topic_prefix=topic_prefix,
            security_protocol="SASL_SSL",
            sasl_mechanism=mechanism,
            sasl_username=USER,
            sasl_password=password,
            ssl_cafile=str(self.authority),
        )


def _make_certificate(store: Path, authority: Path) -> Path:
    keytool = str(find_java().home / "bin" / "keytool")
    common = ["-keystore", str(store), "-storepass", STORE_PASSWORD, "-alias", "broker"]
    make = ["-genkeypair", "-keyalg", "EC", "-dname", "CN=broker", "-validity", "30"]
    subprocess.run(
        [keytool, *make, *common, "-storetype", "PKCS12", "-ext", f"san=ip:{HOST},dns:localhost"],
        check=True,
        capture_output=True,
    )
    subprocess.run(
        [keytool, "-exportcert", "-rfc", *common, "-file", str(authority)],
        check=True,
        capture_output=True,
    )
    return store


def _listening(ports: dict[str, int]) -> dict[str, str]:
    names = {name: f"{name}://{HOST}:{port}" for name, port in ports.items()}
    protocols = [f"{name}:{'PLAINTEXT' if name == 'CONTROLLER' else name}" for name in ports]
    return {
        "listeners": ",".join(names.values()),
        "advertised.listeners": ",".join(names[name] for name in ports if name != "CONTROLLER"),
        "listener.security.protocol.map": ",".join(protocols),
    }


def _tls(store: Path) -> dict[str, str]:
    return {
        "ssl.keystore.location": str(store),
        "ssl.keystore.type": "PKCS12",
        "ssl.keystore.password": STORE_PASSWORD,
        "ssl.key.password": STORE_PASSWORD,
    }


def _log_in() -> dict[str, str]:
    listener = "listener.name.sasl_ssl"
    scram = f"{MODULES}.scram.ScramLoginModule required;"
    plain = f'{MODULES}.plain.PlainLoginModule required user_{USER}="{PASSWORD}";'
    return {
        "sasl.enabled.mechanisms": ",".join(("PLAIN", *SCRAM)),
        f"{listener}.plain.sasl.jaas.config": plain,
        **{f"{listener}.{name.lower()}.sasl.jaas.config": scram for name in SCRAM},
    }
