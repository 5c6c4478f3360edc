"""Which recipe pays: models that learn from the output of each, judged on clean text."""
