dj-process --config gopher.yaml --dataset_path "$INPUT" --export_path "$OUTPUT/kept.jsonl" --work_dir "$OUTPUT" --np 2
