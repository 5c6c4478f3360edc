"""The transformer classifier, beside the pipeline of `transformers`."""
