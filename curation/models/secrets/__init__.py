"""Keys, tokens and passwords in texts: rules that describe them, and where texts hold them."""
