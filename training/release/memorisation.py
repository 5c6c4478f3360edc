"""How many passages of its training data a model writes down word by word: 50 tokens behind the 50 before them.

Source: Carlini et al. 2023, "Quantifying Memorization Across Neural Language Models" (arXiv:2202.07646), section 3: the
most likely continuation, compared exactly; prompts of 50 tokens and more. Rows that were never trained on are asked in
the same way, since some continuations can be guessed (lists, licences, boilerplate).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from curation.tokens.shards import RowBatch, TokenData
from curation.tokens.step_rows import StepRows
from training.data.batches import spread
from training.evaluate.causal import CausalNetwork
from training.evaluate.generate import generate

PROMPT = 50  # tokens
CONTINUED = 50


@dataclass(frozen=True)
class Passage:
    """Tokens of one document in a row; `position` of the row in the mix, or in the validation split."""

    position: int
    place: int  # of the continuation in the row
    prompt: tuple[int, ...]
    continuation: tuple[int, ...]


def trained_passages(data: TokenData, rows: StepRows, steps: int, wanted: int, length: int) -> list[Passage]:
    """From at most so many of the rows that the steps before `steps` read, spread over them; the model sees the first
    `length` tokens of each."""
    last = rows.positions(steps - 1).stop
    read = [position for position in spread(last, wanted) if not rows.skips(position)]
    return list(_passages(((position, data.read(position, 1)) for position in read), length))


def held_out_passages(data: TokenData, wanted: int, length: int) -> list[Passage]:
    """The same, of the validation split."""
    read = spread(data.validation_rows, wanted)
    return list(_passages(((row, data.read_validation(row, 1)) for row in read), length))


def openings(data: TokenData, wanted: int, tokens: int) -> list[list[int]]:
    """The first tokens of rows of the validation split, without those that begin with less text."""
    rows = [data.read_validation(row, 1) for row in spread(data.validation_rows, wanted)]
    return [row.tokens[0, :tokens].tolist() for row in rows if (row.segment_ids[0, :tokens] > 0).all()]


def repeated(model: CausalNetwork, passages: Sequence[Passage]) -> list[Passage]:
    """Those that the model continues as they go on."""
    found = generate(model, [passage.prompt for passage in passages], CONTINUED)
    return [passage for passage, made in zip(passages, found, strict=True) if tuple(made) == passage.continuation]


def _passages(rows: Iterator[tuple[int, RowBatch]], length: int) -> Iterator[Passage]:
    """One of the longest document of each row that has one of 100 tokens."""
    for position, row in rows:
        segments = row.segment_ids[0, :length]
        sizes = np.bincount(segments, minlength=2)
        sizes[0] = 0  # padding
        longest = int(sizes.argmax())
        if sizes[longest] < PROMPT + CONTINUED:
            continue
        start = int(np.flatnonzero(segments == longest)[0])
        tokens = row.tokens[0, start : start + PROMPT + CONTINUED].tolist()
        yield Passage(position, start + PROMPT, tuple(tokens[:PROMPT]), tuple(tokens[PROMPT:]))
