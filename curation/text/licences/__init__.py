"""Names of licences and what they ask for."""
