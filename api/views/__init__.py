"""Saved views: a page of the dashboard as somebody set it, under a name, for everyone."""
