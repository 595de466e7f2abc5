"""One Spark for the tests of DataFrames and of the operator."""

import os
from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from infra.jars import LOCALFS, SPARK, ensure_jars
from infra.java import find_java
from spark_jobs.settings import JobSettings
from spark_jobs.spark import start_spark
from tests.support.kafka import CACHE


@pytest.fixture(scope="package")
def spark() -> Iterator[SparkSession]:
    """Set up as the job sets it up."""
    java = find_java()
    os.environ["JAVA_HOME"] = str(java.home)
    jars = ensure_jars(CACHE, java, sets=[SPARK, LOCALFS])
    session = start_spark("clickwake-tests", JobSettings(jars=str(jars)))
    yield session
    session.stop()
