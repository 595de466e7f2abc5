"""The traffic studio: a page from which one steers the sample visitors and unsettles the stack."""
