"""Alerts and the Grafana dashboard: they ask only for what /metrics gives, and say what to do."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.feed import FeedState
from api.health import Component, Components
from api.history.meter import WriterMeter
from api.ledger.accounting import Known, ledger
from api.live.meter import Meter
from api.metrics.ledger import ledger_families
from api.metrics.moment import Moment, ReaderNow, moment_families
from api.metrics.own import own_families
from api.progress import Place
from contracts.exposition import Family
from contracts.outcomes import LOST_REASONS
from infra.paths import PROJECT
from interceptor.metrics import families as interceptor_families
from tests.support.messages import NOON, a_bucket, a_job_status, an_interceptor

OPERATIONS = (PROJECT / "docs" / "operations.md").read_text()
RULES = yaml.safe_load((PROJECT / "infra/prometheus/alerts.yml").read_text())["groups"][0]["rules"]
BOARD: dict[str, Any] = json.loads((PROJECT / "infra/grafana/clickwake.json").read_text())
PANELS = [panel for panel in BOARD["panels"] if panel["type"] != "row"]
EXPRESSIONS = [rule["expr"] for rule in RULES] + [
    target["expr"] for panel in PANELS for target in panel["targets"]
]
NAME = re.compile(r"\b(?:clickwake|process)_[a-z_]+\b")
GIVEN_BY_PROMETHEUS = {"up"}


def all_families() -> list[Family]:
    """Everything that /metrics can give."""
    ok = Component(ok=True, detail="")
    writer = WriterMeter()
    writer.stored({"events": [1]}, 0.1)
    moment = Moment(
        components=Components(database=ok, consumer=ok, live=ok, job=ok, geo=ok, dashboards=ok),
        readers={
            "live": ReaderNow(FeedState(True, "", 0, True), {Place("clickwake.events", 0): 1}, 0)
        },
        writer=writer,
        live=Meter(NOON),
        dashboards=0,
        behind=0,
        limit=1,
        job=a_job_status(),
    )
    known = Known("clickwake", [a_bucket()], [an_interceptor()], None, 0, 0)
    return [
        *moment_families(moment),
        *ledger_families(ledger(known), "clickwake", NOON),
        *own_families(NOON),
        *interceptor_families(an_interceptor()),
    ]


def series_of(family: Family) -> set[str]:
    return {f"{family.name}{sample.suffix}" for sample in family.samples}


EXISTING = {name for family in all_families() for name in series_of(family)}
LABELS = {
    f"{family.name}{sample.suffix}": set(sample.labels) | {"instance", "job"}
    for family in all_families()
    for sample in family.samples
}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_asks_for_what_there_is(expression: str) -> None:
    names = set(NAME.findall(expression)) | set(re.findall(r"^(up)\b", expression))
    assert names
    assert names - GIVEN_BY_PROMETHEUS <= EXISTING


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_selects_and_groups_by_labels_that_there_are(expression: str) -> None:
    (name, *_) = NAME.findall(expression) or ["up"]
    known = LABELS.get(name, {"job", "instance"})
    for matchers in re.findall(r"\{(.*?)\}", expression):
        assert set(re.findall(r"(\w+)=~?\"", matchers)) <= known
    for grouping in re.findall(r"by \((.*?)\)", expression):
        assert set(grouping.split(", ")) <= known


def test_every_alert_has_a_section_with_its_meaning_and_an_action() -> None:
    sections = re.findall(r"^#### (Clickwake\w+)\n(.+?)(?=^#|\Z)", OPERATIONS, re.M | re.S)
    texts = dict(sections)
    assert list(texts) == [rule["alert"] for rule in RULES]
    for text in texts.values():
        assert re.search(r"\*\*Meaning\*\*: .{20,}", text)
        assert re.search(r"\*\*Action\*\*: .{20,}", text)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule["alert"]))
def test_an_alert_says_how_bad_it_is_and_leads_to_its_section(rule: dict[str, Any]) -> None:
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert rule["annotations"]["summary"].endswith(".")
    assert rule["annotations"]["runbook"] == f"docs/operations.md#{rule['alert'].lower()}"


def test_every_metric_is_documented() -> None:
    written = set(re.findall(r"`((?:clickwake|process)_[a-z_]+)`", OPERATIONS))
    of_the_api = {one.name for one in all_families() if "_interceptor_" not in one.name}
    assert of_the_api <= written
    assert {name for name in written if "_interceptor_" not in name} <= of_the_api


def test_every_loss_says_what_to_do() -> None:
    assert set(LOST_REASONS) <= set(re.findall(r"^\| `(\w+)`", OPERATIONS, re.M))


def test_reasons_in_the_interceptor_are_the_contracts() -> None:
    sources = "\n".join(file.read_text() for file in (PROJECT / "interceptor").glob("*.py"))
    assert all(f'"{reason}"' in sources for reason in LOST_REASONS)


def test_the_scrape_configuration_names_the_rules() -> None:
    file = PROJECT / "infra/prometheus/prometheus.yml"
    config = yaml.safe_load(file.read_text())
    assert [(file.parent / name).is_file() for name in config["rule_files"]] == [True]
    assert config["scrape_configs"][0]["job_name"] == "clickwake"


def test_grafana_can_import_the_dashboard() -> None:
    assert (BOARD["title"], BOARD["uid"], BOARD["id"]) == ("Clickwake", "clickwake", None)
    assert BOARD["schemaVersion"] >= 36
    identities = [panel["id"] for panel in BOARD["panels"]]
    assert len(identities) == len(set(identities))
    variables = {one["name"] for one in BOARD["templating"]["list"]}
    used = set(re.findall(r"\$\{?([a-z]\w*)", json.dumps(BOARD["panels"])))
    assert used == variables


@pytest.mark.parametrize("panel", PANELS, ids=lambda panel: str(panel["title"]))
def test_a_panel_asks_the_chosen_source(panel: dict[str, Any]) -> None:
    source = {"type": "prometheus", "uid": "${datasource}"}
    assert panel["type"] in {"stat", "timeseries"}
    assert all(target["datasource"] == source for target in [panel, *panel["targets"]])
    references = [target["refId"] for target in panel["targets"]]
    assert len(references) == len(set(references)) > 0


def test_panels_do_not_overlap() -> None:
    taken: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        at = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(at["x"], at["x"] + at["w"])
            for y in range(at["y"], at["y"] + at["h"])
        }
        assert at["x"] + at["w"] <= 24
        assert not cells & taken, panel["title"]
        taken |= cells


def test_the_files_are_where_the_page_says() -> None:
    named = re.findall(r"`(infra/(?:grafana|prometheus)/\S+?)`", OPERATIONS)
    assert len(set(named)) == 3
    assert all(Path(PROJECT, name).is_file() for name in named)
