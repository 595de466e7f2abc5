"""What people see of a step."""

import io

import pytest
from rich.console import Console

from infra.steps import Steps


@pytest.mark.parametrize("detail", ["[/tmp/x]", "npm error [/a", "[red]", "plain"])
def test_a_detail_is_shown_as_it_is(detail: str) -> None:
    output = io.StringIO()
    step = Steps(Console(file=output, highlight=False, soft_wrap=True)).begin("Jars")
    step.tell(detail)
    step.done(detail)
    assert output.getvalue().rstrip().endswith(detail)
