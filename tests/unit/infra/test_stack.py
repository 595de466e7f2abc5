import stat
from pathlib import Path

import pytest

from contracts.kafka import KafkaSettings
from contracts.settings import milliseconds
from frontend.demo_site.__main__ import LINGER_SECONDS
from infra.children import ChildSpec
from infra.java import Java
from infra.kafka_config import BrokerLayout, broker_command, properties, properties_text
from infra.paths import Places, places
from infra.preparation import Prepared
from infra.stack import Kind, Stack, child_specs, site_secret
from infra.traffic.settings import traffic_settings

JAVA = Java(home=Path("/opt/java"), version=17)


def a_stack(folder: Path, kind: Kind = "demo", **changes: object) -> Stack:
    broker = BrokerLayout(
        folder=folder / "kafka", jars=folder / "jars", java=JAVA, port=19092, controller_port=19093
    )
    fields = {
        "kind": kind,
        "places": Places(data=folder / "data", cache=folder / "cache"),
        "prepared": Prepared(
            java=JAVA,
            jars=folder / "jars",
            geo=(Path("/geo/4.mmdb"), Path("/geo/6.mmdb")),
            dashboard=Path("/dashboard/dist"),
        ),
        "kafka": KafkaSettings(bootstrap_servers="127.0.0.1:19092"),
        "broker": broker,
        "environ": {"PATH": "/bin"},
    }
    return Stack(**{**fields, **changes})


def specs_of(stack: Stack) -> dict[str, ChildSpec]:
    command = ["java"] if stack.broker else None
    return {spec.name: spec for spec in child_specs(stack, command)}


def test_a_demo_starts_kafka_first_and_traffic_last(tmp_path: Path) -> None:
    specs = specs_of(a_stack(tmp_path))
    assert list(specs) == ["kafka", "api", "job", "site", "traffic"]
    assert [specs[name].needs for name in specs] == [
        (),
        ("kafka",),
        ("kafka",),
        ("kafka",),
        ("site",),
    ]


def test_up_has_no_site_and_job_is_alone(tmp_path: Path) -> None:
    assert list(specs_of(a_stack(tmp_path, "up"))) == ["kafka", "api", "job"]
    assert list(specs_of(a_stack(tmp_path, "job", broker=None))) == ["job"]


def test_traffic_can_wait_until_somebody_wants_it(tmp_path: Path) -> None:
    environment = specs_of(a_stack(tmp_path, traffic=False))["traffic"].environment
    assert traffic_settings(environment).visitors_per_minute == 0
    assert traffic_settings(environment).crawlers == 0


def test_only_a_demos_api_may_steer_the_traffic(tmp_path: Path) -> None:
    assert "CLICKWAKE_API_STEERING_DIR" in specs_of(a_stack(tmp_path))["api"].environment
    assert "CLICKWAKE_API_STEERING_DIR" not in specs_of(a_stack(tmp_path, "up"))["api"].environment


def test_nobody_waits_for_a_kafka_that_is_not_ours(tmp_path: Path) -> None:
    specs = specs_of(a_stack(tmp_path, broker=None))
    assert "kafka" not in specs
    assert specs["job"].needs == ()


@pytest.mark.parametrize(
    ("host", "reached"),
    [
        (None, "127.0.0.1"),
        ("0.0.0.0", "127.0.0.1"),
        ("::", "127.0.0.1"),
        ("192.168.1.5", "192.168.1.5"),
        ("::1", "[::1]"),
    ],
)
def test_the_api_listens_where_the_operator_says_and_is_reached_there(
    tmp_path: Path, host: str | None, reached: str
) -> None:
    environ = {} if host is None else {"CLICKWAKE_API_HOST": host}
    stack = a_stack(tmp_path, environ=environ)
    assert stack.api_url == f"http://{reached}:8020"
    assert specs_of(stack)["api"].environment["CLICKWAKE_API_HOST"] == (host or "127.0.0.1")


def test_the_patience_at_stopping_stays_within_fifteen_seconds_for_ordinary_ends(
    tmp_path: Path,
) -> None:
    from infra.supervisor import STOP_SECONDS

    assert STOP_SECONDS < 15
    assert all(spec.grace_s <= 5 for spec in specs_of(a_stack(tmp_path)).values())


def test_the_site_has_flushed_before_the_supervisor_loses_its_patience(tmp_path: Path) -> None:
    site = specs_of(a_stack(tmp_path))["site"]
    flush_s = milliseconds(site.environment["CLICKWAKE_SITE_FLUSH_DEADLINE"]) / 1000
    assert flush_s + LINGER_SECONDS < site.grace_s


