"""Commands that other programs do: set up what they need, then let them."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from infra.dashboard import ensure_packages
from infra.errors import InfraError
from infra.geo import geo_files
from infra.node import ensure_node
from infra.paths import Places
from infra.preparation import Prepared, prepare
from infra.stack import (
    DATABASE_URL,
    batch_defaults,
    history_of,
    spark_environment,
    traffic_place,
)
from infra.state import running_state
from infra.steps import Steps
from infra.system import ensure_chromium
from infra.uv import find_uv

KEYS = "api.access"

LOCK_COMMAND = [
    "pip", "compile", "--quiet", "--universal", "--generate-hashes", "--no-emit-index-url",
    "--all-extras", "--python-version", "3.11", "--no-annotate",
    "--custom-compile-command", "./clickwake lock", "pyproject.toml", "-o", "requirements.lock",
]  # fmt: skip


def to_spark(
    module: str, arguments: Sequence[str], here: Places, *, needs_api: bool = False
) -> None:
    """Become ``python -m module arguments``, in the caller's folder. Does not return.

    ``needs_api``: it takes ``--api``, which is the running stack's unless given.
    """
    environment = dict(os.environ)
    if "--help" not in arguments:
        with Steps() as steps:
            prepared = prepare(here, steps, dashboard=False)
        environment = _environment(prepared, here)
    api = _api_of(here, arguments) if needs_api else []
    sys.stdout.flush()
    os.execve(  # noqa: S606 (no shell is the point)
        sys.executable, [sys.executable, "-m", module, *api, *arguments], environment
    )


def _api_of(here: Places, arguments: Sequence[str]) -> list[str]:
    running = running_state(here.state_file)
    is_given = any(text.partition("=")[0] == "--api" for text in arguments)
    if running is None or is_given or "Dashboard" not in running.addresses:
        return []
    return [f"--api={running.addresses['Dashboard']}"]


def traffic(here: Places, site: str, api: str) -> None:
    """Become the sample traffic, towards this site and API. Does not return."""
    geo = ",".join(str(file) for file in geo_files(here.cache))
    ours = {"CLICKWAKE_TRAFFIC_GEO": geo, **os.environ, **traffic_place(site, api)}
    command = [sys.executable, "-m", "infra.traffic"]
    os.execve(command[0], command, ours)  # noqa: S606 (no shell is the point)


def to_keys(arguments: Sequence[str], here: Places) -> None:
    """Become the API's key commands, on the stack's database. Does not return."""
    sys.stdout.flush()
    command = [sys.executable, "-m", KEYS, *arguments]
    os.execve(command[0], command, keys_environment(here, os.environ))  # noqa: S606


def require_a_key(here: Places, environ: Mapping[str, str]) -> None:
    """Raise InfraError when an API on this host would need a key, and there is none."""
    done = subprocess.run(
        [sys.executable, "-m", KEYS, "may-open"],
        env=keys_environment(here, environ),
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise InfraError(done.stderr.strip().removeprefix("clickwake: "))


def keys_environment(here: Places, environ: Mapping[str, str]) -> dict[str, str]:
    """The operator's settings, with the stack's own database unless another is named."""
    known = {**environ, "PYTHONPATH": str(here.project)}
    if f"{DATABASE_URL}_FILE" not in known:
        known.setdefault(DATABASE_URL, history_of(here))
    return known


def _environment(prepared: Prepared, here: Places) -> dict[str, str]:
    """What the operator set wins, but for what this machine's Spark must know."""
    running = running_state(here.state_file)
    defaults = batch_defaults(prepared)
    if running is not None:
        defaults["CLICKWAKE_KAFKA_BOOTSTRAP_SERVERS"] = running.kafka
    return {**defaults, **os.environ, **spark_environment(prepared)}


def test(arguments: Sequence[str], here: Places) -> int:
    """Checks, then tests; the exit status of the first that fails."""
    with Steps() as steps:
        prepared = prepare(here, steps)
        browser = ensure_chromium(steps)
    environment = {
        **os.environ,
        "JAVA_HOME": str(prepared.java.home),
        "CLICKWAKE_TEST_CHROMIUM": browser,
    }
    failed = 0 if arguments else check(here)
    return failed or _python(["-m", "pytest", *arguments], here.project, environment)


def check(here: Places) -> int:
    """Run scripts/check; its exit status."""
    with Steps() as steps:
        node = ensure_node(here, steps)
        if (here.dashboard / "package-lock.json").exists():
            ensure_packages(here, node)
    environment = node.environment()
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    return subprocess.run(
        [str(here.project / "scripts" / "check")], cwd=here.project, env=environment, check=False
    ).returncode


def lock(here: Places) -> int:
    """Rewrite requirements.lock; uv's exit status."""
    command = [find_uv(here.project), *LOCK_COMMAND]
    status = subprocess.run(command, cwd=here.project, check=False).returncode
    if status != 0:
        raise InfraError("uv could not resolve the dependencies: the lines above say why.")
    return status


def _python(arguments: Sequence[str], folder: Path, environment: dict[str, str]) -> int:
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, check=False
    ).returncode
