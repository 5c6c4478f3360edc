"""Asks a language model for scores of sampled documents: the labels that a student classifier learns from."""
