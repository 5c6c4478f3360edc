"""Takes documents, or the originals of redacted ones, out of sealed stages: files are replaced, then sealed again."""
