"""Answers questions about a run and its documents from sealed files alone, without Ray."""
