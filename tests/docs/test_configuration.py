"""docs/configuration.md says everything, and nothing that is not so."""

import re

import msgspec
import pytest

from infra.paths import PROJECT
from scripts import configuration_docs
from scripts.configuration_docs import SECTIONS, DescriptionError, descriptions, page

PAGE = (PROJECT / "docs" / "configuration.md").read_text()
VARIABLE = re.compile(r"\bCLICKWAKE_[A-Z]+_[A-Z_]*[A-Z]\b")
SETTINGS = re.compile(r"^class (\w+Settings)\(.*Struct", re.MULTILINE)
DEPLOYABLES = ("contracts", "interceptor", "spark_jobs", "api", "frontend/demo_site", "infra")
SOURCES = [file for part in DEPLOYABLES for file in sorted((PROJECT / part).rglob("*.py"))]
INTERNAL = {"CLICKWAKE_TEST_CHROMIUM"}
"""What our own programs tell each other, and people need not."""
PASSED_ON = {"BatchSettings", "ProcessorSettings", "RecomputeSettings"}
"""Made from settings and handed to Spark's workers: nobody sets them."""


def test_the_page_is_what_the_settings_say() -> None:
    assert page() == PAGE, f"run {configuration_docs.COMMAND}"


def test_every_settings_struct_has_a_section() -> None:
    found = {name for file in SOURCES for name in SETTINGS.findall(file.read_text())}
    assert found - PASSED_ON == {section.settings.__name__ for section in SECTIONS}


def test_every_variable_that_the_project_names_is_documented() -> None:
    named = {name for file in SOURCES for name in VARIABLE.findall(file.read_text())}
    assert len(named) > 20
    assert named - INTERNAL - set(VARIABLE.findall(PAGE)) == set()


def test_a_field_without_a_description_is_refused() -> None:
    class Forgetful(msgspec.Struct):
        """Says only half.

        ``one``: this is
        described.
        """

        one: int = 1
        two: int = 2

    with pytest.raises(DescriptionError, match="two"):
        descriptions(Forgetful)
