"""Networks without any distributed code."""
