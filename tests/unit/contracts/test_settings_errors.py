"""A wrong setting gets one sentence with its variable's name, and never its value."""

import msgspec
import pytest

from contracts import ContractError
from contracts.kafka import KafkaSettings
from contracts.settings import Duration, Secret, from_environment


class Example(msgspec.Struct, frozen=True, kw_only=True):
    gap: Duration = "30m"
    count: int = 1
    password: Secret | None = None


@pytest.mark.parametrize(
    ("environ", "sentence"),
    [
        ({"CLICKWAKE_EX_GAPP": "1s"}, "CLICKWAKE_EX_GAPP is not a setting; known ones: "),
        ({"CLICKWAKE_EX_GAP": "30"}, "CLICKWAKE_EX_GAP is wrong: write a whole number and a unit"),
        ({"CLICKWAKE_EX_COUNT": "many"}, "CLICKWAKE_EX_COUNT is wrong: Expected `int`, got `str`"),
    ],
)
def test_says_which_and_what(environ, sentence):
    with pytest.raises(ContractError) as caught:
        from_environment(Example, "EX", environ)
    assert sentence in str(caught.value)


def test_other_sections_are_not_looked_at():
    assert from_environment(Example, "EX", {"CLICKWAKE_KAFKA_GAPP": "1s", "PATH": "x"}) == Example()


def test_a_secret_is_not_shown():
    settings = from_environment(KafkaSettings, "KAFKA", {"CLICKWAKE_KAFKA_SASL_PASSWORD": "hush"})
    assert "hush" not in repr(settings)
    assert str(settings.sasl_password) == "hush"
