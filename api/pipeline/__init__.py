"""The pipeline's state, and what people do about it."""
