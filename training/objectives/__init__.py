"""What the model is asked to predict, an objective per file: from rows of tokens to inputs, labels and weights."""
