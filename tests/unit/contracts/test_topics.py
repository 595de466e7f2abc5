"""How Kafka keeps what must not be kept for long."""

from contracts.topics import TOPICS, topic

HOUR_MS = 3_600_000


def test_salts_are_deleted_after_two_days_though_new_ones_keep_coming() -> None:
    config = topic("identity-salts").config()
    assert config["cleanup.policy"] == "delete"
    assert config["retention.ms"] == str(48 * HOUR_MS)
    # Each day's first salts end the segment of the day before, which can then be deleted.
    assert int(config["segment.ms"]) <= 12 * HOUR_MS


def test_other_topics_leave_their_segments_to_the_broker() -> None:
    assert [one.role for one in TOPICS if "segment.ms" in one.config()] == ["identity-salts"]
