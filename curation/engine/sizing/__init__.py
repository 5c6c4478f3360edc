"""What a recipe will take on a cluster, from a finished run of it on a sample."""
