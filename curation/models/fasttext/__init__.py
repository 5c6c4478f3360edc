"""fastText classifiers, read from their files and asked for many texts in one call."""
