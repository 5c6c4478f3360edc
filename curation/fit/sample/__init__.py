"""Which documents a fit sees."""
