"""The two-stream network. B rows, L places, K labels, D width.

Both streams are multiplied with the same matrices; a matrix's role says the content stream's L places, and the FLOPs
that are counted by it leave out the query stream's K.
"""

import torch.nn.functional as F
from torch import Tensor, nn

from training.batch import Batch
from training.models.blocks.attention import Attention
from training.models.blocks.block import Block, rms_norm
from training.models.blocks.dropout import DropoutKeys, block_keys
from training.models.blocks.feed_forward import FeedForward
from training.models.blocks.masks import Visible, by_rule
from training.models.blocks.rotary import Rotary, positions, rotary
from training.models.blocks.token_model import TokenModel
from training.models.sizes import Sizes
from training.roles import AttentionSize, Purpose, Role

THETA = 10_000.0  # base of the rotary wavelengths


class TwoStreamNetwork(TokenModel):
    """Tokens and their order to the labels. All places that ask begin as one learned vector."""

    def __init__(self, config: Sizes, vocabulary: int) -> None:
        super().__init__(config, vocabulary, tied=True)
        self.asking = nn.Embedding(1, config.width)
        self.blocks = nn.ModuleList()
        for _ in range(config.layers):
            attention = Attention(config, causal=True)
            norms = rms_norm(config), rms_norm(config)
            self.blocks.append(TwoStreamBlock(attention, FeedForward(config, F.silu), norms))
        self.norm = rms_norm(config)

    def hidden(self, batch: Batch) -> Tensor:
        assert batch.places is not None, "of a permutation"
        places_BK = batch.places
        content_BLD = self.embed(batch.inputs, batch)
        query_BKD = self.asking.weight.expand(*places_BK.shape, -1)
        where = positions(batch)
        turns = (
            rotary(where, self.config.head_width, THETA),
            rotary(where.expand_as(batch.inputs).gather(1, places_BK), self.config.head_width, THETA),
        )
        seen = _visible(batch, places_BK)
        for number, block in enumerate(self.blocks):
            keys = block_keys(batch, number)
            content_BLD, query_BKD = block(content_BLD, query_BKD, seen, turns, keys)
        normalised: Tensor = self.norm(query_BKD)
        return normalised

    def roles(self) -> dict[str, Role]:
        return super().roles() | {"asking.weight": Role(Purpose.EMBEDDING, None, self.config.initial_deviation)}

    def attentions(self) -> list[AttentionSize]:
        """Those of the content stream, of which the order leaves half, and those of the query stream."""
        content = super().attentions()
        return content + [size._replace(queries="labels", causal=False) for size in content]


class TwoStreamBlock(Block):
    """A block that both streams pass; keys and values are those of the content."""

    def forward(  # type: ignore[override]
        self,
        content_BLD: Tensor,
        query_BKD: Tensor,
        visible: tuple[Visible, Visible],
        turns: tuple[Rotary, Rotary],
        keys: DropoutKeys | None,
    ) -> tuple[Tensor, Tensor]:
        normalised = self.attention_norm(content_BLD)
        asked = self.attention.asked(normalised, turns[0])
        found = self.attention.read(self.attention.queries(normalised, turns[0]), *asked, visible[0])
        queries = self.attention.queries(self.attention_norm(query_BKD), turns[1])
        answer = self.attention.read(queries, *asked, visible[1])
        content_BLD = self.fed(content_BLD + self.drop(found, keys, 0), keys)
        return content_BLD, self.fed(query_BKD + self.drop(answer, keys, 2), keys, site=3)


def _visible(batch: Batch, places_BK: Tensor) -> tuple[Visible, Visible]:
    """For the content stream keys of a turn that is not later than the query's, for the query stream of an earlier one;
    both within a document."""
    order = batch.order
    segments = batch.segments
    assert order is not None, "of a permutation"
    assert segments is not None, "of a permutation"

    def content(row: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        return (order[row, key] <= order[row, query]) & (segments[row, key] == segments[row, query])

    def asking(row: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        place = places_BK[row, query]
        return (order[row, key] < order[row, place]) & (segments[row, key] == segments[row, place])

    rows, length = segments.shape
    device = segments.device
    of_content = by_rule(content, (rows, length, length), device)
    return of_content, by_rule(asking, (rows, places_BK.shape[1], length), device)
