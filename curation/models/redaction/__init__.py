"""What takes the place of a value that a corpus must not hold: a placeholder, a surrogate, or nothing."""
