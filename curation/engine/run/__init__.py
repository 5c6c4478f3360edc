"""Runs the stages of a plan on Ray and seals them."""
