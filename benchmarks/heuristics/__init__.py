"""Text rules and rewriters, beside their peers."""
