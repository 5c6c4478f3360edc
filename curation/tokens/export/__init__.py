"""Token shards in the forms that other trainers read."""
