"""Submitting runs to a Ray cluster."""
