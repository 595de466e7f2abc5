"""The commands and programs in the documentation, run as written but for ports and folders."""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest

from contracts.kafka import KafkaSettings
from infra.node import ensure_node
from infra.paths import PROJECT, places
from infra.ports import free_ports
from infra.steps import Steps
from spark_jobs.parse import Record
from tests.support.job import produce
from tests.support.pages import Block, all_blocks
from tests.support.stack import RunningStack, environment
from tests.support.waiting import wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

AS_WRITTEN = [one for one in all_blocks("sh") if one.marker is None]
SCRIPTS = [one for one in all_blocks("js") if one.marker is None]
PROGRAMS = all_blocks("python")
SITES = [one for one in PROGRAMS if "ClickwakeMiddleware" in one.text]
WSGI_SITES = [one for one in PROGRAMS if "ClickwakeWsgiMiddleware" in one.text]
CLIENTS = [one for one in PROGRAMS if one not in (*SITES, *WSGI_SITES)]
DATA = ".clickwake/data"
NO_JSON = Record(b"shop/somebody", b"no JSON", 0, 0)


def marked(test: str, number: int = 0) -> str:
    """The block that names this test, or one of several, in the order of the pages."""
    return [one.text for one in all_blocks("sh") if one.note == test][number]


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder where commands find the project, and leave their files."""
    for name in ("clickwake", "tests"):
        (tmp_path / name).symlink_to(PROJECT / name)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


def here(text: str, stack: RunningStack) -> str:
    """The text with the addresses and the data folder of the stack under test."""
    ours = {"127.0.0.1:8010": stack.site, "127.0.0.1:8020": stack.api}
    for written, address in ours.items():
        text = text.replace(written, address.removeprefix("http://"))
    return text.replace("127.0.0.1:19092", stack.kafka).replace(DATA, str(stack.data))


def surroundings(stack: RunningStack) -> dict[str, str]:
    """The environment in which ``./clickwake`` means the stack under test."""
    path = os.pathsep.join([str(Path(sys.prefix) / "bin"), os.environ["PATH"]])
    return environment() | {"CLICKWAKE_INFRA_DATA": str(stack.data), "PATH": path}


def shell(text: str, stack: RunningStack, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a block; every line of it must succeed."""
    done = subprocess.run(
        ["sh", "-e", "-c", here(text, stack)],
        cwd=folder,
        env=surroundings(stack),
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@contextmanager
def left_running(text: str, stack: RunningStack, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run a block that does not end by itself."""
    process = subprocess.Popen(
        ["sh", "-e", "-c", here(text, stack)],
        cwd=folder,
        env=surroundings(stack) | {"PYTHONUNBUFFERED": "1", "PYTHONPATH": str(PROJECT)},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(20)


@pytest.mark.parametrize("block", AS_WRITTEN, ids=str)
def test_commands_run_as_written(block: Block, stack: RunningStack, checkout: Path) -> None:
    done = shell(block.text, stack, checkout)
    assert done.stdout.strip()
    for name in re.findall(r"--out (\S+)", block.text):
        assert (checkout / name).stat().st_size > 1000
    if "curl" in block.text and "/api/" in block.text:
        # curl writes no line end of its own.
        for answer in done.stdout.replace("}{", "}\n{").splitlines():
            assert "title" not in json.loads(answer), "a problem"


def test_the_demo_serves_what_the_readme_says(stack: RunningStack) -> None:
    """The stack was started by this very command, on other ports and without visitors."""
    assert marked("test_the_demo_serves_what_the_readme_says") == "./clickwake demo\n"
    addresses = re.findall(r"<(http://127\.0\.0\.1:\S+)>", (PROJECT / "README.md").read_text())
    assert len(addresses) == 4
    for address in addresses:
        with urlopen(here(address, stack), timeout=30) as answer:
            assert answer.status == 200


def test_the_middleware_installs_by_itself(tmp_path: Path) -> None:
    source = tmp_path / "path" / "to" / "clickwake"
    for part in ("contracts", "interceptor"):
        shutil.copytree(PROJECT / part, source / part)
    for file in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(PROJECT / file, source)
    venv.create(tmp_path / "site", with_pip=True)
    path = os.pathsep.join([str(tmp_path / "site" / "bin"), os.environ["PATH"]])
    script = marked("test_the_middleware_installs_by_itself") + (
        'python -c "import interceptor; print(interceptor.__file__)"\n'
        "python -m pip list --format=freeze\n"
    )
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=tmp_path,
        env={"PATH": path, "HOME": str(tmp_path)} | _index(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "site") in done.stdout
    assert not re.search("pyspark|pandas|fastapi", done.stdout)


def _index() -> dict[str, str]:
    """Where packages come from, if the machine has a mirror of its own."""
    return {name: text for name, text in os.environ.items() if name.startswith("PIP_")}


@pytest.mark.parametrize("block", SITES, ids=str)
def test_a_site_of_ones_own_becomes_a_live_session(
    block: Block, stack: RunningStack, tmp_path: Path
) -> None:
    (tmp_path / "shop.py").write_text(block.text)
    (port,) = free_ports(1)
    command = marked("test_a_site_of_ones_own_becomes_a_live_session")
    before = events_of(stack, "shop")
    with left_running(command.replace("8000", str(port)), stack, tmp_path):
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/"), 60, "the site answers")
        wait_until(lambda: events_of(stack, "shop") > before, 60, "an event of the site")


@pytest.mark.parametrize("block", WSGI_SITES, ids=str)
def test_a_wsgi_site_becomes_a_live_session(
    block: Block, stack: RunningStack, tmp_path: Path
) -> None:
    is_django = "django" in block.text
    if is_django:
        django_project(tmp_path, block.text)
    else:
        (tmp_path / "shop.py").write_text(block.text)
    (port,) = free_ports(1)
    variables = marked("test_a_site_of_ones_own_becomes_a_live_session").partition("uvicorn")[0]
    command = marked("test_a_wsgi_site_becomes_a_live_session").replace("8000", str(port))
    command = command.replace("shop:app", "shop.wsgi") if is_django else command
    before = events_of(stack, "shop")
    with left_running(variables + command, stack, tmp_path):
        wait_until(lambda: answers(f"http://127.0.0.1:{port}/"), 60, "the site answers")
        wait_until(lambda: events_of(stack, "shop") > before, 60, "an event of the site")


def django_project(folder: Path, wsgi: str) -> None:
    """The least that Django calls a project, with one page."""
    (folder / "shop").mkdir()
    (folder / "shop" / "settings.py").write_text(
        "SECRET_KEY = 'k'\nALLOWED_HOSTS = ['127.0.0.1']\nROOT_URLCONF = 'shop.urls'\n"
    )
    (folder / "shop" / "urls.py").write_text(
        "from django.http import HttpResponse\nfrom django.urls import path\n\n"
        "urlpatterns = [path('', lambda request: HttpResponse('hello'))]\n"
    )
    (folder / "shop" / "wsgi.py").write_text(wsgi)


def answers(address: str) -> bool:
    """Whether a page is served."""
    try:
        with urlopen(address, timeout=10) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def events_of(stack: RunningStack, site: str) -> int:
    """How many events the history has of a site."""
    sessions = stack.sessions(f"site={site}&bots=include")
    return sum(session["events"] for session in sessions)


@pytest.mark.parametrize("block", CLIENTS, ids=str)
def test_programs_run_as_written(block: Block, stack: RunningStack) -> None:
    done = subprocess.run(
        [sys.executable, "-c", here(block.text, stack)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


@pytest.mark.parametrize("block", SCRIPTS, ids=str)
def test_javascript_runs_as_written(block: Block, stack: RunningStack) -> None:
    with Steps() as steps:
        node = ensure_node(places(), steps)
    # Node 20 has the browser's WebSocket, too, but only for those who ask for it.
    flags = ["--experimental-websocket", "--input-type=module"]
    done = subprocess.run(
        ["node", *flags, "-e", here(block.text, stack)],
        env=node.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert "people are here now" in done.stdout


def test_dead_letters_can_be_read_from_their_topic(stack: RunningStack, checkout: Path) -> None:
    produce(KafkaSettings(bootstrap_servers=stack.kafka), "requests", [NO_JSON])
    command = marked("test_dead_letters_can_be_read_from_their_topic")
    with left_running(command, stack, checkout) as process:
        assert process.stdout
        # The shared stack may have dead letters of other tests before it.
        assert any('"reason":"not_json"' in line for line in process.stdout)


@pytest.mark.parametrize("block", all_blocks("sql"), ids=str)
def test_questions_to_the_history_are_sql(block: Block, stack: RunningStack) -> None:
    with closing(sqlite3.connect(stack.data / "history.db")) as history:
        for question in filter(None, map(str.strip, block.text.split(";"))):
            history.execute(question).fetchall()


def test_a_backup_serves_and_topics_are_read_again(stack: RunningStack, checkout: Path) -> None:
    """One story, because each of its steps costs a start: back up, ``up`` on the copy, re-read."""
    before = known_sessions(stack)
    assert len(before) > 1000, "the replay's"
    shell(marked("test_a_backup_serves_and_topics_are_read_again", 1), stack, checkout)
    up = marked("test_a_backup_serves_and_topics_are_read_again", 0).strip()
    shell(f"{up} --detach {' '.join(stack.ports[1:])} --data backup", stack, checkout)
    try:
        assert known_sessions(stack) == before
        assert not answers(f"{stack.site}/"), "no shop"
    finally:
        shell("./clickwake stop --data backup", stack, checkout)

    reading = marked("test_a_backup_serves_and_topics_are_read_again", 2)
    commands, start = reading.rsplit("\n", 2)[:2]
    assert start == "./clickwake demo"
    shell(commands, stack, checkout)
    assert stack.start().returncode == 0
    newest = max(before.values())
    wait_until(lambda: min(known_sessions(stack).values()) > newest, 120, "all sessions again")
    assert set(known_sessions(stack)) == set(before)


def known_sessions(stack: RunningStack) -> dict[str, int]:
    """The epoch of each session of the replayed log in the history.

    Other tests have backfilled others, which reading the topics again undoes, as is documented.
    """
    found = stack.sessions("bots=include&site=old-log")
    return {one["session_id"]: one["epoch"] for one in found}
