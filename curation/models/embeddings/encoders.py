"""What turns a text into a vector, and how another such model plugs in.

An encoder is a file in `curation/models/embeddings/` with a function `load_encoder(paths: tuple[str, ...]) -> Encoder`,
known by the file's name: `curation/models/embeddings/word_vectors.py` is `encoder: word_vectors`. Vectors that a model
outside makes need none: they come as a column of the documents.
"""

import importlib
import importlib.util
import pkgutil
from functools import lru_cache
from typing import Protocol

import pyarrow as pa

import curation.models.embeddings
from curation.core import storage
from curation.core.errors import InputError, RecipeError
from curation.core.settings import nearest
from curation.models.embeddings.directions import Vectors

Model = str | tuple[str, ...]  # a path or URI, or several in the order that the encoder states


class Encoder(Protocol):
    """A model of D dimensions, read once per process. A text's vector depends on nothing but the text."""

    dimensions: int

    def embed(self, texts: pa.Array) -> Vectors:
        """float32[N, D] of text[N]: vectors of length 1, and 0 throughout for a text that has none (a null one, an
        empty one, one without a known word)."""
        ...


def check(name: str) -> None:
    """Raises RecipeError where there is no encoder of that name."""
    spec = importlib.util.find_spec(f"{curation.models.embeddings.__name__}.{name}") if name.isidentifier() else None
    if spec is None or not hasattr(importlib.import_module(spec.name), "load_encoder"):
        files = (found.name for found in pkgutil.iter_modules(curation.models.embeddings.__path__))
        known = [file for file in files if hasattr(_module(file), "load_encoder")]
        raise RecipeError(f"no encoder named {name!r}{nearest(name, known)}")


def locate(model: Model) -> Model:
    """The paths themselves. Raises InputError where a file is missing."""
    for path in _paths(model):
        if storage.size(path) < 0:
            raise InputError(f"no encoder's model at {path}; give the path of a file that is there")
    return model


@lru_cache(maxsize=4)
def load(name: str, model: Model) -> Encoder:
    """Read once per process. Raises InputError where a file is missing or is of another kind."""
    locate(model)
    encoder: Encoder = _module(name).load_encoder(_paths(model))  # type: ignore[attr-defined]
    return encoder


def _paths(model: Model) -> tuple[str, ...]:
    return (model,) if isinstance(model, str) else model


def _module(name: str) -> object:
    return importlib.import_module(f"{curation.models.embeddings.__name__}.{name}")
