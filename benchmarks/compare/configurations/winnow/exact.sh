winnow curate exact.yaml --input "$INPUT/*.jsonl" --output "$OUTPUT/run" --cpus 2
