"""The encoder-decoder's network. B rows, L inputs, T targets, K labels, H heads, D width."""

import math
from functools import partial

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.batch import Batch
from training.models.blocks.attention import Attention
from training.models.blocks.block import Block, rms_norm
from training.models.blocks.dropout import DropoutKeys, block_keys
from training.models.blocks.feed_forward import FeedForward
from training.models.blocks.layer import Layer
from training.models.blocks.masks import Visible, by_rule
from training.models.blocks.token_model import TokenModel, at_places
from training.models.sizes import Sizes
from training.roles import Purpose, Role, Side

BUCKETS = 32  # of distances that are told apart
FARTHEST = 128  # places, from which on all are alike


class EncoderDecoderNetwork(TokenModel):
    """Inputs and targets to the labels; `blocks` are those of the encoder, then those of the decoder."""

    def __init__(self, config: Sizes, vocabulary: int) -> None:
        super().__init__(config, vocabulary, tied=False)
        self.encoder_bias = PositionBias(config, both_ways=True)
        self.decoder_bias = PositionBias(config, both_ways=False)
        encoder = [Block(*_halves(config, "inputs")) for _ in range(config.layers)]
        decoder = [CrossBlock(config) for _ in range(config.layers)]
        self.blocks = nn.ModuleList([*encoder, *decoder])
        self.encoder_norm = rms_norm(config)
        self.norm = rms_norm(config)

    def hidden(self, batch: Batch) -> Tensor:
        """[B, K, D]; a target that is of no document of the inputs finds nothing in them."""
        inputs = batch.segments
        targets = batch.target_segments
        assert inputs is not None, "of a pair"
        assert targets is not None, "of a pair"
        assert batch.targets is not None, "of a pair"
        x_BLD = self.embed(batch.inputs, batch)
        seen = _same(inputs, inputs)
        bias = self.encoder_bias(inputs.shape[1])
        layers = self.config.layers
        for number, block in enumerate(self.blocks[:layers]):
            x_BLD = block(x_BLD, seen, bias=bias, keys=block_keys(batch, number))
        source = self.encoder_norm(x_BLD), _same(targets, inputs)
        x_BTD = self.embed(batch.targets, batch, site=1)
        seen = _same(targets, targets, causal=True)
        bias = self.decoder_bias(targets.shape[1])
        for number, block in enumerate(self.blocks[layers:]):
            x_BTD = block(x_BTD, seen, source, bias=bias, keys=block_keys(batch, layers + number))
        normalised: Tensor = self.norm(at_places(x_BTD, batch))
        return normalised

    def roles(self) -> dict[str, Role]:
        """With T5's deviations: embeddings 1, and queries as much smaller as other models' scores are scaled."""
        roles = super().roles()
        if self.config.initialisation == "fan_in":
            shrink = self.config.head_width**-0.5
            for name, role in roles.items():
                if name.endswith("query.weight"):
                    roles[name] = role._replace(deviation=role.deviation * shrink)
            roles["embedding.weight"] = roles["embedding.weight"]._replace(deviation=1.0)
            roles["head.weight"] = roles["head.weight"]._replace(deviation=self.config.deviation(self.config.width))
        return roles


class CrossBlock(Block):
    """A block of the decoder: between its halves it asks what the encoder made."""

    def __init__(self, config: Sizes) -> None:
        super().__init__(*_halves(config, "targets"))
        self.cross_norm = rms_norm(config)
        self.cross = Attention(config, reads="targets", keys="inputs")

    def forward(  # type: ignore[override]
        self,
        x_BTD: Tensor,
        visible: Visible,
        source: tuple[Tensor, Visible],
        *,
        bias: Tensor,
        keys: DropoutKeys | None,
    ) -> Tensor:
        source_BLD, across = source
        x_BTD = x_BTD + self.drop(self.attention(self.attention_norm(x_BTD), visible, bias=bias), keys, 0)
        queries = self.cross.queries(self.cross_norm(x_BTD))
        x_BTD = x_BTD + self.drop(self.cross.read(queries, *self.cross.asked(source_BLD), across), keys, 2)
        return self.fed(x_BTD, keys)


class PositionBias(Layer):
    """What is added to a score by how far its key is from its query, alike in all layers."""

    def __init__(self, config: Sizes, *, both_ways: bool) -> None:
        super().__init__()
        self.config = config
        self.both_ways = both_ways
        self.by_bucket = nn.Embedding(BUCKETS, config.heads)

    def forward(self, length: int) -> Tensor:
        """[1, H, length, length]; the buckets are made for each distance, of which there are few."""
        place = torch.arange(length, device=self.by_bucket.weight.device)
        distances = torch.arange(1 - length, length, device=place.device)
        of_distance = self.by_bucket(buckets(distances, both_ways=self.both_ways))
        biases: Tensor = of_distance[place - place[:, None] + length - 1]
        return biases.permute(2, 0, 1)[None]

    def roles(self) -> dict[str, Role]:
        return {"by_bucket.weight": Role(Purpose.EMBEDDING, None, self.config.deviation(self.config.width))}


def buckets(distances: Tensor, *, both_ways: bool) -> Tensor:
    """int64, of distances key - query: half of the buckets for single places, the others in equal steps of the
    logarithm; later keys have a half of their own, or with `both_ways` false count as the query's own place."""
    half = BUCKETS // 2 if both_ways else BUCKETS
    away = distances.abs() if both_ways else (-distances).clamp(min=0)
    single = half // 2
    steps = (away.clamp(min=1) / single).log() / math.log(FARTHEST / single) * (half - single)
    bucket = torch.where(away < single, away, (single + steps.long()).clamp(max=half - 1))
    return bucket + half * (distances > 0) if both_ways else bucket


def _same(queries_BQ: Tensor, keys_BK: Tensor, *, causal: bool = False) -> Visible:
    """Keys of the query's document; `causal`: that are not later."""

    def rule(row: Tensor, head: Tensor, query: Tensor, key: Tensor) -> Tensor:
        same = queries_BQ[row, query] == keys_BK[row, key]
        return same & (key <= query) if causal else same

    return by_rule(rule, (*queries_BQ.shape, keys_BK.shape[1]), queries_BQ.device, biased=True)


def _halves(config: Sizes, reads: Side) -> tuple[Attention, FeedForward, tuple[nn.Module, nn.Module]]:
    attention = Attention(config, reads=reads, keys=reads, causal=reads == "targets")
    activation = partial(F.gelu, approximate="tanh")
    return attention, FeedForward(config, activation, reads=reads), (rms_norm(config), rms_norm(config))
