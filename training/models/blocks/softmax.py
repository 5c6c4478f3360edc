"""What is minimised of a softmax over the vocabulary, and its gradient by the logits. N labels, V logits of each."""

from typing import NamedTuple

from torch import Tensor


class Smoothing(NamedTuple):
    """What is added to the cross-entropy."""

    labels: float  # share of each label's probability that all V have alike
    z_loss: float  # weight of the squared logarithm of the softmax's sum


class Softmax(NamedTuple):
    """What is known of all logits of a label: float32[N] each."""

    log_sum: Tensor  # logarithm of the sum of their exponentials
    of_label: Tensor  # the label's own
    mean: Tensor
    size: int  # how many there are


def gradients(
    logits_NV: Tensor, found: Softmax, weights_N: Tensor, smoothing: Smoothing
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Of each label: what is minimised, -log p, and the gradient of the weighted sum by its logits, but for the label's
    own logit; and that one. The gradients take the logits' place."""
    log_sum = found.log_sum
    of_label = found.of_label
    minimised = log_sum - of_label + smoothing.z_loss * log_sum.square()
    if smoothing.labels:
        minimised = minimised + smoothing.labels * (of_label - found.mean)
    factor = weights_N * (1 + 2 * smoothing.z_loss * log_sum)
    less = weights_N * (smoothing.labels / found.size)
    by_logits = logits_NV.sub_(log_sum[:, None]).exp_().mul_(factor[:, None])
    if smoothing.labels:
        by_logits = by_logits.sub_(less[:, None])
    by_label = (of_label - log_sum).exp() * factor - less - weights_N * (1 - smoothing.labels)
    return minimised, log_sum - of_label, by_logits, by_label
