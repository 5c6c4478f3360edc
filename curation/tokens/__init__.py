"""From kept text to token shards: fit a tokenizer, encode, pack into rows, mix sources by an index."""
