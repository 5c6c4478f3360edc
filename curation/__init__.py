"""From raw archives to token shards: sources, extraction, filters, rewriters, deduplication, tokens."""
