"""Blocked Bloom filters of many keys."""
