"""Erasing visitors: what is asked for, how far it is, and who must not come back."""
