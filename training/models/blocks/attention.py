"""Attention with several heads, of one sequence on itself or on another.

Several query heads may share a key and value head: Ainslie et al. 2023, "GQA" (arXiv:2305.13245). Queries and keys may
be normalised: Dehghani et al. 2023, "ViT-22B" (arXiv:2302.05442).
B rows, Q queries, K keys, H heads, E width of a head, D width of the residual stream.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention.flex_attention import flex_attention

from training.models.blocks.layer import Layer
from training.models.blocks.masks import Visible
from training.models.blocks.rotary import Rotary, rotate
from training.models.sizes import Sizes
from training.roles import AttentionSize, Purpose, Role, Side
from training.trainable import Seam

# Of queries, keys, what is visible, and the scale: training/watch/logits.py listens while a validation reads.
LISTENERS: list[Callable[[Tensor, Tensor, Visible, float | None], None]] = []


def attend(
    query_BHQE: Tensor,
    key_BHKE: Tensor,
    value_BHKE: Tensor,
    visible: Visible,
    *,
    scale: float | None = None,
    bias: Tensor | None = None,
) -> Tensor:
    """[B, H, Q, E]: softmax of scale * query * key + bias over the keys that are visible, times the values.

    The masks of `visible` decide how: documents by torch's varlen_attn and block masks by FlexAttention, both on a GPU
    only (tests/training/test_on_gpu.py); all else by scaled_dot_product_attention.
    """
    for listen in LISTENERS:
        listen(query_BHQE, key_BHKE, visible, scale)
    grouped = query_BHQE.shape[1] != key_BHKE.shape[1]
    if visible.starts is not None:
        return _documents(query_BHQE, key_BHKE, value_BHKE, visible.starts, scale)
    if visible.block_mask is not None:
        mask = visible.block_mask
        flex: Any = flex_attention
        if not torch.compiler.is_compiling():
            flex = _compiled_flex()
        mixed: Tensor = flex(query_BHQE, key_BHKE, value_BHKE, block_mask=mask, scale=scale, enable_gqa=grouped)
        return mixed
    scores = visible.mask
    if bias is not None:
        assert scores is not None, "a bias goes with a mask"
        scores = bias.masked_fill(~scores, float("-inf"))
    return F.scaled_dot_product_attention(
        query_BHQE, key_BHKE, value_BHKE, scores, is_causal=scores is None, scale=scale, enable_gqa=grouped
    )


def _documents(query: Tensor, key: Tensor, value: Tensor, starts: Tensor, scale: float | None) -> Tensor:
    from torch.nn.attention.varlen import varlen_attn

    rows, _, length, _ = query.shape
    flat = [x.transpose(1, 2).flatten(0, 1) for x in (query, key, value)]
    options: dict[str, Any] = {"scale": scale, "window_size": (-1, 0)}
    if query.shape[1] != key.shape[1]:
        options["enable_gqa"] = True  # from torch 2.12 on
    mixed: Any = varlen_attn(*flat, starts, starts, length, length, **options)  # type: ignore[arg-type, call-arg]
    return cast(Tensor, mixed.unflatten(0, (rows, length)).transpose(1, 2))


@lru_cache
def _compiled_flex() -> Callable[..., Any]:
    return torch.compile(flex_attention)  # without, it holds all scores


class Attention(Layer):
    """Projections to queries, keys and values, `attend`, and a projection back. `reads` and `keys` are the places of a
    row that ask and that are asked."""

    def __init__(
        self,
        config: Sizes,
        *,
        reads: Side = "inputs",
        keys: Side = "inputs",
        causal: bool = False,
        window: int | None = None,
        kv_heads: int | None = None,
        qk_norm: bool | Literal["width"] = False,
        biases: Literal["none", "qkv", "all"] = "none",
    ) -> None:
        """`qk_norm`: queries and keys are normalised within each head, or over all heads, before they are turned."""
        super().__init__()
        self.config = config
        whole = config.heads * config.head_width
        narrow = (kv_heads or config.heads) * config.head_width
        self.size = AttentionSize(1, whole, reads, keys, causal, window, narrow)
        self.query = nn.Linear(config.width, whole, bias=biases != "none")
        self.key = nn.Linear(config.width, narrow, bias=biases != "none")
        self.value = nn.Linear(config.width, narrow, bias=biases != "none")
        self.output = nn.Linear(whole, config.width, bias=biases == "all")
        self.seam = Seam("keys")
        self.norm_heads = qk_norm != "width"
        self.query_norm, self.key_norm = (
            nn.RMSNorm(config.head_width if self.norm_heads else size, eps=config.norm_epsilon)
            if qk_norm
            else nn.Identity()
            for size in (whole, narrow)
        )

    def forward(
        self, x_BQD: Tensor, visible: Visible, *, rotary: Rotary | None = None, bias: Tensor | None = None
    ) -> Tensor:
        """[B, Q, D]: of a sequence on itself."""
        return self.read(self.queries(x_BQD, rotary), *self.asked(x_BQD, rotary), visible, bias)

    def queries(self, x_BQD: Tensor, rotary: Rotary | None = None) -> Tensor:
        """[B, H, Q, E], turned."""
        heads = self._normalised(self.query(x_BQD), self.query_norm)
        return heads if rotary is None else rotate(heads, rotary)

    def asked(self, x_BKD: Tensor, rotary: Rotary | None = None) -> tuple[Tensor, Tensor]:
        """Keys, turned, and values: [B, H, K, E] each, for fewer heads if these are shared."""
        heads = self._normalised(self.key(x_BKD), self.key_norm)
        keys = heads if rotary is None else rotate(heads, rotary)
        found: tuple[Tensor, Tensor] = self.seam((keys, self._heads(self.value(x_BKD))))
        return found

    def read(self, query: Tensor, key: Tensor, value: Tensor, visible: Visible, bias: Tensor | None = None) -> Tensor:
        """[B, Q, D]: what the queries find."""
        mixed = attend(query, key, value, visible, scale=self.config.scale(), bias=bias)
        projected: Tensor = self.output(mixed.transpose(1, 2).flatten(2))
        return projected

    def roles(self) -> dict[str, Role]:
        deviation = self.config.deviation
        head = self.config.head_width
        asks = Role(Purpose.HIDDEN, "column", deviation(self.config.width), self.size.queries, head)
        asked = asks._replace(reads=self.size.keys)
        writes = Role(Purpose.HIDDEN, "row", deviation(self.size.width, writes=True), self.size.queries, head)
        return {"query.weight": asks, "key.weight": asked, "value.weight": asked, "output.weight": writes}

    def _normalised(self, x: Tensor, norm: nn.Module) -> Tensor:
        """[B, H, L, E]."""
        heads: Tensor = norm(self._heads(x)) if self.norm_heads else self._heads(norm(x))
        return heads

    def _heads(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:-1], -1, self.config.head_width).transpose(1, 2)
