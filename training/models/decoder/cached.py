"""A decoder that reads some places of its rows at a time, and keeps the keys and values of those before.

It calls the projections of the network's own blocks, so nothing that is trained knows of it. A place sees those of its
segment up to itself, and positions count within a segment, as in a batch whose documents are apart: rows of several
lengths begin with padding, whose segment is 0. B rows, L new places, K kept places, D width, V vocabulary.

Source of keeping keys and values: Shazeer 2019, "Fast Transformer Decoding" (arXiv:1911.02150), section 2.3.
"""

from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor

from training.batch import Batch
from training.models.blocks.block import Block
from training.models.blocks.masks import Visible
from training.models.blocks.rotary import positions, rotary
from training.models.decoder.network import DecoderNetwork


class CachedDecoder:
    """Of so many rows, with room for `places` of each."""

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
        turn = rotary(positions(batch), self._network.config.head_width, self._network.rope_theta)
        earlier = torch.arange(end, device=segments.device) <= own[:, None]
        seen = Visible(mask=((segments[:, first:, None] == segments[:, None]) & earlier)[:, None])
        x_BLD = self._network.enter(batch)
        for kept, block in zip(self._kept, self._blocks, strict=True):
            attention = block.attention
            normalised = block.attention_norm(x_BLD)
            kept[0, :, :, first:end], kept[1, :, :, first:end] = attention.asked(normalised, turn)
            found = attention.read(attention.queries(normalised, turn), kept[0, :, :, :end], kept[1, :, :, :end], seen)
            x_BLD = block.fed(x_BLD + found, None)
        hidden: Tensor = self._network.norm(x_BLD) / self._network.width_multiplier
        return hidden

    def logits(self, hidden: Tensor) -> Tensor:
        """[…, V] of the next token, from [..., D] of what `read` gave."""
        return F.linear(hidden, self._network.output_matrix, self._network.head_bias)