def test_the_operators_settings_win_over_defaults(tmp_path: Path) -> None:
    stack = a_stack(
        tmp_path,
        environ={"CLICKWAKE_JOB_GAP": "10m", "CLICKWAKE_API_DATABASE_URL": "postgresql://db/x"},
    )
    specs = specs_of(stack)
    assert specs["job"].environment["CLICKWAKE_JOB_GAP"] == "10m"
    assert specs["api"].environment["CLICKWAKE_API_DATABASE_URL"] == "postgresql://db/x"


def test_a_secret_in_a_file_is_no_second_one(tmp_path: Path) -> None:
    site = specs_of(a_stack(tmp_path, environ={"CLICKWAKE_SITE_SECRET_FILE": "/key"}))["site"]
    assert site.environment["CLICKWAKE_SITE_SECRET_FILE"] == "/key"
    assert "CLICKWAKE_SITE_SECRET" not in site.environment


def test_where_processes_meet_is_the_stacks_to_say(tmp_path: Path) -> None:
    stack = a_stack(tmp_path, port_api=9020, environ={"CLICKWAKE_API_PORT": "1234"})
    specs = specs_of(stack)
    assert specs["api"].environment["CLICKWAKE_API_PORT"] == "9020"
    assert specs["site"].environment["CLICKWAKE_DEMO_DASHBOARD_URL"] == "http://127.0.0.1:9020/"


def test_another_kafkas_log_in_does_not_reach_the_embedded_one(tmp_path: Path) -> None:
    stack = a_stack(tmp_path, environ={"CLICKWAKE_KAFKA_SECURITY_PROTOCOL": "SASL_SSL"})
    environment = specs_of(stack)["job"].environment
    assert "CLICKWAKE_KAFKA_SECURITY_PROTOCOL" not in environment
    assert environment["CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS"] == "127.0.0.1:19092"


def test_the_job_gets_jars_geo_java_and_its_checkpoint(tmp_path: Path) -> None:
    environment = specs_of(a_stack(tmp_path))["job"].environment
    assert environment["CLICKWAKE_JOB_JARS"] == str(tmp_path / "jars")
    assert environment["CLICKWAKE_JOB_GEO"] == "/geo/4.mmdb,/geo/6.mmdb"
    assert environment["CLICKWAKE_JOB_CHECKPOINT"] == str(tmp_path / "data" / "checkpoint")
    assert environment["JAVA_HOME"] == "/opt/java"


def test_the_sites_salts_lie_beside_its_secret(tmp_path: Path) -> None:
    environment = specs_of(a_stack(tmp_path))["site"].environment
    assert environment["CLICKWAKE_SITE_SALT_DIRECTORY"] == str(tmp_path / "data" / "site-salts")


def test_the_sites_secret_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    file = tmp_path / "data" / "site-secret"
    first = site_secret(file)
    assert len(first) == 64
    assert site_secret(file) == first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_kafka_listens_on_loopback_only_and_takes_large_records(tmp_path: Path) -> None:
    broker = a_stack(tmp_path).broker
    assert broker is not None
    known = properties(broker)
    assert known["listeners"] == "PLAINTEXT://127.0.0.1:19092,CONTROLLER://127.0.0.1:19093"
    assert known["message.max.bytes"] == str(8 * 1024 * 1024)
    assert "node.id=1\n" in properties_text(known)
    assert broker_command(broker)[0] == "/opt/java/bin/java"


def test_the_data_folder_is_the_options_or_else_the_environments(tmp_path: Path) -> None:
    environment = {"CLICKWAKE_INFRA_DATA": str(tmp_path)}
    assert places(None, environment).data == tmp_path
    assert places(Path("elsewhere"), environment).data == Path("elsewhere").absolute()


def test_the_cache_can_be_shared_between_checkouts(tmp_path: Path) -> None:
    here = places(Path("elsewhere"), {"CLICKWAKE_INFRA_CACHE": str(tmp_path)})
    assert here.cache == tmp_path
    assert here.data == Path("elsewhere").absolute()


@pytest.mark.parametrize("kind", ["demo", "up"])
def test_the_addresses_that_people_open_are_told(tmp_path: Path, kind: Kind) -> None:
    addresses = a_stack(tmp_path, kind).addresses()
    assert ("Demo site" in addresses) == (kind == "demo")
    assert addresses["API documentation"] == "http://127.0.0.1:8020/docs"
