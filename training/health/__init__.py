"""What is wrong with the machines of a training: processes that are slow, GPUs that fail, nodes that are left out."""
