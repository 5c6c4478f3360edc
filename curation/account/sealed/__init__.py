"""A run as it lies in its folder: sealed stages, their shards and rows, and the way of documents through them."""
