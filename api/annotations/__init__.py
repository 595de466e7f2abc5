"""Notes that people pin to a day, for everyone who looks at the history."""
