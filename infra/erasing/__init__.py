"""Erase visitors from what the stack keeps: state, topics and files."""
