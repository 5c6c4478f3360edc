"""Continues prompts with a decoder, by its most likely tokens or by draws.

The draw of a token follows from (seed, number of the prompt, number of the token), so neither the other prompts nor
their number change what a prompt is continued with. V vocabulary.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from training.evaluate.causal import CausalNetwork

ROWS = 16  # at a time


def by_length(sequences: Sequence[Sequence[int]], rows: int = ROWS) -> Iterator[list[int]]:
    """The numbers of all sequences, so many at a time, of nearly the same length; the longest come first."""
    order = sorted(range(len(sequences)), key=lambda number: -len(sequences[number]))
    yield from (order[first : first + rows] for first in range(0, len(order), rows))


def generate(
    model: CausalNetwork,
    prompts: Sequence[Sequence[int]],
    tokens: int,
    *,
    temperature: float = 0.0,
    seed: int = 0,
    ends: Callable[[Sequence[int]], bool] = lambda made: False,
) -> list[list[int]]:
    """At most `tokens` ids behind each prompt, none of which is empty. At temperature 0 the most likely ones; `ends` is
    asked with what was made so far."""
    made: list[list[int]] = [[] for _ in prompts]
    device = model.output_matrix.device
    for numbers in by_length(prompts):
        longest = len(prompts[numbers[0]])
        inputs = torch.zeros(len(numbers), longest, dtype=torch.int64)
        segments = torch.zeros(len(numbers), longest, dtype=torch.int32)
        for row, number in enumerate(numbers):
            inputs[row, longest - len(prompts[number]) :] = torch.tensor(prompts[number])
            segments[row, longest - len(prompts[number]) :] = 1
        cache = model.cached(len(numbers), longest + tokens)
        going = set(numbers)
        for place in range(tokens):
            logits = cache.logits(cache.read(inputs.to(device), segments.to(device))[:, -1])
            draws = [_uniform(seed, number, place) for number in numbers] if temperature else None
            chosen = _chosen(logits, temperature, draws)
            for number, token in zip(numbers, chosen.tolist(), strict=True):
                if number in going:
                    made[number].append(token)
            going -= {number for number in going if ends(made[number])}
            if not going:
                break
            inputs = chosen[:, None]
            segments = torch.ones_like(inputs)
    return made


def _uniform(seed: int, prompt: int, place: int) -> float:
    return float(np.random.default_rng((seed, prompt, place)).random())


def _chosen(logits_BV: Tensor, temperature: float, draws: Sequence[float] | None) -> Tensor:
    """int64[B]; a draw in [0, 1) is looked up in the sums of the probabilities."""
    if draws is None:
        return logits_BV.argmax(dim=1)
    sums = (logits_BV.double() / temperature).softmax(dim=1).cumsum(dim=1)
    places = torch.tensor(draws, dtype=torch.float64, device=sums.device)[:, None] * sums[:, -1:]
    return torch.searchsorted(sums, places, right=True)[:, 0].clamp(max=sums.shape[1] - 1)
