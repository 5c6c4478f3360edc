"""Books of Project Gutenberg as plain text."""
