"""The settings of a training run, and what its components are: no file here imports torch."""
