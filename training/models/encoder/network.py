"""The encoder's network. B rows, L places, K labels, D width."""

from collections.abc import Callable, Iterable

import torch.nn.functional as F
from torch import Tensor, nn

from training.batch import Batch
from training.models.blocks.attention import Attention
from training.models.blocks.block import Block
from training.models.blocks.dropout import block_keys
from training.models.blocks.feed_forward import FeedForward
from training.models.blocks.layer import Layer
from training.models.blocks.masks import visible
from training.models.blocks.rotary import positions, rotary
from training.models.blocks.token_model import TokenModel, at_places
from training.models.encoder.sizes import EncoderSizes
from training.roles import Purpose, Role, Side


class EncoderNetwork(TokenModel):
    """Tokens to what stands at the labels' places."""

    one_stream = True

    def __init__(self, config: EncoderSizes, vocabulary: int) -> None:
        super().__init__(config, vocabulary, tied=True, bias=True)
        self.encoder = config
        self.embedding_norm = layer_norm(config, config.width)
        self.blocks = nn.ModuleList(encoder_blocks(config))
        self.norm = layer_norm(config, config.width)
        self.prediction = Projection(config, config.width, config.width, reads="labels")

    def hidden(self, batch: Batch) -> Tensor:
        x_BLD = encode(self.encoder, self.blocks, self.embedding_norm(self.embed(batch.inputs, batch)), batch)
        predicted: Tensor = self.prediction(self.norm(at_places(x_BLD, batch)))
        return predicted


class Projection(Layer):
    """From `inputs` to `outputs` elements, normalised; through GELU where something is predicted from it."""

    def __init__(
        self,
        config: EncoderSizes,
        inputs: int,
        outputs: int,
        *,
        reads: Side,
        activation: Callable[[Tensor], Tensor] = F.gelu,
    ) -> None:
        super().__init__()
        self.role = Role(Purpose.HIDDEN, None, config.deviation(inputs), reads)
        self.activation = activation
        self.dense = nn.Linear(inputs, outputs, bias=False)
        self.norm = layer_norm(config, outputs)

    def forward(self, x: Tensor) -> Tensor:
        normalised: Tensor = self.norm(self.activation(self.dense(x)))
        return normalised

    def roles(self) -> dict[str, Role]:
        return {"dense.weight": self.role}


def layer_norm(config: EncoderSizes, width: int) -> nn.LayerNorm:
    return nn.LayerNorm(width, eps=config.norm_epsilon, bias=False)


def encoder_blocks(config: EncoderSizes) -> list[Block]:
    """The blocks of one encoder. The first has no norm before its attention, because what it reads is normalised."""
    blocks = []
    for layer in range(config.layers):
        window = None if layer % config.global_every == 0 else config.local_window
        norms = (layer_norm(config, config.width) if layer else nn.Identity(), layer_norm(config, config.width))
        blocks.append(Block(Attention(config, window=window), FeedForward(config, F.gelu), norms))
    return blocks


def encode(config: EncoderSizes, blocks: Iterable[nn.Module], x_BLD: Tensor, batch: Batch, *, first: int = 0) -> Tensor:
    """Normalised embeddings of the batch's inputs -> the residual stream after the blocks; `first` is the number of the
    first one in the model."""
    places = positions(batch)
    every = visible(batch, dtype=x_BLD.dtype), rotary(places, config.head_width, config.global_theta)
    near = every
    if config.global_every > 1:
        window = visible(batch, dtype=x_BLD.dtype, reach=config.local_window // 2)
        near = window, rotary(places, config.head_width, config.local_theta)
    for layer, block in enumerate(blocks):
        seen, turn = near if layer % config.global_every else every
        x_BLD = block(x_BLD, seen, rotary=turn, keys=block_keys(batch, first + layer))
    return x_BLD
