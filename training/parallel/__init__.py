"""How one model is spread over many processes."""
