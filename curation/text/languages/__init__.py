"""What differs from language to language: how words are told apart, and kits of limits."""
