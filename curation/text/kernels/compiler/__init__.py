"""How kernels are compiled: annotations to types, LLVM instructions, and the cache. See docs/kernels.md."""
