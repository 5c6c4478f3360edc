"""How probable a decoder finds continuations of given tokens, many at a time, batched by length."""

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from training.batch import Batch
from training.evaluate.causal import CausalNetwork
from training.evaluate.generate import by_length

Ids = Sequence[int]


class TextTokenizer(Protocol):
    """Text to ids and back, without any special token but where the ids have one; and what begins and ends a document
    that the model was trained on."""

    begin_of_text: int | None
    end_of_text: int

    def ids(self, text: str) -> list[int]: ...

    def text(self, ids: Ids) -> str: ...


def before_text(tokenizer: TextTokenizer) -> list[int]:
    """What stands before a text that is not empty: its begin-of-text, if documents have one."""
    return [] if tokenizer.begin_of_text is None else [tokenizer.begin_of_text]


def first_token(tokenizer: TextTokenizer) -> int:
    """What stands before the first token of a document: its begin-of-text, or the end of the document before it."""
    return tokenizer.end_of_text if tokenizer.begin_of_text is None else tokenizer.begin_of_text


class Score(NamedTuple):
    """Of a continuation."""

    log_likelihood: float  # nats, all its tokens added up
    greedy: bool  # each of them is the most likely one


@torch.no_grad()
def scores(model: CausalNetwork, pairs: Sequence[tuple[Ids, Ids]], length: int) -> list[Score]:
    """Of each continuation after its context; neither is empty. The model reads at most `length` tokens, the last ones
    of both."""
    found: list[Score] = [Score(0.0, True)] * len(pairs)
    rows = [[*context, *continuation][-length - 1 :] for context, continuation in pairs]
    for numbers in by_length(rows):
        batch = _batch([rows[number] for number in numbers], [len(pairs[number][1]) for number in numbers], length)
        batch = batch.to(model.output_matrix.device)
        logs_BKV = model.logits(batch).float().log_softmax(dim=-1)
        logs_BK = logs_BKV.gather(2, batch.labels[:, :, None])[:, :, 0].double() * batch.weights
        right_BK = (logs_BKV.argmax(dim=2) == batch.labels) | (batch.weights == 0)
        for number, logs, right in zip(numbers, logs_BK.sum(dim=1).tolist(), right_BK.all(dim=1).tolist(), strict=True):
            found[number] = Score(logs, right)
    return found


def _batch(rows: Sequence[list[int]], counts: Sequence[int], length: int) -> Batch:
    """The last `counts` tokens of each row are its labels. What is behind a shorter row no label sees."""
    most = min(max(counts), length)
    inputs: Tensor = torch.zeros(len(rows), len(rows[0]) - 1, dtype=torch.int64)
    labels: Tensor = torch.zeros(len(rows), most, dtype=torch.int64)
    places = torch.zeros_like(labels)
    weights: Tensor = torch.zeros(len(rows), most, dtype=torch.float64)
    for number, (row, count) in enumerate(zip(rows, counts, strict=True)):
        own = slice(0, min(count, length))
        first = len(row) - 1 - own.stop
        inputs[number, : len(row) - 1] = torch.tensor(row[:-1])
        labels[number, own] = torch.tensor(row[first + 1 :])
        places[number, own] = torch.arange(first, len(row) - 1)
        weights[number, own] = 1.0
    return Batch(inputs=inputs, labels=labels, weights=weights, segments=None, places=places)
