"""Runs compared by models that learn from each: at equal tokens, judged on held-out text."""
