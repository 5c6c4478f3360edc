"""In which number formats a model computes."""
