"""Kafka from where the command stands: reachable, its topics as wanted, the job's last word."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import msgspec
from kafka import KafkaConsumer, TopicPartition
from kafka.admin import ConfigResource, ConfigResourceType, KafkaAdminClient
from kafka.errors import KafkaError

from contracts import JobStatus
from contracts.findings import Finding, ok, problem, warning
from contracts.instants import format_instant
from contracts.kafka import KafkaSettings
from contracts.topics import TOPICS

SILENT_MS = 30_000
FAR_RECORDS = 50_000
SKEW_MS = 2_000
NEWEST = 20
_CHECKED = ("message.timestamp.type", "cleanup.policy", "max.message.bytes")


class Told(msgspec.Struct, frozen=True):
    """What a job said of itself, and when Kafka took it, in ms since 1970 by Kafka's clock."""

    status: JobStatus
    broker_time: int


def kafka(settings: KafkaSettings, *, is_ours: bool) -> tuple[list[Finding], Told | None]:
    """What there is to say of it, and the job's newest word. ``is_ours``: the embedded one."""
    try:
        with closing(KafkaAdminClient(**_options(settings))) as admin:
            found = list(topics(settings.topic_prefix, *_described(admin, settings)))
        reached = ok("Kafka", f"{settings.bootstrap_servers} answers.")
        return [reached, *found], _newest_word(settings)
    except (KafkaError, OSError) as error:
        return [unreachable(settings, error, is_ours=is_ours)], None


def _options(settings: KafkaSettings) -> dict[str, Any]:
    return {
        **settings.client_options(),
        "bootstrap_timeout_ms": 3_000,
        "request_timeout_ms": 10_000,
    }


def unreachable(settings: KafkaSettings, error: Exception, *, is_ours: bool) -> Finding:
    """Why not, and what to do about it."""
    what = f"Kafka at {settings.bootstrap_servers} does not answer: {_reason(error)}."
    todo = "Start the brokers, or correct CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS and the log-in."
    if is_ours:
        todo = "`./clickwake logs kafka` says why; `./clickwake stop` and start the stack again."
    return problem("Kafka", what, todo)


def _reason(error: Exception) -> str:
    """Kafka's errors begin with their class; others get it, as their text alone may be empty."""
    name, text = type(error).__name__, str(error).partition("\n")[0].rstrip(".")
    return text if text.startswith(name) else f"{name} {text}".strip()


def _described(
    admin: Any, settings: KafkaSettings
) -> tuple[dict[str, int], dict[str, dict[str, str]]]:
    """Partitions and the checked settings by the topic's name, of those that exist."""
    wanted = [one.name(settings.topic_prefix) for one in TOPICS]
    names = sorted(set(wanted) & set(admin.list_topics()))
    if not names:
        return {}, {}
    counts = {one["name"]: len(one["partitions"]) for one in admin.describe_topics(names)}
    asked = [ConfigResource(ConfigResourceType.TOPIC, name) for name in names]
    configs = admin.describe_configs(asked, config_filter="all").get("topic", {})
    return counts, {name: _values(configs.get(name, {})) for name in names}


def _values(config: Mapping[str, Any]) -> dict[str, str]:
    return {key: str(config[key]["value"]) for key in _CHECKED if key in config}


def topics(
    prefix: str, counts: Mapping[str, int], configs: Mapping[str, Mapping[str, str]]
) -> Iterator[Finding]:
    """Whether each topic is there with the partitions and settings that the contract wants."""
    missing = [one.name(prefix) for one in TOPICS if one.name(prefix) not in counts]
    if missing:
        todo = "`./clickwake up` or `./clickwake job` creates them; or set another topic prefix."
        yield problem("topics", f"There are no topics {', '.join(missing)}.", todo)
    for one in TOPICS:
        name = one.name(prefix)
        if name in counts:
            yield from _topic(name, one.partitions, counts[name], one.config(), configs[name])
    if not missing:
        yield ok("topics", f"All {len(TOPICS)} are there under {prefix}.*.")


