"""Loads presidio-analyzer without the large libraries that it would load beside it only because they are installed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from types import ModuleType

from curation.core.errors import UserError
from curation.core.installation import remedy

_LARGE = ("torch", "tensorflow", "transformers", "stanza", "gliner", "cupy", "mxnet")


@lru_cache
def presidio() -> ModuleType:
    """The module `presidio_analyzer`. With torch and transformers it would take ten times as long and 600 MB more.

    Raises UserError if it is not installed.
    """
    try:
        with _absent(*_LARGE):
            import presidio_analyzer
            import presidio_analyzer.predefined_recognizers
            import presidio_analyzer.recognizer_registry
            import spacy  # noqa: F401
    except ModuleNotFoundError as error:
        raise UserError(
            f"personal data is found with presidio-analyzer ({error}); run {remedy(['presidio-analyzer'])}"
        ) from error
    module: ModuleType = presidio_analyzer
    return module


@contextmanager
def _absent(*names: str) -> Iterator[None]:
    """Within, to import one of these libraries fails as if it were not installed; one that is loaded stays."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]
