"""Tokenizers inspected on a run's text."""
