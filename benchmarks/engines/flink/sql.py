"""Flink SQL's SESSION table function, through PyFlink: all work is done in the JVM, but for the
look-up of countries when it is asked for, which is a Python function.

Two task slots, the state store that is asked for, no checkpoints. Sessions merge, which FIRST_VALUE
and LAST_VALUE cannot (Flink 2.2 refuses them here), and there is no MIN_BY. So entry and exit page
are the least and greatest of texts that begin with what orders them and end with the path: right
for events in any order, and no function of our own.
Does not: publish open sessions, survive a crash (no checkpoints here), report late events (it drops
them), write to Kafka (its sessions go to files, which is how they are counted).
"""

import time
from pathlib import Path

from country import open_countries
from flink_setup import run, settings, written
from pyflink.table import DataTypes, EnvironmentSettings, TableEnvironment
from pyflink.table.udf import ScalarFunction, udf
from task import report, tally, task

SOURCE = """
CREATE TABLE events (
  visitor_id STRING, event_time BIGINT, event_id STRING, kind STRING, `path` STRING,
  client_ip STRING,
  ts AS TO_TIMESTAMP_LTZ(event_time, 3),
  WATERMARK FOR ts AS ts - INTERVAL '{delay}' SECOND
) WITH (
  'connector' = 'kafka', 'topic' = '{topic}', 'properties.bootstrap.servers' = '{bootstrap}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',
  'format' = 'json'
)
"""
SINK = """
CREATE TABLE sessions (
  visitor STRING, events BIGINT, entry STRING, `exit` STRING, country STRING
) WITH (
  'connector' = 'filesystem', 'path' = 'file://{folder}/sessions', 'format' = 'json'
)
"""
# The topic's watermark records are no events: they have no visitor.
# A place is event_time, event_id, a blank, which no id of the workloads has, and the path.
VIEW = """
CREATE TEMPORARY VIEW visits AS
SELECT visitor_id, ts, kind = 'page' AS is_page, {country} AS country,
  CONCAT(LPAD(CAST(event_time AS STRING), 13, '0'), event_id, ' ', `path`) AS place
FROM events WHERE visitor_id IS NOT NULL
"""
QUERY = """
INSERT INTO sessions SELECT visitor_id, events,
  SUBSTRING(entry FROM POSITION(' ' IN entry) + 1),
  SUBSTRING(`exit` FROM POSITION(' ' IN `exit`) + 1), country
FROM (
  SELECT visitor_id, window_start, window_end, COUNT(*) AS events,
    MIN(CONCAT(IF(is_page, '0', '1'), place)) AS entry,
    MAX(CONCAT(IF(is_page, '1', '0'), place)) AS `exit`,
    {country} AS country
  FROM TABLE(SESSION(
    TABLE visits PARTITION BY visitor_id, DESCRIPTOR(ts), INTERVAL '{gap}' MINUTE))
  GROUP BY visitor_id, window_start, window_end)
"""


class Country(ScalarFunction):
    """An address' country, from MMDB files that each Python worker opens."""

    def __init__(self, paths):
        self._paths, self._country = paths, None

    def open(self, function_context):
        self._country = open_countries(self._paths)

    def eval(self, address):
        return self._country(address)


def main():
    """Submit the query, wait for the bounded topic's end, read the files."""
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
    if asked.geo:
        function = udf(Country(asked.geo), result_type=DataTypes.STRING())
        table.create_temporary_function("country_of", function)
    table.execute_sql(VIEW.format(country="country_of(client_ip)" if asked.geo else "''"))
    # A visitor of the workloads has one address.
    query = QUERY.format(country="MIN(country)" if asked.geo else "''", **values)
    first = run(table.execute_sql(query).get_job_client())
    done = time.time()
    report(first, done, tally(written(Path(asked.folder, "sessions"))))


if __name__ == "__main__":
    main()
