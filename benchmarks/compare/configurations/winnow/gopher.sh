winnow curate gopher.yaml --input "$INPUT/*.jsonl" --output "$OUTPUT/run" --cpus 2
