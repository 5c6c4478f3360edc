"""N-gram models and perplexity, beside KenLM."""
