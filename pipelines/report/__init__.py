"""The report of a run as a page for a browser."""
