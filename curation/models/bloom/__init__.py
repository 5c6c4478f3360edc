"""Blocked Bloom filters and sketches of many keys."""
