"""Learns the centroids by which `semantic` dedup groups documents, from a sample of kept text.

    - fit: {kmeans: {model: vectors.vec, clusters: 1000}}
    - dedup: {semantic: {model: vectors.vec, centroids: "@kmeans"}}

Documents of one centroid are compared with each other, so choose `clusters` to keep documents / clusters below some ten
thousand. If vectors come as a column, make the centroids where the vectors were made: a .npy array float32[k, D]. See
`curation/models/embeddings/kmeans.py`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np
import pyarrow as pa

from curation.core.errors import RecipeError
from curation.core.fits import Learns
from curation.models.embeddings import encoders
from curation.models.embeddings.kmeans import centroids_of, to_bytes


@dataclass(frozen=True, kw_only=True)
class Kmeans(Learns):
    """The encoder and the number of centroids."""

    model: Annotated[str | tuple[str, ...], "the encoder's file or files"]
    encoder: Annotated[str, "a file in curation/models"] = "word_vectors"
    clusters: Annotated[int, "centroids"] = 1000
    rounds: Annotated[int, "at most"] = 20
    seed: Annotated[int, "of the first centroids"] = 0
    sample_bytes: Annotated[int, "of UTF-8 text, drawn by the engine"] = 1 << 28

    version: ClassVar[int] = 1
    asset: ClassVar[str] = "centroids.npy"
    reads: ClassVar[tuple[str, ...]] = ("text",)

    def __post_init__(self) -> None:
        if min(self.clusters, self.rounds, self.sample_bytes) < 1 or self.seed < 0:
            raise RecipeError(
                f"clusters is {self.clusters}, rounds {self.rounds}, sample_bytes {self.sample_bytes} and seed "
                f"{self.seed}; give clusters, rounds and sample_bytes of 1 or more and a seed of 0 or more"
            )
        if not self.model:
            raise RecipeError("model names no file: give the path of the encoder's model")
        encoders.check(self.encoder)

    def assets(self) -> Mapping[str, str | tuple[str, ...]]:
        """Where the model is. Raises InputError if it is missing."""
        return {"model": encoders.locate(self.model)}

    def fit(self, rows: Iterator[pa.RecordBatch]) -> Mapping[str, bytes]:
        """Batches of documents -> a .npy file. Raises InputError if too few texts have a vector."""
        encoder = encoders.load(self.encoder, self.model)
        texts = (encoder.embed(batch.column("text")) for batch in rows)
        vectors = np.concatenate([np.empty((0, encoder.dimensions), np.float32), *texts])
        vectors = vectors[vectors.any(axis=1)]
        centroids = centroids_of(vectors, clusters=self.clusters, rounds=self.rounds, seed=self.seed)
        return {self.asset: to_bytes(centroids)}
