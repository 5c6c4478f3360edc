"""The cross-entropy of labels without their logits: chunks of labels give their loss and its gradients at once.

The gradients of a chunk are made while its logits are there, in the forward pass: three products with the output
matrix, where recomputing the logits in the backward pass takes four. They are exact because a training's loss is the
total times a factor, by which the backward pass multiplies them. The softmax is computed in float32 and the products in
the type of the hidden states. The z-loss is that of Chowdhery et al. 2022, "PaLM" (arXiv:2204.02311).
N labels, D width, V vocabulary.
"""

from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from training.batch import Batch
from training.trainable import Losses

CHUNK = 2048  # labels at a time, or an eighth of all, so that logits never take much beside the activations


class Smoothing(NamedTuple):
    """What is added to the cross-entropy."""

    labels: float  # share of each label's probability that all V have alike
    z_loss: float  # weight of the squared logarithm of the softmax's sum


def losses(hidden_BKD: Tensor, weight_VD: Tensor, batch: Batch, bias_V: Tensor | None = None) -> Losses:
    """Of the batch's labels, from the hidden states at their places and the output matrix."""
    flat = (hidden_BKD.flatten(0, 1), weight_VD, bias_V, batch.labels.flatten(), batch.weights.flatten())
    smoothing = Smoothing(batch.label_smoothing, batch.z_loss)
    total, nats = _CrossEntropy.apply(*flat, smoothing, torch.is_grad_enabled())  # type: ignore[no-untyped-call]
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
        differentiable: bool,
    ) -> tuple[Tensor, Tensor]:
        rows = len(labels_N)
        nats = weights_N.new_empty(rows)
        each = weights_N.new_empty(rows)
        hidden = torch.empty_like(hidden_ND) if differentiable else None
        weight = torch.zeros_like(weight_VD, dtype=torch.float32) if differentiable else None
        bias = torch.zeros_like(bias_V, dtype=torch.float32) if differentiable and bias_V is not None else None
        size = min(CHUNK, -(-rows // 8)) or 1
        for part in (slice(first, first + size) for first in range(0, rows, size)):
            logits = hidden_ND[part] @ weight_VD.T
            logits = (logits if bias_V is None else logits + bias_V).float()
            each[part], nats[part], log_sum = _chunk(logits, labels_N[part], smoothing)
            if hidden is None or weight is None:
                continue
            by_logits = _gradient(logits, labels_N[part], weights_N[part], log_sum, smoothing)
            if bias is not None:
                bias += by_logits.sum(dim=0)
            by_logits = by_logits.to(hidden_ND.dtype)
            torch.mm(by_logits, weight_VD, out=hidden[part])
            weight += by_logits.T @ hidden_ND[part]
        ctx.save_for_backward(hidden, None if weight is None else weight.to(weight_VD.dtype), bias)
        ctx.mark_non_differentiable(nats)
        return (each * weights_N).sum(), nats

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, factor: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, bias = (None if one is None else one * factor for one in ctx.saved_tensors)
        return hidden, weight, bias, None, None, None, None


def _chunk(logits: Tensor, labels: Tensor, smoothing: Smoothing) -> tuple[Tensor, Tensor, Tensor]:
    """Of each label: what is minimised, -log p, and the logarithm of the softmax's sum."""
    log_sum = logits.logsumexp(dim=1)
    of_label = logits.gather(1, labels[:, None])[:, 0]
    minimised = log_sum - of_label + smoothing.z_loss * log_sum.square()
    if smoothing.labels:
        minimised = minimised + smoothing.labels * (of_label - logits.mean(dim=1))
    return minimised, log_sum - of_label, log_sum


def _gradient(logits: Tensor, labels: Tensor, weights: Tensor, log_sum: Tensor, smoothing: Smoothing) -> Tensor:
    """Of the weighted sum by the logits, in their place."""
    by_logits = logits.sub_(log_sum[:, None]).exp_()
    by_logits *= (weights * (1 + 2 * smoothing.z_loss * log_sum))[:, None]
    if smoothing.labels:
        by_logits -= (weights * (smoothing.labels / logits.shape[1]))[:, None]
    return by_logits.scatter_add_(1, labels[:, None], weights[:, None] * (smoothing.labels - 1))
