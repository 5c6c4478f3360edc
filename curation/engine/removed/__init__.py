"""Which documents were taken down: the mask that every step over documents applies."""
