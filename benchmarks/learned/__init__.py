"""Learned quality: n-gram models, importance weights and a transformer, beside their peers."""
