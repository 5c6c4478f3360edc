"""Archives of mail: where messages begin, what they say, and what they quote."""
