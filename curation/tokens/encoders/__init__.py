"""Text to token ids, by any tokenizer's file."""
