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


def read_kafka(**variables: object) -> KafkaSettings:
    named = {f"CLICKWAKE_KAFKA_{name}": str(value) for name, value in variables.items()}
    return from_environment(KafkaSettings, "KAFKA", named)


def test_a_secret_may_stand_in_a_file(tmp_path):
    file = tmp_path / "password"
    file.write_text("hush hush\n")
    settings = read_kafka(SASL_PASSWORD_FILE=file)
    assert str(settings.sasl_password) == "hush hush"
    assert "hush" not in repr(settings)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "CLICKWAKE_KAFKA_SASL_PASSWORD_FILE: {file} cannot be read: No such file"),
        (b"\n", "CLICKWAKE_KAFKA_SASL_PASSWORD_FILE: {file} is empty: write the secret into it"),
        (b"\xff", "CLICKWAKE_KAFKA_SASL_PASSWORD_FILE: {file} cannot be read: it is not UTF-8"),
    ],
)
def test_a_secrets_file_that_holds_none_is_named(tmp_path, content, sentence):
    file = tmp_path / "password"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ContractError) as caught:
        read_kafka(SASL_PASSWORD_FILE=file)
    assert sentence.format(file=file) in str(caught.value)


def test_a_secret_is_given_once_and_only_secrets_stand_in_files(tmp_path):
    file = tmp_path / "password"
    file.write_text("hush")
    with pytest.raises(ContractError, match="are both set: keep one of them"):
        read_kafka(SASL_PASSWORD_FILE=file, SASL_PASSWORD="hush")
    with pytest.raises(ContractError, match="CLICKWAKE_KAFKA_SASL_USERNAME_FILE is not a setting"):
        read_kafka(SASL_USERNAME_FILE=file)
