"""Contamination checks: how fast they are, and which leaks they find."""
