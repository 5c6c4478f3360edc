"""The data card of a run, as Markdown and as Croissant."""
