"""The table of ready corpora, by what they are made of."""
