"""What the model is asked to predict: pure functions from rows of tokens to inputs, labels and a mask."""
