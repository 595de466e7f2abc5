"""What was: sessions, events and counts in a database, written from Kafka and served."""
