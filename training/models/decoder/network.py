"""The decoder's network. B rows, K labels, D width."""

from collections.abc import Iterable
from functools import partial
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.batch import Batch
from training.models.blocks.attention import Attention
from training.models.blocks.block import Block, rms_norm
from training.models.blocks.cross_entropy import losses
from training.models.blocks.dropout import block_keys, dropout
from training.models.blocks.feed_forward import FeedForward
from training.models.blocks.masks import Visible, visible
from training.models.blocks.rotary import Rotary, positions, rotary
from training.models.blocks.token_model import TokenModel, at_places
from training.models.decoder.sizes import DecoderSizes
from training.roles import Purpose, Role
from training.trainable import Losses


class DecoderNetwork(TokenModel):
    """Tokens to what follows them; with `seen`, a prefix sees itself as a whole."""

    one_stream = True

    def __init__(self, config: DecoderSizes, vocabulary: int) -> None:
        super().__init__(config, vocabulary, tied=config.tied_embeddings)
        self.decoder = config
        self.width = config.width
        self.entrance = ("embedding",)
        self.exit = ("norm", "embedding" if config.tied_embeddings else "head")
        self.width_multiplier = config.width / (config.base_width or config.width)
        self.position_embedding = None
        if config.learned_positions:
            self.position_embedding = nn.Embedding(config.learned_positions, config.width)
            self.entrance = ("embedding", "position_embedding")
        self.blocks = nn.ModuleList(_block(config) for _ in range(config.layers))
        self.norm = _norm(config)

    def roles(self) -> dict[str, Role]:
        roles = super().roles()
        if self.decoder.learned_positions:
            roles["position_embedding.weight"] = Role(Purpose.EMBEDDING, "row", self.config.initial_deviation)
        return roles

    def hidden(self, batch: Batch) -> Tensor:
        blocks = enumerate(self.blocks)
        return self._normalised(self.through(self.enter(batch), batch, blocks), batch)

    def enter(self, batch: Batch) -> Tensor:
        """As in Trainable."""
        x_BLD = self.embedding(batch.inputs)
        if self.position_embedding is not None:
            x_BLD = x_BLD + self.position_embedding(positions(batch))
        return dropout(x_BLD, self.config.dropout, block_keys(batch, -1), 0)

    def through(self, stream: Tensor, batch: Batch, blocks: Iterable[tuple[int, nn.Module]]) -> Tensor:
        """As in Trainable."""
        x_BLD = stream
        reach = self.decoder.sliding_window and self.decoder.sliding_window - 1
        seen = visible(batch, dtype=x_BLD.dtype, reach=reach)
        turn = self.turn(batch)
        for number, block in blocks:
            x_BLD = block(x_BLD, seen, rotary=turn, keys=block_keys(batch, number))
        return x_BLD

    def leave(self, stream: Tensor, batch: Batch) -> Losses:
        """As in Trainable."""
        return losses(self._normalised(stream, batch), self.output_matrix, batch, self.head_bias)

    def turn(self, batch: Batch) -> Rotary | None:
        """The angles of the batch's positions; None where these are learned."""
        config = self.decoder
        if config.learned_positions:
            return None
        return rotary(positions(batch), config.head_width, config.rope_theta, config.rope_scaling)

    def cached(self, rows: int, places: int) -> "CachedDecoder":
        """For so many rows, with room for `places` of each. Raises InputError for more than learned positions."""
        self.decoder.check_length(places)
        return CachedDecoder(self, rows, places)

    def _normalised(self, x_BLD: Tensor, batch: Batch) -> Tensor:
        """[B, K, D]; over the width multiplier, so that logits keep their size as the width grows."""
        normalised: Tensor = self.norm(at_places(x_BLD, batch))
        return normalised if self.width_multiplier == 1 else normalised / self.width_multiplier


def _block(config: DecoderSizes) -> Block:
    attention = Attention(
        config,
        causal=True,
        window=config.sliding_window,
        kv_heads=config.kv_heads,
        qk_norm=config.qk_norm,
        biases=config.biases,
    )
    gated = config.feed_forward == "swiglu"
    activation = F.silu if gated else partial(F.gelu, approximate="tanh")
    feed_forward = FeedForward(config, activation, gated=gated, bias=config.biases == "all")
    norms = _norm(config), _norm(config)
    if config.norm_position == "before":
        return Block(attention, feed_forward, norms)
    return Block(attention, feed_forward, (nn.Identity(), nn.Identity()), norms)


def _norm(config: DecoderSizes) -> nn.Module:
    if config.norm == "rms":
        return rms_norm(config)
    return nn.LayerNorm(config.width, eps=config.norm_epsilon, bias=config.biases == "all")


class CachedDecoder:
    """A decoder that reads some places of its rows at a time, and keeps the keys and values of those before.

    It calls the projections of the network's own blocks, so nothing that is trained knows of it. A place sees those of
    its segment up to itself, and positions count within a segment, as in a batch whose documents are apart: rows of
    several lengths begin with padding, whose segment is 0. L new places, V vocabulary.

    Source of keeping keys and values: Shazeer 2019, "Fast Transformer Decoding" (arXiv:1911.02150), section 2.3.
    """

    def __init__(self, network: DecoderNetwork, rows: int, places: int) -> None:
        self._network = network
        self._blocks = cast(list[Block], list(network.blocks))
        weight = network.output_matrix
        self._segments = torch.zeros(rows, places, dtype=torch.int32, device=weight.device)
        heads = self._blocks[0].attention.size.kv_width // network.config.head_width
        shape = (len(self._blocks), 2, rows, heads, places, network.config.head_width)
        self._kept = torch.empty(shape, dtype=weight.dtype, device=weight.device)
        self._places = 0

    @torch.no_grad()
    def read(self, tokens_BL: Tensor, segments_BL: Tensor) -> Tensor:
        """[B, L, D]: what the next tokens are predicted from, of places behind those that were read before."""
        first = self._places
        end = self._places = first + tokens_BL.shape[1]
        self._segments[:, first:end] = segments_BL
        segments = self._segments[:, :end]
        own = torch.arange(first, end, device=segments.device)
        batch = Batch(inputs=tokens_BL, labels=tokens_BL, weights=tokens_BL, segments=segments, own_places=own)
        turn = self._network.turn(batch)
        distances = own[:, None] - torch.arange(end, device=segments.device)
        near = (distances >= 0) & (distances < (self._network.decoder.sliding_window or end))
        seen = Visible(mask=((segments[:, first:, None] == segments[:, None]) & near)[:, None])
        x_BLD = self._network.enter(batch)
        for kept, block in zip(self._kept, self._blocks, strict=True):
            attention = block.attention
            normalised = block.attention_norm(x_BLD)
            kept[0, :, :, first:end], kept[1, :, :, first:end] = attention.asked(normalised, turn)
            found = attention.read(attention.queries(normalised, turn), kept[0, :, :, :end], kept[1, :, :, :end], seen)
            x_BLD = block.fed(x_BLD + block.attention_output_norm(found), None)
        hidden: Tensor = self._network.norm(x_BLD) / self._network.width_multiplier
        return hidden

    def logits(self, hidden: Tensor) -> Tensor:
        """[…, V] of the next token, from [..., D] of what `read` gave."""
        return F.linear(hidden, self._network.output_matrix, self._network.head_bias)
