"""Transformers that classify texts, from folders of the `transformers` library."""
