"""URLs and lists of them, taken apart and matched many per call."""
