"""Filters: one published rule set per file; the file name is the recipe key."""
