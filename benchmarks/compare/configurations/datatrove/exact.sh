python exact.py "$INPUT" "$OUTPUT"
