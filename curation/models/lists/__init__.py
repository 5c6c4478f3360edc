"""Lists in files: terms, URLs, public suffixes."""
