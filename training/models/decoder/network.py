"""The decoder's network. B rows, K labels, D width."""

from collections.abc import Iterable

import torch.nn.functional as F
from torch import Tensor, nn

from training.batch import Batch
from training.models.blocks.attention import Attention
from training.models.blocks.block import Block, rms_norm
from training.models.blocks.cross_entropy import losses
from training.models.blocks.dropout import block_keys
from training.models.blocks.feed_forward import FeedForward
from training.models.blocks.masks import visible
from training.models.blocks.rotary import positions, rotary
from training.models.blocks.token_model import TokenModel, at_places
from training.models.sizes import Sizes
from training.trainable import Losses


class DecoderNetwork(TokenModel):
    """Tokens to what follows them; with `seen`, a prefix sees itself as a whole."""

    one_stream = True
    entrance = ("embedding",)

    def __init__(
        self,
        config: Sizes,
        vocabulary: int,
        *,
        tied: bool,
        rope_theta: float,
        kv_heads: int,
        qk_norm: bool,
        width_multiplier: float,
    ) -> None:
        super().__init__(config, vocabulary, tied=tied)
        self.width = config.width
        self.exit = ("norm", "embedding" if tied else "head")
        self.rope_theta = rope_theta
        self.width_multiplier = width_multiplier
        self.blocks = nn.ModuleList()
        for _ in range(config.layers):
            attention = Attention(config, causal=True, kv_heads=kv_heads, qk_norm=qk_norm)
            norms = rms_norm(config), rms_norm(config)
            self.blocks.append(Block(attention, FeedForward(config, F.silu), norms))
        self.norm = rms_norm(config)

    def hidden(self, batch: Batch) -> Tensor:
        blocks = enumerate(self.blocks)
        return self._normalised(self.through(self.enter(batch), batch, blocks), batch)

    def enter(self, batch: Batch) -> Tensor:
        """As in Trainable."""
        return self.embed(batch.inputs, batch)

    def through(self, stream: Tensor, batch: Batch, blocks: Iterable[tuple[int, nn.Module]]) -> Tensor:
        """As in Trainable."""
        x_BLD = stream
        seen = visible(batch, dtype=x_BLD.dtype)
        turn = rotary(positions(batch), self.config.head_width, self.rope_theta)
        for number, block in blocks:
            x_BLD = block(x_BLD, seen, rotary=turn, keys=block_keys(batch, number))
        return x_BLD

    def leave(self, stream: Tensor, batch: Batch) -> Losses:
        """As in Trainable."""
        return losses(self._normalised(stream, batch), self.output_matrix, batch, self.head_bias)

    def _normalised(self, x_BLD: Tensor, batch: Batch) -> Tensor:
        """[B, K, D]; over the width multiplier, so that logits keep their size as the width grows."""
        normalised: Tensor = self.norm(at_places(x_BLD, batch))
        return normalised if self.width_multiplier == 1 else normalised / self.width_multiplier
