"""Personal data in text: Presidio's recognizers, run only where one could find something, and rules of our own."""
