"""What all models have in common: an embedding of tokens, and the prediction of tokens through one matrix.

B rows, L places, K labels, D width, V vocabulary.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.batch import Batch
from training.models.blocks.attention import Attention
from training.models.blocks.cross_entropy import losses
from training.models.blocks.dropout import block_keys, dropout
from training.models.blocks.layer import roles_within
from training.models.sizes import Sizes
from training.roles import AttentionSize, Purpose, Role
from training.trainable import Losses, Trainable


class TokenModel(Trainable):
    """Its output matrix is the embedding if it is `tied`; `width` is that of both if not of the residual stream."""

    def __init__(
        self, config: Sizes, vocabulary: int, *, tied: bool, width: int | None = None, bias: bool = False
    ) -> None:
        super().__init__()
        self.config = config
        width = width or config.width
        self.embedding = nn.Embedding(vocabulary, width)
        self.head = None if tied else nn.Linear(width, vocabulary, bias=False)
        self.head_bias = nn.Parameter(torch.empty(vocabulary)) if bias else None

    def hidden(self, batch: Batch) -> Tensor:
        """[B, K, D]: what the labels are predicted from."""
        raise NotImplementedError

    def forward(self, batch: Batch) -> Losses:
        return losses(self.hidden(batch), self.output_matrix, batch, self.head_bias)

    def logits(self, batch: Batch) -> Tensor:
        return F.linear(self.hidden(batch), self.output_matrix, self.head_bias)

    @property
    def output_matrix(self) -> Tensor:
        """[V, D]."""
        return self.embedding.weight if self.head is None else self.head.weight

    def embed(self, tokens_BL: Tensor, batch: Batch, *, site: int = 0) -> Tensor:
        """[B, L, D]."""
        return dropout(self.embedding(tokens_BL), self.config.dropout, block_keys(batch, -1), site)

    def roles(self) -> dict[str, Role]:
        vectors = (name for name, own in self.named_parameters() if own.dim() == 1)
        roles = {name: Role(Purpose.BIAS if name.endswith("bias") else Purpose.NORM) for name in vectors}
        roles |= roles_within(self)
        deviation = self.config.initial_deviation
        roles["embedding.weight"] = Role(Purpose.EMBEDDING, "row", deviation, "labels" if self.head is None else None)
        if self.head is not None:
            roles["head.weight"] = Role(Purpose.OUTPUT, "column", deviation, "labels")
        return roles

    def attentions(self) -> list[AttentionSize]:
        return [layer.size for layer in self.modules() if isinstance(layer, Attention)]


def at_places(x_BLD: Tensor, batch: Batch) -> Tensor:
    """[B, K, D]: x where the labels are predicted."""
    if batch.places is None:
        return x_BLD[:, : batch.labels.shape[1]]
    return x_BLD.take_along_dim(batch.places[:, :, None], dim=1)
