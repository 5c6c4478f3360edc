"""Encodings of bytes: labels, damaged UTF-8, and which legacy encoding a text is in."""
