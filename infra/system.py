"""What must be on the machine: disk space, Java, Chromium; installed with apt where we may."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from infra.errors import InfraError
from infra.java import Java, find_java
from infra.steps import Step, Steps

GIGABYTE = 1_000_000_000
JAVA_PACKAGES = ("openjdk-17-jre-headless", "openjdk-21-jre-headless")
CHROMIUM_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def is_root_on_debian() -> bool:
    """Whether apt-get may be used without asking."""
    return (
        os.geteuid() == 0
        and Path("/etc/debian_version").exists()
        and shutil.which("apt-get") is not None
    )


def require_disk(folder: Path, needed_bytes: int) -> None:
    """Raise InfraError when the disk of ``folder`` (or its nearest parent) has less free."""
    while not folder.exists():
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    if free < needed_bytes:
        raise InfraError(
            f"{needed_bytes / GIGABYTE:.1f} GB of disk are needed but {folder} has "
            f"{free / GIGABYTE:.1f} GB free: make room, then run the same command again."
        )


def ensure_java(steps: Steps, environ: Mapping[str, str] = os.environ) -> Java:
    """A Java 17 or 21 runtime; installed when missing and apt may be used."""
    try:
        return find_java(environ)
    except InfraError:
        if not is_root_on_debian():
            raise
    with steps.step("Java runtime") as step:
        apt_install([_first_available(JAVA_PACKAGES)], step)
        java = find_java(environ)
        step.done(f"Java {java.version}")
    return java


def find_chromium() -> str | None:
    """The path of a Chromium or Chrome on PATH."""
    found = (shutil.which(name) for name in CHROMIUM_NAMES)
    return next((path for path in found if path), None)


def ensure_chromium(steps: Steps) -> str:
    """A browser for the end-to-end tests; installed when missing and apt may be used."""
    found = find_chromium()
    if found:
        return found
    if not is_root_on_debian():
        raise InfraError("The tests need Chromium: install it (Debian: apt install chromium).")
    with steps.step("Chromium") as step:
        apt_install(["chromium"], step)
        step.done()
    return find_chromium() or "chromium"


def apt_install(packages: Sequence[str], step: Step) -> None:
    """Install Debian packages. Raises InfraError with apt's last line."""
    step.tell("apt-get update")
    _apt(["update"])
    step.tell(f"apt-get install {' '.join(packages)}")
    _apt(["install", "-y", "--no-install-recommends", *packages])


def _apt(arguments: Sequence[str]) -> None:
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=120", *arguments],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        last = (done.stderr.strip() or done.stdout.strip() or "no output").splitlines()[-1]
        raise InfraError(f"`apt-get {' '.join(arguments)}` failed: {last}")


def _first_available(packages: Sequence[str]) -> str:
    """Debian 12 has Java 17, Debian 13 has 21: the first that apt could install."""
    for package in packages:
        done = subprocess.run(
            ["apt-cache", "policy", package], capture_output=True, text=True, check=False
        )
        if "Candidate:" in done.stdout and "Candidate: (none)" not in done.stdout:
            return package
    return packages[0]
