"""Extractors and readers of archives, beside their peers."""
