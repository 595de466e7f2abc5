"""Faults by the dozen against the whole running product, and an oracle that misses nothing."""
