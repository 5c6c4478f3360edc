"""Language identification, beside fastText."""
