"""Batches: token shards in, tensors for one step out; the only room of training that reads them."""
