"""The jars that no Python package ships: Kafka's broker, Spark's Kafka connector, local files.

The Ivy that PySpark carries resolves them once, with its default settings, into
``<cache>/jars/<set>/``. A set appears whole or not at all: Ivy writes to a folder beside it,
which is renamed when complete.
"""

import fcntl
import importlib.util
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.sax.saxutils import quoteattr

import msgspec

from infra.errors import InfraError
from infra.java import Java

MARKER = "versions.txt"
"""Lists what a complete set was resolved from; another content means: resolve again."""

Progress = Callable[[str], None]


class JarSet(msgspec.Struct, frozen=True, kw_only=True):
    """Jars that run together: Maven coordinates, and the organisations left out.

    ``beside_pyspark`` sets run on PySpark's class path and hold nothing that it ships.
    """

    name: str
    roots: tuple[str, ...]
    without: tuple[str, ...] = ()
    beside_pyspark: bool = False

    @property
    def versions(self) -> str:
        """The marker file's content: all that decides which files the set holds."""
        return "\n".join([*self.roots, *(f"without {name}" for name in self.without)]) + "\n"


KAFKA = JarSet(
    name="kafka",
    roots=(
        "org.apache.kafka:kafka_2.13:4.2.0",
        "org.apache.logging.log4j:log4j-slf4j-impl:2.25.3",
    ),
)
# PySpark ships what is left out: not downloading it saves a minute on a slow line.
SPARK = JarSet(
    name="spark",
    roots=("org.apache.spark:spark-sql-kafka-0-10_2.13:4.2.0",),
    beside_pyspark=True,
    without=(
        "org.apache.hadoop",
        "org.scala-lang",
        "org.scala-lang.modules",
        "org.slf4j",
        "org.lz4",
        "at.yawk.lz4",
        "org.xerial.snappy",
        "com.google.code.findbugs",
    ),
)
LOCALFS = JarSet(
    name="localfs",
    roots=("com.globalmentor:hadoop-bare-naked-local-fs:0.1.0",),
    beside_pyspark=True,
    without=("org.apache.hadoop",),
)
JAR_SETS = (KAFKA, SPARK, LOCALFS)


def ensure_jars(
    cache: Path,
    java: Java,
    progress: Progress = lambda text: None,
    sets: Iterable[JarSet] = JAR_SETS,
) -> Path:
    """The folder that holds the sets, each resolved if it is missing or of other versions.

    ``progress`` gets short texts, from several threads. Raises InfraError when a set cannot be
    downloaded; the sets that could are kept.
    """
    folder = cache / "jars"
    if all(is_complete(folder, one) for one in sets):
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("w") as lock:
        # Another process may be resolving: wait for it, then take what it got.
        fcntl.flock(lock, fcntl.LOCK_EX)
        _resolve_all(folder, [one for one in sets if not is_complete(folder, one)], java, progress)
    return folder


def is_complete(folder: Path, jars: JarSet) -> bool:
    """Whether the set is there in just these versions."""
    marker = folder / jars.name / MARKER
    return marker.is_file() and marker.read_text() == jars.versions


def class_path(folder: Path, name: str) -> str:
    """The set's jars as a Java class path."""
    return str(folder / name / "*")


class _Counter:
    """Counts downloaded files over all resolving threads."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._lock = threading.Lock()
        self._files = 0

    def read(self, line: str) -> None:
        """A line of Ivy's output."""
        if "[SUCCESSFUL ]" not in line:
            return
        with self._lock:
            self._files += 1
            self._progress(f"{self._files} jars")


def _resolve_all(folder: Path, missing: list[JarSet], java: Java, progress: Progress) -> None:
    counter = _Counter(progress)
    with ThreadPoolExecutor(max(1, len(missing))) as pool:
        # list() waits for all and raises the first error.
        list(pool.map(lambda one: _resolve(folder, one, java, counter), missing))


def _resolve(folder: Path, jars: JarSet, java: Java, counter: _Counter) -> None:
    temporary = folder / f".{jars.name}.partial"
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    output = _run_ivy(temporary, folder / f".ivy-{jars.name}", jars, java, counter)
    if not list(temporary.glob("*.jar")):
        raise _download_failed(jars, output)
    if jars.beside_pyspark:
        _drop_shipped(temporary)
    (temporary / MARKER).write_text(jars.versions)
    target = folder / jars.name
    shutil.rmtree(target, ignore_errors=True)
    temporary.rename(target)
    shutil.rmtree(folder / f".ivy-{jars.name}", ignore_errors=True)


def _run_ivy(target: Path, ivy_cache: Path, jars: JarSet, java: Java, counter: _Counter) -> str:
    """Ivy's output. Raises InfraError when it fails."""
    module = target / "ivy.xml"
    module.write_text(ivy_module(jars))
    command = [
        java.command, "-Xmx256m", "-cp", str(_ivy_jar()), "org.apache.ivy.Main",
        "-cache", str(ivy_cache), "-ivy", str(module), "-confs", "default",
        "-retrieve", f"{target}/[artifact]-[revision](-[classifier]).[ext]",
        "-types", "jar", "bundle",
    ]  # fmt: skip
    lines: list[str] = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    ) as process:
        for line in process.stdout or ():
            lines.append(line)
            counter.read(line)
    if process.returncode != 0:
        raise _download_failed(jars, "".join(lines))
    return "".join(lines)


def ivy_module(jars: JarSet) -> str:
    """The set as an Ivy module descriptor."""
    lines = ['<ivy-module version="2.0">', '<info organisation="clickwake" module="jars"/>']
    lines += ['<configurations><conf name="default"/></configurations>', "<dependencies>"]
    for root in jars.roots:
        org, name, rev = (quoteattr(part) for part in root.split(":"))
        lines.append(f'<dependency org={org} name={name} rev={rev} conf="default->default"/>')
    lines += [f"<exclude org={quoteattr(org)}/>" for org in jars.without]
    return "\n".join([*lines, "</dependencies>", "</ivy-module>"])


def _drop_shipped(folder: Path) -> None:
    for jar in folder.glob("*.jar"):
        if (_pyspark_jars() / jar.name).exists():
            jar.unlink()


def _ivy_jar() -> Path:
    found = sorted(_pyspark_jars().glob("ivy-*.jar"))
    if not found:
        raise InfraError("PySpark's installation has no Ivy: remove .venv and run it again.")
    return found[-1]


def _pyspark_jars() -> Path:
    spec = importlib.util.find_spec("pyspark")
    if spec is None or not spec.submodule_search_locations:
        raise InfraError("PySpark is not installed: run `./clickwake setup`.")
    return Path(spec.submodule_search_locations[0], "jars")


def _download_failed(jars: JarSet, output: str) -> InfraError:
    offline = "not found. url=" in output or "UnknownHost" in output or "Connection" in output
    why = "the repository does not have them"
    if offline:
        why = "there is no connection to the Maven repository"
    if "No space left" in output:
        why = "the disk is full"
    return InfraError(
        f"The jars of {jars.roots[0]} could not be downloaded because {why}: "
        "check the network and run the same command again."
    )
