"""Every filter, rewriter and dedup method on texts that are made to be slow: `python -m tests.sweep`."""
