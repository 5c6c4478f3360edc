"""Which documents the stages of a run drop more often than others."""
