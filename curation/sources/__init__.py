"""Where records come from: web archives, JSON lines, Parquet. Each source yields Arrow batches of one row a record."""
