"""Personal data: speed and spans beside Presidio, and who finds what on texts that people marked."""
