"""Models of words and their frequencies."""
