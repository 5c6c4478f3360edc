"""Recomputes activations in the backward pass instead of keeping them: less memory, more arithmetic.

`full` keeps a block's input alone, about a third more arithmetic. `selective` keeps the results of matrix products and
of scaled_dot_product_attention too, and recomputes what is between them. Source: Chen et al. 2016, "Training deep nets
with sublinear memory cost" (arXiv:1604.06174); Korthikanti et al. 2022 (arXiv:2205.05198), section 5.
"""

from functools import partial
from types import MethodType
from typing import Any

import torch
from torch import nn
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts

from training.trainable import Trainable

_ATEN = torch.ops.aten
_KEPT = [
    _ATEN.mm.default,
    _ATEN.addmm.default,
    _ATEN.bmm.default,
    _ATEN._scaled_dot_product_flash_attention.default,
    _ATEN._scaled_dot_product_efficient_attention.default,
    _ATEN._scaled_dot_product_cudnn_attention.default,
    _ATEN._scaled_dot_product_flash_attention_for_cpu.default,
    _ATEN._scaled_mm.default,
]


def recompute(model: Trainable, how: str) -> None:
    """`how`: none, selective or full. In place: a wrapper module would change the names of parameters."""
    if how == "none":
        return
    options: dict[str, Any] = {"use_reentrant": False}
    if how == "selective":
        options["context_fn"] = partial(create_selective_checkpoint_contexts, _KEPT)

    def forward(block: nn.Module, *inputs: Any, **named: Any) -> Any:
        # Names no block, so that one compiled code serves all, and is no function of torch's, which is not compiled.
        return checkpoint(type(block).forward, block, *inputs, **options, **named)

    for block in model.blocks:
        block.forward = MethodType(forward, block)
