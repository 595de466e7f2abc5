"""The archive of Spark's classes: made once for a Java and a set of jars, used at each start."""

import fcntl
import os
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from infra.errors import InfraError
from infra.jars import JAR_SETS, MARKER
from infra.java import Java
from infra.paths import PROJECT

SECONDS = 300


def archive_folder(jars: Path) -> Path:
    """Where it is: the programs that start Spark look into their folder of jars."""
    return jars / "classes"


def has_archive(jars: Path, java: Java) -> bool:
    """Whether there is one of just these versions, whole."""
    marker = archive_folder(jars) / MARKER
    return marker.is_file() and marker.read_text() == _versions(jars, java)


def ensure_archive(jars: Path, java: Java) -> None:
    """Make it unless it is there. Raises InfraError when the JVM does not write one."""
    with (jars / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not has_archive(jars, java):
            _make(jars, java)


def _make(jars: Path, java: Java) -> None:
    partial = jars / ".classes.partial"
    shutil.rmtree(partial, ignore_errors=True)
    shutil.rmtree(archive_folder(jars), ignore_errors=True)
    partial.mkdir(parents=True)
    command = [sys.executable, "-m", "spark_jobs.class_archive", str(partial / "spark.jsa")]
    # Only what decides which classes are loaded: no operator's setting may fail this.
    environment = {k: v for k, v in os.environ.items() if not k.startswith("CLICKWAKE_")} | {
        "CLICKWAKE_JOB_JARS": str(jars),
        "JAVA_HOME": str(java.home),
        "PYTHONPATH": str(PROJECT),
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
    }
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise InfraError(f"the JVM did not write it within {SECONDS} s") from None
    if done.returncode:
        lines = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise InfraError(lines[-1] if lines else f"its maker ended with {done.returncode}")
    (partial / MARKER).write_text(_versions(jars, java))
    partial.rename(archive_folder(jars))


def _versions(jars: Path, java: Java) -> str:
    """A JVM takes an archive only of its own build, and of the same jars in the same place."""
    release = java.home / "release"
    build = release.read_text() if release.is_file() else f"{java.home} {java.version}"
    sets = (jar_set.versions for jar_set in JAR_SETS)
    where = [f"pyspark {version('pyspark')} in {sys.prefix}", f"jars in {jars}"]
    return "\n".join([build, *where, *sets])
