"""Dumps of conversations: their tables, posts, and trees of replies."""
