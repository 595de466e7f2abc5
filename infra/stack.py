"""The product's processes as values: their commands, environments, readiness and order."""

import secrets
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import msgspec

from contracts.backfills import LOG, BackfillOrder
from contracts.kafka import KafkaSettings
from infra.children import ChildSpec
from infra.job_readiness import is_job_working
from infra.kafka_broker import is_serving
from infra.kafka_config import BrokerLayout
from infra.paths import Places
from infra.ports import API_PORT, KAFKA_PORT, SITE_PORT, require_free
from infra.preparation import Prepared
from infra.readiness import answers, is_component_ok
from infra.topics import ensure_topics

HOST = "127.0.0.1"
API_HOST = "CLICKWAKE_API_HOST"
DATABASE_URL = "CLICKWAKE_API_DATABASE_URL"
Kind = Literal["demo", "up", "job"]


NOBODY_YET = {"CLICKWAKE_TRAFFIC_VISITORS_PER_MINUTE": "0", "CLICKWAKE_TRAFFIC_CRAWLERS": "0"}
"""The sample traffic waits until the studio or the dashboard asks for some."""


class Stack(msgspec.Struct, frozen=True, kw_only=True):
    """What to run and where.

    ``broker`` is None when the Kafka of ``kafka`` is someone else's. ``environ`` is the
    operator's environment: its ``CLICKWAKE_*`` settings reach the processes.
    """

    kind: Kind
    places: Places
    prepared: Prepared
    kafka: KafkaSettings
    broker: BrokerLayout | None
    environ: Mapping[str, str]
    port_site: int = 8010
    port_api: int = 8020
    traffic: bool = True

    @property
    def site_url(self) -> str:
        """The demo site."""
        return f"http://{HOST}:{self.port_site}"

    @property
    def api_url(self) -> str:
        """The API, which also serves the dashboard."""
        return f"http://{reachable(self.environ.get(API_HOST, HOST))}:{self.port_api}"

    def addresses(self) -> dict[str, str]:
        """What people open, by title."""
        if self.kind == "job":
            return {}
        site = {"Demo site": f"{self.site_url}/"} if self.kind == "demo" else {}
        return site | {
            "Dashboard": f"{self.api_url}/",
            "API documentation": f"{self.api_url}/docs",
            "Kafka": self.kafka.bootstrap_servers,
        }


def reachable(host: str) -> str:
    """Where this machine itself reaches who listens on ``host``: on any address, by loopback."""
    if host in {"", "0.0.0.0", "::"}:  # noqa: S104 (recognised, not bound)
        return HOST
    return f"[{host}]" if ":" in host else host


def child_specs(stack: Stack, broker_command: list[str] | None) -> list[ChildSpec]:
    """The processes in the order of their start."""
    specs: list[ChildSpec] = []
    if stack.broker is not None and broker_command is not None:
        specs.append(_kafka(stack, broker_command))
    if stack.kind != "job":
        specs.append(_api(stack))
    specs.append(_job(stack))
    if stack.kind == "demo":
        specs.append(_site(stack))
        specs.append(_traffic(stack))
    return specs


def _kafka(stack: Stack, command: list[str]) -> ChildSpec:
    return ChildSpec(
        name="kafka",
        title="Kafka",
        command=tuple(command),
        log=stack.places.log("kafka"),
        environment=stack.environ,
        before_start=lambda: require_free(port_of(stack.kafka), KAFKA_PORT),
        is_ready=lambda started: is_serving(stack.kafka),
        when_ready=lambda: _make_topics(stack.kafka),
        grace_s=4.0,
        address=stack.kafka.bootstrap_servers,
    )


def port_of(kafka: KafkaSettings) -> int:
    """The port of a cluster with one bootstrap address."""
    return int(kafka.bootstrap_servers.rpartition(":")[2])


def _make_topics(kafka: KafkaSettings) -> None:
    ensure_topics(kafka)


def history_of(places: Places) -> str:
    """The address of the stack's own history."""
    return f"sqlite:///{places.data / 'history.db'}"


def _api(stack: Stack) -> ChildSpec:
    ours = {"CLICKWAKE_API_PORT": str(stack.port_api)}
    defaults = {
        API_HOST: HOST,
        DATABASE_URL: history_of(stack.places),
        "CLICKWAKE_API_DASHBOARD_DIR": str(stack.prepared.dashboard or ""),
        "CLICKWAKE_API_ALLOWED_ORIGINS": stack.site_url,
        "CLICKWAKE_API_BACKFILL_DIR": str(stack.places.backfills),
    }
    if stack.kind == "demo":
        defaults["CLICKWAKE_API_STEERING_DIR"] = str(stack.places.steering)
    return ChildSpec(
        name="api",
        title="API and dashboard",
        command=(sys.executable, "-m", "api"),
        log=stack.places.log("api"),
        environment=_environment(stack, defaults, ours),
        needs=_after_kafka(stack),
        before_start=lambda: require_free(stack.port_api, API_PORT),
        is_ready=lambda started: answers(f"{stack.api_url}/readyz"),
        grace_s=3.0,
        address=f"{stack.api_url}/",
    )


def _job(stack: Stack) -> ChildSpec:
    return ChildSpec(
        name="job",
        title="Session job",
        command=(sys.executable, "-m", "spark_jobs.stream"),
        log=stack.places.log("job"),
        environment=job_environment(stack),
        needs=_after_kafka(stack),
        is_ready=lambda started: _is_job_ready(stack, started),
        grace_s=5.0,
    )


def job_environment(stack: Stack) -> dict[str, str]:
    """What the session job of the stack is started with."""
    return _environment(stack, job_defaults(stack), _spark(stack))


