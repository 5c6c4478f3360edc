"""The card of a run, as Markdown and as Croissant."""
