"""The pure steps of deduplication, one method per file."""
