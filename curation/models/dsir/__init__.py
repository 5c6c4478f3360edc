"""Importance weights of documents by hashed n-gram features."""
