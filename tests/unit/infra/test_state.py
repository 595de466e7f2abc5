import os
from pathlib import Path

import pytest

from infra.errors import InfraError
from infra.processes import ProcessMark, is_running, mark
from infra.state import (
    ChildState,
    StackState,
    is_locked,
    read_state,
    running_state,
    stack_lock,
    write_state,
)


def state_of(supervisor: ProcessMark) -> StackState:
    return StackState(
        supervisor=supervisor,
        status="serving",
        kind="demo",
        addresses={"Dashboard": "http://127.0.0.1:8020/"},
        children=[ChildState(name="kafka", status="ready", mark=supervisor, restarts=2)],
    )


def me() -> ProcessMark:
    own = mark(os.getpid())
    assert own is not None
    return own


def test_the_state_comes_back_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "run" / "stack.json"
    write_state(file, state_of(me()))
    assert read_state(file) == state_of(me())


@pytest.mark.parametrize("text", ["", "{", "null", '{"supervisor": 1}'])
def test_a_broken_state_file_is_no_state(tmp_path: Path, text: str) -> None:
    file = tmp_path / "stack.json"
    file.write_text(text)
    assert read_state(file) is None


def test_a_stack_runs_only_while_its_supervisor_does(tmp_path: Path) -> None:
    file = tmp_path / "stack.json"
    write_state(file, state_of(me()))
    assert running_state(file) is not None
    reused_number = ProcessMark(pid=os.getpid(), started=me().started - 1000)
    write_state(file, state_of(reused_number))
    assert running_state(file) is None


def test_a_number_that_came_again_is_another_process() -> None:
    assert is_running(me())
    assert not is_running(ProcessMark(pid=os.getpid(), started=1.0))
    assert not is_running(ProcessMark(pid=2**22 + 1, started=1.0))


def test_a_second_lock_is_one_sentence(tmp_path: Path) -> None:
    lock = tmp_path / "run" / "lock"
    write_state(tmp_path / "run" / "stack.json", state_of(me()))
    with (
        stack_lock(lock),
        pytest.raises(InfraError, match=rf"already runs .* \(process {os.getpid()}\)"),
        stack_lock(lock),
    ):
        pass


def test_a_lock_ends_with_its_holder(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    assert not is_locked(lock)
    with stack_lock(lock):
        assert is_locked(lock)
    assert not is_locked(lock)
