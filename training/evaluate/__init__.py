"""How good the model is on rows that it never trained on."""
