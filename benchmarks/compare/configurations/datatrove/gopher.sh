python gopher.py "$INPUT" "$OUTPUT"
