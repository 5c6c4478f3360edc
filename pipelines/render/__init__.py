"""What the terminal shows. Draws only; computes no figures."""
