"""Tests mirror the tree; contracts/ holds the house's laws, end_to_end/ whole runs."""
