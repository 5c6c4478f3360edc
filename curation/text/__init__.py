"""Measures shared by rules: compiled kernels over Arrow text buffers, many documents per call."""
