python -m text_dedup.exact_hash --path json --data_files "$INPUT/*.jsonl" --split train --column text --num_proc 2 \
  --cache_dir "$OUTPUT/cache" --output "$OUTPUT/kept"
