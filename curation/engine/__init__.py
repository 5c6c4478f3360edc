"""Runs recipes on Ray Data: plan, apply, exchange, seal. The only room of curation that imports ray."""
