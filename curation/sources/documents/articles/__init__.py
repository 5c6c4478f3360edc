"""Articles in JATS as plain text."""
