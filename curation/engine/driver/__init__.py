"""Drives a run: what refuses it, its stages in order, each run by its verb and sealed."""
