"""Encoders turn texts into vectors.

A new encoder is an entry of `ENCODERS`. Vectors of models outside winnow need none: they come as a column of the
documents.
"""

from collections.abc import Callable
from functools import lru_cache

from curation.core import storage
from curation.core.close_names import nearest
from curation.core.errors import InputError, RecipeError
from curation.models.embeddings.word_vectors import WordVectors, load_encoder

Model = str | tuple[str, ...]  # a path or URI, or several in the encoder's order
ENCODERS: dict[str, Callable[[tuple[str, ...]], WordVectors]] = {"word_vectors": load_encoder}


def check(name: str) -> None:
    """Raises RecipeError if there is no encoder of that name."""
    if name not in ENCODERS:
        raise RecipeError(f"no encoder named {name!r}{nearest(name, ENCODERS)}")


def locate(model: Model) -> Model:
    """The paths themselves. Raises InputError if a file is missing."""
    for path in _paths(model):
        if storage.size(path) < 0:
            raise InputError(f"no encoder's model at {path}; give the path or URI of an existing file")
    return model


@lru_cache(maxsize=4)
def load(name: str, model: Model) -> WordVectors:
    """Read once per process. Raises InputError if a file is missing or of another kind."""
    locate(model)
    return ENCODERS[name](_paths(model))


def _paths(model: Model) -> tuple[str, ...]:
    return (model,) if isinstance(model, str) else model
