from pathlib import Path

import pytest

from infra.errors import InfraError
from infra.java import find_java, major_version


@pytest.mark.parametrize(
    ("printed", "version"),
    [
        ('openjdk version "17.0.15" 2025-04-15', 17),
        ('openjdk version "21" 2023-09-19', 21),
        ('java version "1.8.0_402"', 8),
        ('openjdk version "24-ea" 2025-03-18', 24),
        ("Error occurred during initialization of VM", None),
    ],
)
def test_reads_the_major_version(printed: str, version: int | None) -> None:
    assert major_version(printed) == version


def fake_java(folder: Path, version: str) -> Path:
    command = folder / "bin" / "java"
    command.parent.mkdir(parents=True)
    command.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    command.chmod(0o755)
    return folder


def test_java_home_comes_first(tmp_path: Path) -> None:
    home = fake_java(tmp_path / "jdk", "21.0.2")
    java = find_java({"JAVA_HOME": str(home), "PATH": "/usr/bin"})
    assert (java.version, java.home) == (21, home)
    assert java.command == str(home / "bin" / "java")


def test_a_wrong_java_home_is_passed_over_for_a_right_java_on_the_path(tmp_path: Path) -> None:
    old, new = fake_java(tmp_path / "old", "1.8.0_402"), fake_java(tmp_path / "new", "17.0.1")
    java = find_java({"JAVA_HOME": str(old), "PATH": str(new / "bin")})
    assert java.home == new


def test_only_a_wrong_java_is_one_sentence_naming_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("infra.java.FOLDER_OF_RUNTIMES", tmp_path / "none")
    old = fake_java(tmp_path / "old", "11.0.22")
    with pytest.raises(InfraError, match=r"needs a Java 17 or 21 runtime but found Java 11 in"):
        find_java({"JAVA_HOME": str(old), "PATH": ""})


def test_no_java_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("infra.java.FOLDER_OF_RUNTIMES", tmp_path / "none")
    with pytest.raises(InfraError, match="install one"):
        find_java({"PATH": str(tmp_path)})
