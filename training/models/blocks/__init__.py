"""What the networks of several models are made of."""
