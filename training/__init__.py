"""From token shards to a trained model."""
