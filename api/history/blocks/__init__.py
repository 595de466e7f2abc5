"""Blocks: the sessions that started in an hour (UTC), column by column, as statistics count them.

Rows of a database are wide, and a month of a busy site is millions of them. A block is a second
form of the same sessions that holds a column as one array, so that a question reads what it counts
and nothing else, exactly and with any filter on it. Blocks are built when an hour's sessions have
come to rest; triggers in the database note each hour that changed since. What has no block is read
from the sessions themselves.
"""
