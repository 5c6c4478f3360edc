"""What limits and edits cost documents that are known to be good."""
