"""How fast sources read, beside public readers."""
