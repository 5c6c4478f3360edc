dolma dedupe --documents "$INPUT/*" --dedupe.name exact --dedupe.documents.attribute_name exact \
  --dedupe.documents.key '$.text' --bloom_filter.file "$OUTPUT/bloom" --no-bloom_filter.read_only \
  --bloom_filter.estimated_doc_count 1000000 --bloom_filter.desired_false_positive_rate 1e-6 --processes 2
dolma -c exact.yaml mix --processes 2