def _topic(
    name: str, wanted: int, found: int, config: Mapping[str, str], real: Mapping[str, str]
) -> Iterator[Finding]:
    if found < wanted:
        what = f"{name} has {found} partition(s), but {wanted} are needed."
        yield problem("topics", what, f"kafka-topics --alter --topic {name} --partitions {wanted}")
    for key in _CHECKED:
        if key in real and _is_worse(key, real[key], config[key]):
            what = f"{name} has {key}={real[key]}, but must have {config[key]}."
            todo = f"kafka-configs --alter --topic {name} --add-config {key}={config[key]}"
            yield problem("topics", what, todo)


def _is_worse(key: str, real: str, wanted: str) -> bool:
    if key == "max.message.bytes":
        return int(real) < int(wanted)
    return set(real.split(",")) != set(wanted.split(","))


def _newest_word(settings: KafkaSettings) -> Told | None:
    options = {**settings.client_options(), "bootstrap_timeout_ms": 3_000}
    with closing(KafkaConsumer(**options, enable_auto_commit=False, group_id=None)) as consumer:
        name = settings.topic("job-status")
        numbers = consumer.partitions_for_topic(name) or ()
        parts = [TopicPartition(name, number) for number in sorted(numbers)]
        if not parts:
            return None
        consumer.assign(parts)
        for part, end in consumer.end_offsets(parts).items():
            consumer.seek(part, max(0, end - NEWEST))
        polled = consumer.poll(timeout_ms=2_000)
        return newest([record for records in polled.values() for record in records])


def newest(records: Sequence[Any]) -> Told | None:
    """The newest word among records of the topic; None when nobody has said any."""
    told = [one for one in map(_read, records) if one is not None]
    return max(told, key=lambda one: one.broker_time, default=None)


def _read(record: Any) -> Told | None:
    try:
        status = msgspec.json.decode(record.value or b"", type=JobStatus)
    except msgspec.DecodeError:
        return None
    return Told(status, int(record.timestamp))


def job(told: Told | None, now: int, *, must_run: bool) -> Iterator[Finding]:
    """Whether it lives and keeps up; ``now`` is in ms since 1970 UTC by this machine's clock."""
    see = "`./clickwake logs job` says why; the supervisor, if one runs, starts it again."
    if told is None:
        if must_run:
            yield problem("job", "The session job has never said anything.", see)
        return
    status = told.status
    if status.problem:
        todo = "Do what that says; the supervisor tries again every five minutes."
        yield problem("job", f"The session job gave up: {status.problem}.", todo)
    elif now - told.broker_time > SILENT_MS:
        what = f"The session job has been silent since {format_instant(told.broker_time)}."
        yield (problem if must_run else warning)("job", what, see if must_run else _START)
    else:
        yield from _living(status)
    yield from clocks(told)


_START = "Start it with `./clickwake job`, or the whole stack with `./clickwake up`."


def _living(status: JobStatus) -> Iterator[Finding]:
    what = f"It is {status.behind:,} records behind; its last batch took {status.batch_ms} ms."
    if status.behind > FAR_RECORDS:
        todo = "Wait if that falls; else give it more cores with CLICKWAKE_JOB_MASTER."
        yield warning("job", what, todo)
    else:
        yield ok("job", what)


def clocks(told: Told) -> Iterator[Finding]:
    """The job's clock beside Kafka's, by a message that needs some ms from one to the other."""
    skew = told.broker_time - told.status.processed_time
    if abs(skew) > SKEW_MS:
        word = "behind" if skew > 0 else "ahead of"
        what = f"The job's clock is {abs(skew) / 1000:.1f} s {word} Kafka's."
        todo = "Synchronise both machines, for instance with `timedatectl set-ntp true`."
        yield warning("clocks", what, todo)
    else:
        yield ok("clocks", f"The job's and Kafka's agree within {SKEW_MS / 1000:.0f} s.")
