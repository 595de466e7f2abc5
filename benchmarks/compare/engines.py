"""The engines that are compared: how each is run, and what it does not do."""

import msgspec

from benchmarks import choosing
from benchmarks.stack import ROOT
from infra.jars import LOCALFS, SPARK, JarSet

PROGRAMS = ROOT / "benchmarks" / "engines"

FLINK_KAFKA = JarSet(
    name="flink-kafka",
    # The connector's own Kafka client reads zstd, which the interceptor writes, with the latter.
    roots=(
        "org.apache.flink:flink-sql-connector-kafka:5.0.0-2.2",
        "com.github.luben:zstd-jni:1.5.6-10",
    ),
)
KAFKA_STREAMS = JarSet(
    name="kafka-streams",
    roots=(
        "org.apache.kafka:kafka-streams:4.2.0",
        "com.fasterxml.jackson.core:jackson-databind:2.19.2",
        "org.slf4j:slf4j-nop:1.7.36",
    ),
)
WHOLE = 10**12


class Engine(msgspec.Struct, frozen=True, kw_only=True):
    """One row of the comparison.

    ``program``: under benchmarks/engines; its folder's requirements.txt makes its environment.
    ``packages``: the distributions whose versions say which engine that is.
    ``at_most``: a slow engine gets a topic of no more events, with as many visitors for each.
    ``geo``: it looks up the countries of addresses, so they are checked, too.
    ``lacks``: what its program does not do, of what Clickwake's job does.
    """

    name: str
    title: str
    program: str
    lacks: str
    packages: tuple[str, ...] = ()
    jars: tuple[JarSet, ...] = ()
    state: str = ""
    geo: bool = False
    at_most: int = WHOLE

    @property
    def folder(self) -> str:
        """Where its program and requirements are."""
        return self.program.partition("/")[0]

    @property
    def versions(self) -> str:
        """The jars' versions; those of packages are asked of the environment."""
        return ", ".join(root.partition(":")[2] for one in self.jars for root in one.roots)


NO_OUTPUT = "devices and origins, late output, results in Kafka"
NO_ENRICHMENT = f"addresses, {NO_OUTPUT}"
FLINK_LACKS = "open sessions, recovery (no checkpoints)"

ENGINES = (
    Engine(
        name="polars",
        title="Polars, one pass",
        program="polars/main.py",
        packages=("polars", "confluent-kafka"),
        lacks=f"streaming, state, recovery, {NO_ENRICHMENT}",
    ),
    Engine(
        name="clickwake",
        title="Clickwake, whole job",
        program="",
        packages=("pyspark",),
        geo=True,
        lacks="– (open sessions, enrichment, late events, all outputs to Kafka, checkpoints)",
    ),
    Engine(
        name="spark",
        title="Spark session_window",
        program="spark/main.py",
        packages=("pyspark",),
        jars=(SPARK, LOCALFS),
        lacks=f"open sessions, {NO_ENRICHMENT}",
    ),
    Engine(
        name="flink-sql",
        title="Flink SQL SESSION, heap",
        program="flink/sql.py",
        packages=("apache-flink",),
        jars=(FLINK_KAFKA,),
        state="heap",
        lacks=f"{FLINK_LACKS}, {NO_ENRICHMENT}",
    ),
    Engine(
        name="flink-sql-rocksdb",
        title="Flink SQL SESSION, RocksDB",
        program="flink/sql.py",
        packages=("apache-flink",),
        jars=(FLINK_KAFKA,),
        state="rocksdb",
        lacks=f"{FLINK_LACKS}, {NO_ENRICHMENT}",
    ),
    Engine(
        name="flink-sql-heap-geo",
        title="Flink SQL SESSION, heap, Python geo function",
        program="flink/sql.py",
        packages=("apache-flink", "maxminddb"),
        jars=(FLINK_KAFKA,),
        state="heap",
        geo=True,
        lacks=f"{FLINK_LACKS}, places but for countries, {NO_OUTPUT}",
    ),
    Engine(
        name="flink-sql-rocksdb-geo",
        title="Flink SQL SESSION, RocksDB, Python geo function",
        program="flink/sql.py",
        packages=("apache-flink", "maxminddb"),
        jars=(FLINK_KAFKA,),
        state="rocksdb",
        geo=True,
        lacks=f"{FLINK_LACKS}, places but for countries, {NO_OUTPUT}",
    ),
    Engine(
        name="kafka-streams",
        title="Kafka Streams SessionWindows",
        program="kafka_streams/Sessions.java",
        jars=(KAFKA_STREAMS,),
        lacks=f"closing of sessions, recovery (no changelog), {NO_ENRICHMENT}",
    ),
    Engine(
        name="pyflink-datastream",
        title="PyFlink DataStream",
        program="flink/datastream.py",
        packages=("apache-flink",),
        jars=(FLINK_KAFKA,),
        state="heap",
        at_most=50_000,
        lacks=f"{FLINK_LACKS}, {NO_ENRICHMENT}",
    ),
    Engine(
        name="bytewax",
        title="Bytewax",
        program="bytewax/main.py",
        packages=("bytewax",),
        at_most=200_000,
        lacks=f"open sessions, recovery (no store), two cores (one worker), {NO_ENRICHMENT}",
    ),
)


def chosen(names: str) -> tuple[Engine, ...]:
    """Those of a comma-separated list, in its order; all when it is empty."""
    known = {one.name: one for one in ENGINES}
    return tuple(known[name] for name in choosing.chosen(names, known, "engine"))
