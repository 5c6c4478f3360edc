"""The cross-entropy of labels without their logits: chunks of labels give their loss and its gradients at once.

The gradients of a chunk are made while its logits are there, in the forward pass: three products with the output
matrix, where recomputing the logits in the backward pass takes four. They are exact because a training's loss is the
total times a factor, by which the backward pass multiplies them. The softmax is computed in float32 and the products in
the type of the hidden states. The z-loss is that of Chowdhery et al. 2022, "PaLM" (arXiv:2204.02311).
N labels, D width, V vocabulary.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.distributed.tensor import DTensor

from training.batch import Batch
from training.models.blocks.softmax import Smoothing, Softmax, gradients
from training.models.blocks.vocabulary import VocabularyPart, part_of
from training.trainable import Losses

CHUNK = 2048  # labels at a time, or an eighth of all, so that logits never take much beside the activations

# Of hidden states [B, K, D], this process's part of the output matrix, and its bias; as those of attention.
LISTENERS: list[Callable[[Tensor, Tensor, Tensor | None], None]] = []


def losses(hidden_BKD: Tensor, weight_VD: Tensor, batch: Batch, bias_V: Tensor | None = None) -> Losses:
    """Of the batch's labels, from the hidden states at their places and the output matrix."""
    part = None
    if isinstance(weight_VD, DTensor):
        part = part_of(weight_VD)
        weight_VD = weight_VD.to_local()
        bias_V = part.own(bias_V)
    for listen in LISTENERS:
        listen(hidden_BKD, weight_VD, bias_V)
    flat = (hidden_BKD.flatten(0, 1), weight_VD, bias_V, batch.labels.flatten(), batch.weights.flatten())
    smoothing = Smoothing(batch.label_smoothing, batch.z_loss)
    total, nats = _CrossEntropy.apply(*flat, smoothing, part, torch.is_grad_enabled())  # type: ignore[no-untyped-call]
    return Losses(total, (nats.view_as(batch.weights) * batch.weights).sum(dim=1), {})


class _CrossEntropy(torch.autograd.Function):
    """The weighted sum with its additions, and -log p of each label, float32[N], which has no gradient."""

    @staticmethod
    def forward(
        ctx: Any,
        hidden_ND: Tensor,
        weight_VD: Tensor,
        bias_V: Tensor | None,
        labels_N: Tensor,
        weights_N: Tensor,
        smoothing: Smoothing,
        part: VocabularyPart | None,
        differentiable: bool,
    ) -> tuple[Tensor, Tensor]:
        rows = len(labels_N)
        softmax = part.softmax if part else _compiled() if hidden_ND.is_cuda else _softmax
        labels_N = part.at(labels_N) if part else labels_N
        nats = weights_N.new_empty(rows)
        each = weights_N.new_empty(rows)
        hidden = torch.empty_like(hidden_ND) if differentiable else None
        weight = torch.zeros_like(weight_VD, dtype=torch.float32) if differentiable else None
        bias = torch.zeros_like(bias_V, dtype=torch.float32) if differentiable and bias_V is not None else None
        size = min(CHUNK, -(-rows // 8)) or 1
        for some in (slice(first, first + size) for first in range(0, rows, size)):
            logits = hidden_ND[some] @ weight_VD.T
            logits = logits if bias_V is None else logits + bias_V
            each[some], nats[some], by_logits, by_label = softmax(logits, labels_N[some], weights_N[some], smoothing)
            if hidden is None or weight is None:
                continue
            by_logits.scatter_(1, labels_N[some, None].clamp(0, by_logits.shape[1] - 1), by_label[:, None])
            if bias is not None:
                bias += by_logits.sum(dim=0, dtype=torch.float32)
            torch.mm(by_logits, weight_VD, out=hidden[some])
            if weight.dtype is by_logits.dtype:
                weight.addmm_(by_logits.T, hidden_ND[some])
            else:
                weight += by_logits.T @ hidden_ND[some]
        if part and hidden is not None:
            part.add_up(hidden)
        ctx.save_for_backward(hidden, None if weight is None else weight.to(weight_VD.dtype), bias)
        ctx.mark_non_differentiable(nats)
        return (each * weights_N).sum(), nats

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, factor: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        # The factor has digits that bfloat16 lacks, and in fp16 it may be too small to be one.
        hidden, weight, bias = (
            None if one is None else (one.float() * factor).to(one.dtype) for one in ctx.saved_tensors
        )
        return hidden, weight, bias, None, None, None, None, None


def _softmax(
    logits_NV: Tensor, labels_N: Tensor, weights_N: Tensor, smoothing: Smoothing
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Of each label: what is minimised, -log p, and the gradient of the weighted sum by its logits, but for the label's
    own logit; and that one. Gradients have the logits' type, and may be in their place."""
    kind = logits_NV.dtype
    logits = logits_NV.float()
    log_sum = logits.logsumexp(dim=1)
    of_label = logits.gather(1, labels_N[:, None])[:, 0]
    found = Softmax(log_sum, of_label, logits.mean(dim=1), logits.shape[1])
    minimised, nats, by_logits, by_label = gradients(logits, found, weights_N, smoothing)
    return minimised, nats, by_logits.to(kind), by_label.to(kind)


Function: TypeAlias = Callable[[Tensor, Tensor, Tensor, Smoothing], tuple[Tensor, Tensor, Tensor, Tensor]]


@lru_cache
def _compiled() -> Function:
    compiled: Function = torch.compile(
        _softmax, dynamic=False
    )  # reads the logits twice where torch reads them 14 times
    return compiled
