"""Edits to texts: only the lines that need one are touched."""
