"""Small fastText models to test with."""

from pathlib import Path

import fasttext

# Thread i of fastText 0.9.3 sets the i-th tenth of the first weights, rounded down; with fewer threads than it takes to
# reach the end, 19 for the smallest of models, the other weights are whatever the memory held.
THREADS = 19


def train_supervised(examples: Path, model: Path, **settings: int | float | str) -> None:
    """Learn from lines of "__label__name text" and write the model; the result differs a little from run to run."""
    fasttext.train_supervised(str(examples), **{"verbose": 0, **settings, "thread": THREADS}).save_model(str(model))
