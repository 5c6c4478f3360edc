"""Every encoder that options can name derives from the base."""

import typing

import pytest

from curation.models.embeddings.embedding_model import EmbeddingModel
from curation.models.embeddings.encoders import ENCODERS


@pytest.mark.parametrize("name", ENCODERS)
def test_what_is_loaded_is_an_encoder(name: str) -> None:
    assert issubclass(typing.get_type_hints(ENCODERS[name])["return"], EmbeddingModel)
