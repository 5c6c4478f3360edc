"""From links to clusters, and from clusters to survivors."""
