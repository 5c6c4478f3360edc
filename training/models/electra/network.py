"""The network of ELECTRA's pair. B rows, L places, K labels, D width, V vocabulary."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.batch import Batch
from training.models.blocks.cross_entropy import CHUNK, losses
from training.models.blocks.token_model import TokenModel, at_places
from training.models.encoder.network import Projection, encode, encoder_blocks, layer_norm
from training.models.encoder.sizes import EncoderSizes
from training.roles import Purpose, Role
from training.trainable import Losses


class ElectraNetwork(TokenModel):
    """An embedding of `width`, a `small` encoder and one of `config`. `blocks` are the generator's, then the
    discriminator's; `logits` are the generator's."""

    def __init__(self, config: EncoderSizes, small: EncoderSizes, vocabulary: int, *, width: int) -> None:
        super().__init__(config, vocabulary, tied=True, width=width, bias=True)
        self.discriminator = config
        self.generator = small
        self.to_generator = Projection(small, width, small.width, reads="inputs", activation=nn.Identity())
        self.to_discriminator = Projection(config, width, config.width, reads="inputs", activation=nn.Identity())
        self.blocks = nn.ModuleList([*encoder_blocks(small), *encoder_blocks(config)])
        self.generator_norm = layer_norm(small, small.width)
        self.discriminator_norm = layer_norm(config, config.width)
        self.prediction = Projection(small, small.width, width, reads="labels")
        self.detection = Projection(config, config.width, config.width, reads="inputs")
        self.detector = nn.Linear(config.width, 1)

    def hidden(self, batch: Batch) -> Tensor:
        x_BLD = self.to_generator(self.embed(batch.inputs, batch))
        x_BLD = encode(self.generator, self.blocks[: self.generator.layers], x_BLD, batch)
        predicted: Tensor = self.prediction(self.generator_norm(at_places(x_BLD, batch)))
        return predicted

    def forward(self, batch: Batch) -> Losses:
        """The generator's loss, and the discriminator's weighted by `detection`."""
        hidden = self.hidden(batch)
        filled = losses(hidden, self.output_matrix, batch, self.head_bias)
        tokens, replaced = self.replace(batch, hidden)
        each = F.binary_cross_entropy_with_logits(self.suspicion(tokens, batch), replaced.float(), reduction="none")
        assert batch.detection is not None, "of replaced tokens"
        told = (each * batch.detection).sum()
        parts = {"generator": filled.total.detach(), "detection": told.detach()}
        return Losses(filled.total + told, filled.nats, parts)

    def replace(self, batch: Batch, hidden_BKD: Tensor) -> tuple[Tensor, Tensor]:
        """Tokens [B, L] with those that the generator draws at places whose label counts, and bool[B, L] where they
        differ from what was there."""
        assert batch.places is not None, "of replaced tokens"
        assert batch.uniforms is not None, "of replaced tokens"
        drawn = draw(hidden_BKD.flatten(0, 1), self.output_matrix, self.head_bias, batch.uniforms.flatten())
        drawn = drawn.view_as(batch.labels)
        beyond = batch.inputs.shape[1]  # one place more, for labels that do not count
        places = batch.places.where(batch.weights > 0, beyond)
        tokens = F.pad(batch.inputs, (0, 1)).scatter(1, places, drawn)
        replaced = torch.zeros_like(tokens, dtype=torch.bool).scatter(1, places, drawn != batch.labels)
        return tokens[:, :beyond], replaced[:, :beyond]

    def suspicion(self, tokens_BL: Tensor, batch: Batch) -> Tensor:
        """float32[B, L]: logits of each token's being replaced."""
        small = self.generator
        x_BLD = self.to_discriminator(self.embed(tokens_BL, batch, site=1))
        x_BLD = encode(self.discriminator, self.blocks[small.layers :], x_BLD, batch, first=small.layers)
        logits: Tensor = self.detector(self.detection(self.discriminator_norm(x_BLD)))[..., 0]
        return logits.float()

    def roles(self) -> dict[str, Role]:
        detector = Role(Purpose.OUTPUT, None, self.config.initial_deviation, "inputs")
        return super().roles() | {"detector.weight": detector, "detector.bias": Role(Purpose.BIAS)}


@torch.no_grad()
def draw(hidden_ND: Tensor, matrix_VD: Tensor, bias_V: Tensor | None, uniforms_N: Tensor) -> Tensor:
    """int64[N]: of each state the token in whose share of [0, 1) the uniform number is, shares in the order of ids."""
    drawn = []
    for hidden, uniforms in zip(torch.split(hidden_ND, CHUNK), torch.split(uniforms_N, CHUNK), strict=True):
        sums = F.linear(hidden, matrix_VD, bias_V).float().softmax(dim=1).cumsum(dim=1)
        wanted = uniforms[:, None] * sums[:, -1:]  # they end at 1, but for rounding
        drawn.append(torch.searchsorted(sums, wanted, right=True)[:, 0].clamp(max=sums.shape[1] - 1))
    return torch.cat(drawn)
