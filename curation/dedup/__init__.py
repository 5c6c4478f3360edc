"""Finds copies: the pure steps of deduplication, one method per file."""
