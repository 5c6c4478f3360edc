"""Repositories of code as documents: where they are, how they are read, and what is known of their files."""
