"""What a training will reach before it is paid for: laws of the loss, their fit to runs, and ladders of small runs."""
