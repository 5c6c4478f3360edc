"""The batch source: token shards in, tensors for one step out; the only room that reads what curation wrote."""
