"""Deduplication, beside its peers."""
