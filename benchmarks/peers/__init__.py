"""What runs in the environments of peers: `python -m benchmarks.peers MODULE.FUNCTION OPTIONS`."""
