"""Whole runs, beside datatrove's."""
