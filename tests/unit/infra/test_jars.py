from pathlib import Path
from xml.etree import ElementTree

import pytest

from infra.errors import InfraError
from infra.jars import MARKER, JarSet, ensure_jars, is_complete, ivy_module
from infra.java import Java

SET = JarSet(name="one", roots=("org.example:thing_2.13:1.0",), without=("org.other",))


def fake_ivy(folder: Path, script: str) -> Java:
    command = folder / "bin" / "java"
    command.parent.mkdir(parents=True)
    command.write_text(f"#!/bin/sh\n{script}\n")
    command.chmod(0o755)
    return Java(home=folder, version=17)


def test_the_module_names_the_dependency_and_what_to_leave_out() -> None:
    module = ElementTree.fromstring(ivy_module(SET))
    dependency, exclude = module.find(".//dependency"), module.find(".//exclude")
    assert dependency is not None
    assert exclude is not None
    assert dependency.attrib["name"] == "thing_2.13"
    assert dependency.attrib["rev"] == "1.0"
    assert exclude.attrib["org"] == "org.other"


def test_a_complete_set_is_not_resolved_again(tmp_path: Path) -> None:
    folder = tmp_path / "jars" / "one"
    folder.mkdir(parents=True)
    (folder / MARKER).write_text(SET.versions)
    missing_java = Java(home=tmp_path / "nowhere", version=17)
    assert ensure_jars(tmp_path, missing_java, sets=[SET]) == tmp_path / "jars"


def test_another_version_makes_a_set_incomplete(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / MARKER).write_text("org.example:thing_2.13:0.9\n")
    assert not is_complete(tmp_path, SET)


def test_a_failed_download_is_one_sentence_and_leaves_no_set(tmp_path: Path) -> None:
    java = fake_ivy(tmp_path / "jdk", "echo 'UnknownHostException UNRESOLVED'; exit 1")
    with pytest.raises(InfraError, match=r"thing_2\.13:1\.0 could not be downloaded") as caught:
        ensure_jars(tmp_path, java, sets=[SET])
    assert "no connection" in str(caught.value)
    assert not (tmp_path / "jars" / "one").exists()


def test_a_resolved_set_is_moved_into_place_with_its_progress(tmp_path: Path) -> None:
    java = fake_ivy(
        tmp_path / "jdk",
        'while [ "$1" != "-ivy" ]; do shift; done; folder=$(dirname "$2")\n'
        'touch "$folder/thing.jar"; echo "[SUCCESSFUL ] thing.jar"',
    )
    told: list[str] = []
    jars = ensure_jars(tmp_path, java, told.append, sets=[SET])
    assert (jars / "one" / "thing.jar").exists()
    assert is_complete(jars, SET)
    assert told == ["1 jars"]
