"""Models without any distributed code, a package each: its sizes as a component, and its network."""
