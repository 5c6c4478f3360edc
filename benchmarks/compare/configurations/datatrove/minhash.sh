python minhash.py "$INPUT" "$OUTPUT"
