"""What tokenizers make of a run's text."""
