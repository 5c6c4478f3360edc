"""Makes of a finished training what may be given to others, with what was found about it."""
