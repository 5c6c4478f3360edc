"""The command line, the Python API and the shipped recipes."""
