"""Rows of tokens that say which document they are of: 100 times its number, and more."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from training.batch import Row, SpecialIds
from training.config.components import Objective

END = 0
PADDING = 1
VOCABULARY = 10_000


def ids_of(objective: Objective, length: int, **tables: Any) -> SpecialIds:
    """The ids that the objective wants for rows of L = `length`, behind the vocabulary. Without `tables`, an even token
    begins a word, and a multiple of five ends a sentence."""
    names = objective.special(length)
    numbers = np.arange(VOCABULARY + len(names))
    made = {"begins_word": (numbers % 2 == 0) | (numbers >= VOCABULARY), "ends_sentence": numbers % 5 == 0}
    return SpecialIds(
        size=len(numbers),
        end_of_text=END,
        padding=PADDING,
        named={name: VOCABULARY + number for number, name in enumerate(names)},
        **made | tables,
    )


def row_of(objective: Objective, *documents: Sequence[int], padding: int = 0, apart: bool = True) -> Row:
    """All documents in a row. Its first token is the one that only causal objectives read."""
    tokens = [token for document in documents for token in document]
    segments = [number for number, document in enumerate(documents, 1) for _ in document]
    ids = ids_of(objective, len(tokens) + padding - 1)
    return Row(
        np.array(tokens + [PADDING] * padding, np.uint16), np.array(segments + [0] * padding, np.int32), apart, ids
    )


def document(number: int, length: int, *, ended: bool = True) -> list[int]:
    """Tokens of a document; its tokens differ from each other, and those of other numbers."""
    tokens = [100 * number + at for at in range(length)]
    return [*tokens[:-1], END] if ended else tokens


@st.composite
def documents(draw: st.DrawFn, total: int) -> list[list[int]]:
    """Documents of `total` tokens together; the last one may lack its end."""
    lengths: list[int] = []
    while sum(lengths) < total:
        lengths.append(draw(st.integers(1, total - sum(lengths))))
    last = draw(st.booleans())
    return [document(at, length, ended=at < len(lengths) or last) for at, length in enumerate(lengths, 1)]


@st.composite
def rows(draw: st.DrawFn, objective: Objective, length: int) -> Row:
    """Rows of L = `length`, with padding, apart or not."""
    padding = draw(st.integers(0, length))
    apart = draw(st.booleans())
    return row_of(objective, *draw(documents(length + 1 - padding)), padding=padding, apart=apart)


def read(row: Row) -> list[int]:
    """The tokens that objectives which are not causal read."""
    return [int(token) for token, segment in zip(row.tokens[1:], row.segments[1:], strict=True) if segment]
