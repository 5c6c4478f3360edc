"""Continuations are those of reading everything anew for each token, whatever prompts are beside them."""

from collections.abc import Sequence

import numpy as np
import pytest
import torch

from curation.core.errors import InputError
from tests.training.models.made import SMALL, VOCABULARY, model_of
from training.batch import Batch, Example
from training.evaluate.causal import causal_network
from training.evaluate.generate import by_length, generate
from training.models.decoder import Decoder
from training.models.encoder import Encoder

# Large initial weights, so that the most likely token is far above the next.
MODEL = causal_network(model_of(Decoder(**SMALL, kv_heads=2, initial_deviation=0.5)))
RNG = np.random.default_rng(3)
PROMPTS = [RNG.integers(0, VOCABULARY, length).tolist() for length in (1, 7, 3, 12)]


def next_logits(tokens: Sequence[int]) -> torch.Tensor:
    row = np.array(tokens)
    example = Example(
        inputs=row, segments=np.ones(len(row), np.int32), labels=row, weights=np.ones(len(row), np.float32)
    )
    with torch.no_grad():
        logits: torch.Tensor = MODEL.logits(Batch.of([example], together=True))[0, -1]
    return logits


def anew(number: int, tokens: int, temperature: float, seed: int) -> list[int]:
    """By its definition, one prompt alone and without any cache."""
    text = list(PROMPTS[number])
    for place in range(tokens):
        logits = next_logits(text).double()
        if temperature:
            shares = (logits / temperature).softmax(0).numpy()
            draw = np.random.default_rng((seed, number, place)).random()
            text.append(int(np.flatnonzero(np.cumsum(shares) > draw)[0]))
        else:
            text.append(int(logits.argmax()))
    return text[len(PROMPTS[number]) :]


@pytest.mark.parametrize(("temperature", "seed"), [(0.0, 0), (1.0, 0), (1.0, 1), (0.5, 1)])
def test_as_without_a_cache(temperature: float, seed: int) -> None:
    made = generate(MODEL, PROMPTS, 20, temperature=temperature, seed=seed)
    assert made == [anew(number, 20, temperature, seed) for number in range(len(PROMPTS))]


def test_draws_follow_the_probabilities() -> None:
    shares = next_logits(PROMPTS[1]).softmax(0).numpy()
    drawn = [one[0] for one in generate(MODEL, [PROMPTS[1]] * 2000, 1, temperature=1.0)]
    counts = np.bincount(drawn, minlength=VOCABULARY) / 2000
    assert np.abs(counts - shares).max() < 5 * (0.25 / 2000) ** 0.5


def test_it_ends_where_it_is_told() -> None:
    whole = generate(MODEL, PROMPTS, 6)
    cut = generate(MODEL, PROMPTS, 6, ends=lambda made: made[-1] == whole[2][2])
    until = [next((at + 1 for at, token in enumerate(one) if token == whole[2][2]), 6) for one in whole]
    assert cut == [one[:end] for one, end in zip(whole, until, strict=True)]
    assert generate(MODEL, PROMPTS, 0) == [[], [], [], []]


def test_batches_by_length() -> None:
    assert list(by_length([[1], [1] * 3, [1] * 2], rows=2)) == [[1, 2], [0]]


def test_only_decoders() -> None:
    with pytest.raises(InputError, match="only a decoder"):
        causal_network(model_of(Encoder(**SMALL)))
