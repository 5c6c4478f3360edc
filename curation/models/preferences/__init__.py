"""What sites and pages say about the use of their texts: robots.txt, ai.txt, tdmrep.json, headers and metadata."""
