"""fastText classifiers: read from their files, applied to many texts per call."""
