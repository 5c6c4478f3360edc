"""The learnt extractor: two stages of boosted trees over the blocks of a page, how they are fitted, and their file."""
