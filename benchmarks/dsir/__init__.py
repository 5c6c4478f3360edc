"""DSIR, beside the authors' package."""
