"""The state of a run on disk: checkpoints that are whole or absent, and what run they belong to."""
