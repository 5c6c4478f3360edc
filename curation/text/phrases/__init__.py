"""Fixed phrases and terms, found in many texts at once."""
