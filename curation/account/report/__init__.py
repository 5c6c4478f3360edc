"""What a report of a run shows, from its sealed files."""
