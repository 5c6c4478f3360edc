"""How large the logits of attention and of the output become, and how little attention spreads, while validating.

Logits that grow from one validation to the next end in losses that are not finite, or in attention to one place alone:
Dehghani et al. 2023, "ViT-22B" (arXiv:2302.05442), Wortsman et al. 2023, "Small-scale proxies for large-scale
Transformer training instabilities" (arXiv:2309.14322), Zhai et al. 2023, "Stabilizing Transformer Training by
Preventing Attention Entropy Collapse" (arXiv:2303.06296). Of each batch the last places of the first row are looked at.
Where documents are kept apart on a GPU, or blocks are compiled, attention is not heard, and its figures are missing.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor

from training.models.blocks import attention, cross_entropy
from training.models.blocks.masks import Visible
from training.parallel.mesh import Worker

PLACES = 32  # of a row


class LogitFigures:
    """Of what a model reads while this listens. H heads, Q queries, K keys."""

    def __init__(self) -> None:
        # The figures by name; of entropies the negative, so that the greatest of each counts.
        self._heard: dict[str, list[Tensor]] = {"attention_logit": [], "attention_entropy": [], "output_logit": []}

    def hear_attention(self, query: Tensor, key: Tensor, visible: Visible, scale: float | None) -> None:
        """Of a layer: the greatest logit, and the entropy in nats, the mean over queries and heads."""
        if visible.block_mask is not None or visible.starts is not None:
            return
        asks = query[0, :, -PLACES:].float()
        keys = key[0].float().repeat_interleave(len(asks) // key.shape[1], dim=0)
        scores = asks @ keys.mT * (scale or asks.shape[-1] ** -0.5)
        if visible.mask is None:
            sees = torch.ones_like(scores[0], dtype=torch.bool).tril(scores.shape[-1] - scores.shape[-2])
        else:
            sees = visible.mask[0, :, -PLACES:]
        logs = scores.masked_fill(~sees, -math.inf).log_softmax(dim=-1)
        entropy = -(logs.exp() * logs.nan_to_num(neginf=0.0)).sum(dim=-1)
        asked = sees.any(dim=-1).expand_as(entropy)
        self._heard["attention_logit"].append(scores.masked_fill(~sees, -math.inf).max())
        self._heard["attention_entropy"].append(-entropy[asked].mean() if asked.any() else -scores.new_tensor(math.inf))

    def hear_output(self, hidden: Tensor, weight: Tensor, bias: Tensor | None) -> None:
        """The greatest logit by size."""
        logits = hidden[0, -PLACES:] @ weight.T
        self._heard["output_logit"].append((logits if bias is None else logits + bias).abs().max().float())

    def record(self, worker: Worker) -> dict[str, float]:
        """Over all layers and processes; the entropy is that of the layer with the least. What was not heard is left
        out. Every process must call it and gets the same."""
        own = [max(map(float, heard), default=-math.inf) for heard in self._heard.values()]
        greatest = map(max, zip(*worker.gather(own), strict=True))
        found = {name: value for name, value in zip(self._heard, greatest, strict=True) if math.isfinite(value)}
        return {name: -value if name == "attention_entropy" else value for name, value in found.items()}


@contextmanager
def listening(*, compiled: bool) -> Iterator[LogitFigures]:
    """While a model reads without gradients; `compiled`: its blocks are."""
    figures = LogitFigures()
    if not compiled:
        attention.LISTENERS.append(figures.hear_attention)
    cross_entropy.LISTENERS.append(figures.hear_output)
    try:
        yield figures
    finally:
        attention.LISTENERS.clear()
        cross_entropy.LISTENERS.clear()
