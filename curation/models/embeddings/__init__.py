"""Vectors of texts, and which of them lie close."""
