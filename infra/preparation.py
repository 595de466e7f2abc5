"""Everything that must be there before a process starts, fetched side by side."""

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec

from infra.class_archive import ensure_archive, has_archive
from infra.dashboard import built_folder, ensure_dashboard, is_built
from infra.errors import InfraError
from infra.geo import ensure_geo, geo_files
from infra.jars import JAR_SETS, ensure_jars, is_complete
from infra.java import Java
from infra.node import Node, ensure_node
from infra.paths import Places
from infra.steps import Steps
from infra.system import GIGABYTE, ensure_java, require_disk


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """What a stack is made of. ``geo`` is empty when the database could not be had."""

    java: Java
    jars: Path
    geo: tuple[Path, ...]
    dashboard: Path | None


def prepare(places: Places, steps: Steps, *, dashboard: bool = True) -> Prepared:
    """Get what is missing, and show only that.

    Raises InfraError saying what could not be had, and what to do.
    """
    has_jars = all(is_complete(places.cache / "jars", one) for one in JAR_SETS)
    require_disk(places.cache, GIGABYTE if has_jars else 2 * GIGABYTE)
    java = ensure_java(steps)
    must_build = dashboard and not is_built(places)
    must_fetch = not geo_files(places.cache)
    node = ensure_node(places, steps) if must_build or must_fetch else None
    with ThreadPoolExecutor(3) as pool:
        jars = pool.submit(_jars, places, java, steps, has_jars)
        geo = pool.submit(_geo, places, node, steps) if must_fetch and node else None
        built = pool.submit(_dashboard, places, node, steps) if must_build and node else None
    return Prepared(
        java=java,
        jars=jars.result(),
        geo=geo.result() if geo else geo_files(places.cache),
        dashboard=_built(places, built) if dashboard else None,
    )


def _built(places: Places, building: Future[Path] | None) -> Path:
    return building.result() if building else built_folder(places)


def _jars(places: Places, java: Java, steps: Steps, has_jars: bool) -> Path:
    jars = _download(places, java, steps, has_jars)
    if not has_archive(jars, java):
        _archive(jars, java, steps)
    return jars


def _download(places: Places, java: Java, steps: Steps, has_jars: bool) -> Path:
    if has_jars:
        return ensure_jars(places.cache, java)
    with steps.step("Jars of Kafka and Spark") as step:
        jars = ensure_jars(places.cache, java, step.tell)
        step.done()
    return jars


def _archive(jars: Path, java: Java, steps: Steps) -> None:
    """Spark starts without it, only slower: a failure is told, not raised."""
    step = steps.begin("Class archive, so that Spark starts faster")
    try:
        ensure_archive(jars, java)
    except (InfraError, OSError) as error:
        step.skipped(f"Spark will start slower: {error}")
        return
    step.done()


def _dashboard(places: Places, node: Node, steps: Steps) -> Path:
    with steps.step("Dashboard") as step:
        built = ensure_dashboard(places, node, step.tell)
        step.done()
    return built


def _geo(places: Places, node: Node, steps: Steps) -> tuple[Path, ...]:
    """Sessions without a country are better than none: a failure is told, not raised."""
    step = steps.begin("Geo database")
    try:
        found = ensure_geo(places.cache, node)
    except (InfraError, OSError) as error:
        step.skipped(f"sessions will have no country: {error}")
        return ()
    step.done()
    return found
