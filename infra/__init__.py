"""What surrounds the product: jars, embedded Kafka, topics, the supervisor, the command line."""
