"""``python -m tests.fuzz.one TARGET …``: one target under Atheris, with libFuzzer's arguments."""

import sys

import atheris

OURS = ["interceptor", "spark_jobs", "contracts"]

with atheris.instrument_imports(include=OURS):
    from tests.fuzz.table import TARGETS

if __name__ == "__main__":
    name = sys.argv.pop(1)
    atheris.Setup(sys.argv, TARGETS[name].run)
    atheris.Fuzz()