def _is_job_ready(stack: Stack, started: int) -> bool:
    """It has finished a batch, and where there is an API, that has heard of it."""
    if not is_job_working(stack.kafka, started):
        return False
    return stack.kind == "job" or is_component_ok(f"{stack.api_url}/readyz", "job")


def job_defaults(stack: Stack) -> dict[str, str]:
    """The session job's settings, as far as the operator does not say otherwise."""
    return {
        "CLICKWAKE_JOB_CHECKPOINT": checkpoint_of(stack.places, {}),
        **batch_defaults(stack.prepared),
    }


def checkpoint_of(places: Places, environ: Mapping[str, str]) -> str:
    """The session job's checkpoint: the operator's choice, or the stack's own."""
    return environ.get("CLICKWAKE_JOB_CHECKPOINT") or str(places.data / "checkpoint")


def batch_defaults(prepared: Prepared) -> dict[str, str]:
    """What every Spark program needs: jars, geo databases, Java, this Python."""
    return {
        "CLICKWAKE_JOB_JARS": str(prepared.jars),
        "CLICKWAKE_JOB_GEO": ",".join(str(file) for file in prepared.geo),
    }


def spark_environment(prepared: Prepared) -> dict[str, str]:
    """What Spark itself reads."""
    return {
        "JAVA_HOME": str(prepared.java.home),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": HOST,
    }


def _spark(stack: Stack) -> dict[str, str]:
    return spark_environment(stack.prepared) | {
        "SPARK_LOCAL_DIRS": str(stack.places.run / "spark"),
    }


def backfill_spec(stack: Stack, order: BackfillOrder) -> ChildSpec:
    """The command of a backfill that was ordered on the dashboard."""
    api = f"--api={stack.api_url}"
    return ChildSpec(
        name="backfill",
        title="Backfill",
        command=(sys.executable, "-m", "spark_jobs.backfill", api, *order.arguments()),
        log=stack.places.backfills / f"{order.id}{LOG}",
        environment=_environment(stack, job_defaults(stack), _spark(stack)),
    )


def _site(stack: Stack) -> ChildSpec:
    ours = {
        "CLICKWAKE_DEMO_HOST": HOST,
        "CLICKWAKE_DEMO_PORT": str(stack.port_site),
        "CLICKWAKE_DEMO_DASHBOARD_URL": f"{stack.api_url}/",
        "CLICKWAKE_DEMO_API_URL": stack.api_url,
        "CLICKWAKE_DEMO_STEERING": str(stack.places.steering),
    }
    defaults = {
        "CLICKWAKE_DEMO_DATABASE": str(stack.places.data / "shop.db"),
        "CLICKWAKE_SITE_SITE_ID": "demo",
        "CLICKWAKE_SITE_SECRET": site_secret(stack.places.data / "site-secret"),
        # Beside the topic of the same, so that a restart has the day's ids from its first event.
        "CLICKWAKE_SITE_SALT_DIRECTORY": str(stack.places.data / "site-salts"),
        "CLICKWAKE_SITE_TRUSTED_PROXIES": "127.0.0.0/8",
        # Within the grace below, so that even with Kafka away nobody is killed while flushing.
        "CLICKWAKE_SITE_FLUSH_DEADLINE": "2s",
    }
    return ChildSpec(
        name="site",
        title="Demo site",
        command=(sys.executable, "-m", "frontend.demo_site"),
        log=stack.places.log("site"),
        environment=_environment(stack, defaults, ours),
        needs=_after_kafka(stack),
        before_start=lambda: require_free(stack.port_site, SITE_PORT),
        is_ready=lambda started: answers(f"{stack.site_url}/healthz"),
        grace_s=4.0,
        address=f"{stack.site_url}/",
    )


def _traffic(stack: Stack) -> ChildSpec:
    return ChildSpec(
        name="traffic",
        title="Sample traffic",
        command=(sys.executable, "-m", "infra.traffic"),
        log=stack.places.log("traffic"),
        environment=_environment(
            stack,
            {"CLICKWAKE_TRAFFIC_GEO": ",".join(str(file) for file in stack.prepared.geo)}
            | ({} if stack.traffic else NOBODY_YET),
            {
                **traffic_place(stack.site_url, stack.api_url),
                "CLICKWAKE_TRAFFIC_STEERING": str(stack.places.steering),
            },
        ),
        needs=("site",),
        grace_s=2.0,
    )


def traffic_place(site: str, api: str) -> dict[str, str]:
    """Where the sample traffic goes."""
    return {"CLICKWAKE_TRAFFIC_TARGET": site, "CLICKWAKE_TRAFFIC_API": api}


def _after_kafka(stack: Stack) -> tuple[str, ...]:
    return ("kafka",) if stack.broker is not None else ()


def _environment(
    stack: Stack, defaults: Mapping[str, str], ours: Mapping[str, str]
) -> dict[str, str]:
    """The operator's settings win over ``defaults``; what the stack relies on wins over them."""
    known = dict(stack.environ)
    if stack.broker is not None:
        # The embedded Kafka knows no log-in, whatever the environment says of another one.
        known = {k: v for k, v in known.items() if not k.startswith("CLICKWAKE_KAFKA_")}
    # A secret that stands in a file is given, too.
    missing = {k: v for k, v in defaults.items() if f"{k}_FILE" not in known}
    return {
        **missing,
        **known,
        "CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS": stack.kafka.bootstrap_servers,
        "CLICKWAKE_KAFKA_TOPIC_PREFIX": stack.kafka.topic_prefix,
        "PYTHONPATH": str(stack.places.project),
        "PYTHONUNBUFFERED": "1",
        **ours,
    }


def site_secret(file: Path) -> str:
    """The key of the demo site's visitor ids: random, made once, readable by its owner only."""
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch(mode=0o600)
        file.write_text(secrets.token_hex(32))
    return file.read_text().strip()
