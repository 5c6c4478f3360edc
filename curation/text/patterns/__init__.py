"""Where in texts a regular expression could match, so that the rest of them need not be searched."""
