"""Updates of the weights: optimizers, one per file, and learning-rate schedules."""
