"""The decoder's network.

Choices: a rotation turns pairs of one element from each half of a head (as in NeoX); projections that write to the
residual stream start smaller by sqrt(2 * layers), as in GPT-2; positions count from 0 in each row, not each document.
B rows, L tokens, D width, H query heads, K key and value heads, E width of a head, V vocabulary.
"""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.models.decoder.sizes import DecoderSizes
from training.trainable import Trainable


def rotary_angles(length: int, head_width: int, theta: float, device: torch.device | None = None) -> Tensor:
    """float32[L, E / 2]: position times the frequency of each pair, highest frequency first."""
    pairs = torch.arange(0, head_width, 2, dtype=torch.float32, device=device)
    positions = torch.arange(length, dtype=torch.float32, device=device)
    return torch.outer(positions, theta ** (-pairs / head_width))


def rotate(x_BHLE: Tensor, angles_LE: Tensor) -> Tensor:
    """Turns the pair (e, e + E/2) of every head by its angle, in float32; the result has the type of x."""
    cos = angles_LE.cos()
    sin = angles_LE.sin()
    low, high = x_BHLE.float().chunk(2, dim=-1)
    return torch.cat((low * cos - high * sin, high * cos + low * sin), dim=-1).type_as(x_BHLE)


class Attention(nn.Module):
    """Causal self-attention; several query heads may share one key and value head."""

    def __init__(self, config: DecoderSizes) -> None:
        super().__init__()
        self.head_width = config.head_width
        narrow = config.key_value_heads * config.head_width
        self.grouped = config.key_value_heads != config.heads
        self.query = nn.Linear(config.width, config.width, bias=False)
        self.key = nn.Linear(config.width, narrow, bias=False)
        self.value = nn.Linear(config.width, narrow, bias=False)
        self.output = nn.Linear(config.width, config.width, bias=False)

    def forward(self, x_BLD: Tensor, angles: Tensor, mask: Tensor | None) -> Tensor:
        query = rotate(self._heads(self.query(x_BLD)), angles)
        key = rotate(self._heads(self.key(x_BLD)), angles)
        value = self._heads(self.value(x_BLD))
        seen = F.scaled_dot_product_attention(
            query, key, value, attn_mask=mask, is_causal=mask is None, enable_gqa=self.grouped
        )
        projected: Tensor = self.output(seen.transpose(1, 2).flatten(2))
        return projected

    def _heads(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:-1], -1, self.head_width).transpose(1, 2)


class FeedForward(nn.Module):
    """SwiGLU: a gate through SiLU times a plain projection, projected back."""

    def __init__(self, config: DecoderSizes) -> None:
        super().__init__()
        self.gate = nn.Linear(config.width, config.hidden_width, bias=False)
        self.up = nn.Linear(config.width, config.hidden_width, bias=False)
        self.down = nn.Linear(config.hidden_width, config.width, bias=False)

    def forward(self, x_BLD: Tensor) -> Tensor:
        projected: Tensor = self.down(F.silu(self.gate(x_BLD)) * self.up(x_BLD))
        return projected


class DecoderBlock(nn.Module):
    """Attention, then feed-forward; each reads the normalised residual stream and adds to it."""

    def __init__(self, config: DecoderSizes) -> None:
        super().__init__()
        self.attention_norm = nn.RMSNorm(config.width, eps=config.norm_epsilon)
        self.attention = Attention(config)
        self.feed_forward_norm = nn.RMSNorm(config.width, eps=config.norm_epsilon)
        self.feed_forward = FeedForward(config)

    def forward(self, x_BLD: Tensor, angles: Tensor, mask: Tensor | None) -> Tensor:
        x_BLD = x_BLD + self.attention(self.attention_norm(x_BLD), angles, mask)
        fed: Tensor = x_BLD + self.feed_forward(self.feed_forward_norm(x_BLD))
        return fed


class DecoderNetwork(Trainable):
    """Tokens to logits. `blocks` are the units of sharding."""

    def __init__(self, config: DecoderSizes, vocabulary: int) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(vocabulary, config.width)
        self.blocks = nn.ModuleList(DecoderBlock(config) for _ in range(config.layers))
        self.norm = nn.RMSNorm(config.width, eps=config.norm_epsilon)
        self.head = nn.Linear(config.width, vocabulary, bias=False)
        if config.tied_embeddings:
            self.head.weight = self.embedding.weight

    def forward(self, tokens_BL: Tensor, segments_BL: Tensor | None = None) -> Tensor:
        """int64[B, L], int32[B, L] -> logits [B, L, V]; segments only matter if attention stays within documents."""
        config = self.config
        angles = rotary_angles(tokens_BL.shape[1], config.head_width, config.rope_theta, tokens_BL.device)
        mask = None if config.attend_across_documents or segments_BL is None else document_mask(segments_BL)
        x_BLD = self.embedding(tokens_BL)
        for block in self.blocks:
            x_BLD = block(x_BLD, angles, mask)
        logits: Tensor = self.head(self.norm(x_BLD))
        return logits

    def flops_per_token(self, length: int) -> float:
        """Six per weight of every matrix that a token is multiplied with, plus attention: 12 * layers * L * width,
        halved because half of the scores are masked. Source: Kaplan et al. 2020 (arXiv:2001.08361), section 2.1."""
        matrices = sum(module.weight.numel() for module in self.modules() if isinstance(module, nn.Linear))
        return 6.0 * matrices + 6.0 * self.config.layers * length * self.config.width


def document_mask(segments_BL: Tensor) -> Tensor:
    """bool[B, 1, L, L]: whether a query (third axis) may see a key (fourth): same document, not later."""
    same = segments_BL[:, :, None] == segments_BL[:, None, :]
    return same.tril()[:, None]


def initialise(model: DecoderNetwork, seed: int) -> None:
    """Fills all weights from `seed` alone, so they are the same in every process."""
    generator = torch.Generator().manual_seed(seed)
    config = model.config
    residual = config.initial_deviation / math.sqrt(2 * config.layers)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim == 1:
                parameter.fill_(1.0)
            else:
                small = name.endswith(("attention.output.weight", "feed_forward.down.weight"))
                parameter.normal_(0.0, residual if small else config.initial_deviation, generator=generator)
