"""Edits: rewriters change text, count what they changed, and never drop a document."""
