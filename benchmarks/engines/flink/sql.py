"""Flink SQL's SESSION table function, through PyFlink: all work is done in the JVM.

Two task slots, the state store that is asked for, no checkpoints.
Does not: publish open sessions, survive a crash (no checkpoints here), name entry or exit pages,
report late events (it drops them), look up addresses, write more than a session's size (a file,
which is how it is counted).
"""

import time
from pathlib import Path

from flink_setup import counted, run, settings
from pyflink.table import EnvironmentSettings, TableEnvironment
from task import report, task

SOURCE = """
CREATE TABLE events (
  visitor_id STRING, event_time BIGINT,
  ts AS TO_TIMESTAMP_LTZ(event_time, 3),
  WATERMARK FOR ts AS ts - INTERVAL '{delay}' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{bootstrap}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
)
"""
SINK = """
CREATE TABLE sizes (events BIGINT) WITH (
  'connector' = 'filesystem', 'path' = 'file://{folder}/sizes', 'format' = 'csv'
)
"""
# The topic's watermark records are no events: they have no visitor.
QUERY = """
INSERT INTO sizes SELECT events FROM (
  SELECT visitor_id, window_start, window_end, COUNT(*) AS events FROM TABLE(SESSION(
    TABLE visits PARTITION BY visitor_id, DESCRIPTOR(ts), INTERVAL '{gap}' MINUTE))
  GROUP BY visitor_id, window_start, window_end)
"""


def main():
    """Submit the query, wait for the bounded topic's end, count the file's lines."""
    asked = task()
    table = TableEnvironment.create(EnvironmentSettings.in_streaming_mode())
    for name, value in settings(asked).items():
        table.get_config().set(name, value)
    values = {
        "topic": asked.topic,
        "bootstrap": asked.bootstrap,
        "folder": asked.folder,
        "delay": asked.delay_ms // 1000,
        "gap": asked.gap_ms // 60_000,
    }
    table.execute_sql(SOURCE.format(**values))
    table.execute_sql(SINK.format(**values))
    table.execute_sql(
        "CREATE TEMPORARY VIEW visits AS SELECT visitor_id, ts FROM events "
        "WHERE visitor_id IS NOT NULL"
    )
    first = run(table.execute_sql(QUERY.format(**values)).get_job_client())
    done = time.time()
    report(first, done, *counted(Path(asked.folder, "sizes")))


if __name__ == "__main__":
    main()
