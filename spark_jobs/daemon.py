"""``python -m spark_jobs.daemon``: forks Spark's Python workers, with everything imported.

Spark's own daemon imports nothing, so each worker would import pandas, Arrow and this package for
itself: a second of both cores at each start, and the same memory once a worker.
"""

import gc

import pandas as pd  # noqa: F401
import pyarrow as pa  # noqa: F401
import pyspark.sql.pandas.serializers
import pyspark.worker  # noqa: F401
from pyspark.daemon import manager

import spark_jobs.file_sessions
import spark_jobs.processor  # noqa: F401
from spark_jobs import arrow_edge

if __name__ == "__main__":
    arrow_edge.install()
    # What is imported stays: a collection that marks it would copy every page of it.
    gc.collect()
    gc.freeze()
    manager()
