"""What the terminal shows; draws only, measures nothing."""
