"""The base of encoders; `encoders` knows them by name."""

import pyarrow as pa

from curation.models.embeddings.directions import Vectors


class EmbeddingModel:
    """A model of D dimensions, read once per process. A text's vector depends on nothing but the text."""

    dimensions: int

    def embed(self, texts: pa.Array | pa.ChunkedArray) -> Vectors:
        """float32[N, D] of text[N]: vectors of length 1; all 0 for a text without one (null, empty, no known word)."""
        raise NotImplementedError
