"""The text of a run, in the files that other tools read."""
