"""Takes documents out of the sealed stages of a run: rows, token shards and key files, one file at a time."""
