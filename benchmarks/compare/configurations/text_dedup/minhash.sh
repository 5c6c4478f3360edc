python -m text_dedup.minhash --path json --data_files "$INPUT/*.jsonl" --split train --column text --num_proc 2 \
  --ngram 5 --min_length 1 --num_perm 112 --b 14 --r 8 --cache_dir "$OUTPUT/cache" --output "$OUTPUT/kept"
