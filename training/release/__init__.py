"""A trained model as others load it, and what it repeats of its training data."""
