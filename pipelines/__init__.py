"""Composition: the command line, the shipped recipes and the demo crawl."""
