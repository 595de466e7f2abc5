"""A virtual environment for each peer, from its pinned requirements."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec

from benchmarks.compare.engines import PROGRAMS, Engine
from benchmarks.stack import CACHE, ROOT
from infra.errors import InfraError
from infra.jars import LOCALFS, SPARK, ensure_jars
from infra.java import find_java
from infra.uv import find_uv

BENCH = ROOT / ".clickwake" / "bench"
MARKER = "requirements.sha256"
_VERSIONS = (
    "import importlib.metadata as m, json, sys;"
    "print(json.dumps({name: m.version(name) for name in sys.argv[1:]}))"
)


class UnavailableError(Exception):
    """An engine cannot be installed or run here; the message says why."""


class Ready(msgspec.Struct, frozen=True):
    """What runs an engine: a command to which the task is added, its jars, its versions."""

    command: list[str]
    jars: str
    versions: dict[str, str]


def ready(engine: Engine) -> Ready:
    """Install what is missing. Raises UnavailableError with the installer's last word."""
    try:
        jars = _jars(engine)
        if engine.program.endswith(".java"):
            command, versions = _java(engine, jars), {}
        else:
            python = _python(engine)
            command = [python, str(PROGRAMS / engine.program)]
            versions = _versions(python, engine.packages)
    except (InfraError, OSError, subprocess.SubprocessError) as error:
        raise UnavailableError(str(error)) from error
    if engine.versions:
        versions["jars"] = engine.versions
    return Ready(command, jars, versions)


def _jars(engine: Engine) -> str:
    if not engine.jars:
        return ""
    # Spark's are the product's own, which are there already.
    cache = CACHE if set(engine.jars) <= {SPARK, LOCALFS} else BENCH
    folder = ensure_jars(cache, find_java(), sets=engine.jars)
    return str(folder if len(engine.jars) > 1 else folder / engine.jars[0].name)


def _java(engine: Engine, jars: str) -> list[str]:
    home = find_java().home
    if not (home / "bin" / "javac").exists():
        raise UnavailableError(
            f"the Java in {home} has no compiler (Debian: openjdk-17-jdk-headless)"
        )
    program = str(PROGRAMS / engine.program)
    return [str(home / "bin" / "java"), "-cp", f"{jars}/*", program]


def _python(engine: Engine) -> str:
    if not engine.program:
        return sys.executable
    requirements = PROGRAMS / engine.folder / "requirements.txt"
    folder = BENCH / "env" / engine.folder
    python, marker = folder / "bin" / "python", folder / MARKER
    wanted = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()
    if marker.is_file() and marker.read_text() == wanted:
        return str(python)
    shutil.rmtree(folder, ignore_errors=True)
    uv = find_uv(ROOT)
    _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
    _run([uv, "pip", "install", "--quiet", "--python", str(python), "-r", str(requirements)])
    marker.write_text(wanted)
    return str(python)


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        raise UnavailableError(f"its packages could not be installed: {' '.join(lines[-3:])[:300]}")


def _versions(python: str, packages: tuple[str, ...]) -> dict[str, str]:
    done = subprocess.run(
        [python, "-c", _VERSIONS, *packages], capture_output=True, text=True, check=True
    )
    found: dict[str, str] = json.loads(done.stdout)
    return found


def environment_of(prepared: Ready) -> dict[str, str]:
    """What its program's process needs of the environment."""
    environ = dict(os.environ, PYTHONPATH=str(PROGRAMS / "shared"))
    # PyFlink and Spark start the `python` that they find first.
    environ["PATH"] = f"{Path(prepared.command[0]).parent}{os.pathsep}{environ['PATH']}"
    return environ


def task_folder(name: str) -> Path:
    """A fresh folder for an engine's state, on the disk that the project is on."""
    folder = BENCH / "state" / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
