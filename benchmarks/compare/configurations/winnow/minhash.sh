winnow curate minhash.yaml --input "$INPUT/*.jsonl" --output "$OUTPUT/run" --cpus 2
