"""Runs the stages of a plan and seals them."""
