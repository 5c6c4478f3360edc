"""The text of a row, in which each token stands once, and arrays filled up to the length that all rows have.

Letters: L tokens of a row, N of a text.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from training.batch import Example, ExampleShape, Ids, Marks, Numbers, Row, SpecialIds

MASK: Mapping[str, Sequence[str]] = {"mask": ("<|mask|>", "<mask>", "[MASK]")}

A = TypeVar("A", bound=np.generic)


class Text(NamedTuple):
    """Tokens in their order."""

    tokens: Ids  # int64[N]
    documents: Numbers  # int32[N]: which may not see each other; 0 for padding

    def at(self, chosen: Ids | Marks) -> "Text":
        """The tokens at these places, or those that are marked."""
        return Text(self.tokens[chosen], self.documents[chosen])

    def ended(self, end_of_text: int) -> "Text":
        """With an end behind the last document."""
        return Text(np.concatenate([self.tokens, [end_of_text]]), np.concatenate([self.documents, self.documents[-1:]]))


def documents_of(row: Row) -> Numbers:
    """int32[L + 1]: the documents of a row; a single one where documents may see each other."""
    return row.segments if row.apart else (row.segments != 0).astype(np.int32)


def text_of(row: Row) -> Text:
    """Each token of a row, padding included."""
    return Text(row.tokens[1:].astype(np.int64), documents_of(row)[1:])


def without_padding(text: Text) -> Text:
    """The tokens of documents."""
    return text if text.documents.all() else text.at(text.documents != 0)


def between_ends(text: Text, ids: SpecialIds) -> Ids:
    """The places of tokens that are neither padding nor the begin or end of a document, ascending: those that can be
    masked."""
    inner = (text.documents != 0) & (text.tokens != ids.end_of_text)
    return np.flatnonzero(inner if ids.begin_of_text is None else inner & (text.tokens != ids.begin_of_text))


def begins_of_text(tokens: npt.NDArray[Any], ids: SpecialIds) -> Marks:
    """Which of the tokens are a begin-of-text; none where documents begin with their text."""
    return np.zeros(len(tokens), bool) if ids.begin_of_text is None else tokens == ids.begin_of_text


def labels_of(row: int, share: float) -> int:
    """K, the labels of rows of L = `row` of which a share is predicted. Raises ValueError if there is none."""
    if not round(row * share):
        raise ValueError(f"rows of {row} tokens are too short: {share:.0%} of them are not one token; give longer rows")
    return round(row * share)


def filled(values: npt.NDArray[A], size: int, fill: Any = 0) -> npt.NDArray[A]:
    """The values, cut or filled up to `size`."""
    out = np.empty(size, values.dtype)
    out[: len(values)] = values[:size]
    out[len(values) :] = fill
    return out


def later(values: npt.NDArray[A], first: Any) -> npt.NDArray[A]:
    """The values one place later, behind `first`; the last one falls out."""
    out = np.empty_like(values)
    out[:1] = first
    out[1:] = values[:-1]
    return out


def runs(starts: Ids, lengths: Ids) -> Ids:
    """The numbers starts[i], starts[i] + 1, … of each run, one run behind another."""
    ends = np.cumsum(lengths)
    return np.repeat(starts - ends + lengths, lengths) + np.arange(lengths.sum())


def predicted(text: Text, labels: Ids, places: Ids, count: int, ids: SpecialIds, **more: Any) -> Example:
    """The example of a text of which these places, at most `count`, are predicted; `more` of its arrays."""
    return Example(
        inputs=text.tokens,
        segments=text.documents,
        labels=filled(labels, count, ids.padding),
        weights=filled(np.ones(len(labels), np.float32), count),
        places=filled(places, count),
        **more,
    )


def pair(inputs: Text, labels: Text, shape: ExampleShape, ids: SpecialIds) -> Example:
    """The example of an encoder that reads the inputs and a decoder that predicts the labels.

    The decoder reads the labels one place later, behind the id of padding, which T5 begins with. A label whose place
    holds a token of another document does not count.
    """
    before = later(labels.documents, labels.documents[:1])
    return Example(
        inputs=filled(inputs.tokens, shape.inputs, ids.padding),
        segments=filled(inputs.documents, shape.inputs),
        labels=filled(labels.tokens, shape.labels, ids.padding),
        weights=filled((labels.documents == before).astype(np.float32), shape.labels),
        targets=filled(later(labels.tokens, ids.padding), shape.targets, ids.padding),
        target_segments=filled(before, shape.targets),
    )
