"""Common Crawl by name: its files fetched or streamed, and its records found by host or language, by its own rules."""
