"""Watches the loss of a training for jumps, and says what to do."""
