"""Stages whose output is an asset, one fit per file."""
