"""Posts of Stack Exchange: where they are in a dump, and their HTML as text."""
