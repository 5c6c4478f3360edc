"""What compiled kernels are made of: Arrow buffers as arrays, bytes in blocks, characters, hashes."""
