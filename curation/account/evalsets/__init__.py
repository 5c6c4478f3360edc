"""Which items of evaluation sets, and which held-out documents, a run's training text holds."""
