"""Updates of the weights: parameter groups, optimizers, learning-rate schedules."""
