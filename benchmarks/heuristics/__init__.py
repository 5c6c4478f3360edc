"""Text rules, rewriters and lists, beside their peers."""
