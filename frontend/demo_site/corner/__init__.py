"""The corner of each page that shows what was just recorded of its visitor, and why not."""
