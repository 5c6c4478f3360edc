"""Runs recipes: plan, apply, exchange, seal. Only its sub-room `executor` knows ray."""
