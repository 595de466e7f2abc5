"""The history database's schema, step by step."""
