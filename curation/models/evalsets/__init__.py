"""Evaluation sets: their items, an index of their n-grams, and which of them a text holds."""
