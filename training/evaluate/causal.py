"""What evaluation asks of a model that reads from left to right. B rows, L places, K labels, D width, V vocabulary."""

from typing import Protocol, runtime_checkable

from torch import Tensor

from curation.core.errors import InputError
from training.batch import Batch
from training.trainable import Trainable


class PlaceCache(Protocol):
    """Keys and values of the places that were read."""

    def read(self, tokens_BL: Tensor, segments_BL: Tensor) -> Tensor:
        """[B, L, D]: what the next tokens are predicted from, of places behind those that were read before."""
        ...

    def logits(self, hidden: Tensor) -> Tensor:
        """[…, V] of the next token, from [..., D] of what `read` gave."""
        ...


@runtime_checkable
class CausalNetwork(Protocol):
    """A network that predicts the next token and can go on from what it has read."""

    @property
    def output_matrix(self) -> Tensor:
        """[V, D]."""
        ...

    def logits(self, batch: Batch) -> Tensor:
        """[B, K, V]."""
        ...

    def cached(self, rows: int, places: int) -> PlaceCache:
        """For so many rows, with room for `places` of each."""
        ...


def causal_network(model: Trainable) -> CausalNetwork:
    """The model, if it is one. Raises InputError for another."""
    if not isinstance(model, CausalNetwork):
        raise InputError("only a decoder continues text and prices it from left to right; give a model of that family")
    return model
