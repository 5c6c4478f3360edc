"""What other limits would win and lose."""
