"""Rewriters: edit text, count what they change, and never drop a document."""
