"""Encoding, packing, mixing and reading tokens, beside their peers."""
