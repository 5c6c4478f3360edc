"""Documents to rows of tokens, and back."""
