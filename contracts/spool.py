"""How a site's spool lies on the disk, for all who look at it from outside."""

SPOOL_NAME_END = ".clickwake-spool"
"""What a spool's folder ends with: the directory may hold folders that are not ours."""

SPOOL_LOCK = "lock"
"""Its file that the living owner holds with ``flock``."""

SPOOL_EVENTS = "*.events"
"""Its files of events."""
