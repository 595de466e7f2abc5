"""Everything that must be there before a process starts, fetched side by side."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import msgspec

from infra.dashboard import ensure_dashboard
from infra.errors import InfraError
from infra.geo import ensure_geo, geo_files
from infra.jars import JAR_SETS, ensure_jars, is_complete
from infra.java import Java
from infra.node import Node, ensure_node
from infra.paths import Places
from infra.steps import Step, Steps
from infra.system import GIGABYTE, ensure_java, require_disk


class Prepared(msgspec.Struct, frozen=True, kw_only=True):
    """What a stack is made of. ``geo`` is empty when the database could not be had."""

    java: Java
    jars: Path
    geo: tuple[Path, ...]
    dashboard: Path | None


def prepare(places: Places, steps: Steps, *, dashboard: bool = True) -> Prepared:
    """Get what is missing. Raises InfraError saying what could not be had, and what to do."""
    is_first = not all(is_complete(places.cache / "jars", one) for one in JAR_SETS)
    require_disk(places.cache, 2 * GIGABYTE if is_first else GIGABYTE)
    java = ensure_java(steps)
    node = ensure_node(places, steps) if dashboard or not geo_files(places.cache) else None
    with ThreadPoolExecutor(3) as pool:
        jars = pool.submit(_jars, places, java, steps)
        geo = pool.submit(_geo, places, node, steps)
        built = pool.submit(_dashboard, places, node, steps) if dashboard and node else None
    return Prepared(java=java, jars=jars.result(), geo=geo.result(), dashboard=_result(built))


def _result(future: Future[Path] | None) -> Path | None:
    return future.result() if future else None


def _jars(places: Places, java: Java, steps: Steps) -> Path:
    return _step(
        steps, "Jars of Kafka and Spark", lambda step: ensure_jars(places.cache, java, step.tell)
    )


def _dashboard(places: Places, node: Node, steps: Steps) -> Path:
    return _step(steps, "Dashboard", lambda step: ensure_dashboard(places, node))


def _step(steps: Steps, title: str, work: Callable[[Step], Path]) -> Path:
    with steps.step(title) as step:
        result = work(step)
        step.done()
    return result


def _geo(places: Places, node: Node | None, steps: Steps) -> tuple[Path, ...]:
    """Sessions without a country are better than none: a failure is told, not raised."""
    step = steps.begin("Geo database")
    try:
        found = geo_files(places.cache) if node is None else ensure_geo(places.cache, node)
    except (InfraError, OSError) as error:
        step.skipped(f"sessions will have no country: {error}")
        return ()
    step.done()
    return found
