"""What passes between data, objectives and models: a row of tokens, the example that an objective makes of it, and a
batch of examples as tensors. B rows, L places that a model reads, T places that its decoder reads, K labels of a row.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:  # slow to import
    import torch
    from torch import Tensor

Ids: TypeAlias = npt.NDArray[np.int64]
Numbers: TypeAlias = npt.NDArray[np.int32]
Floats: TypeAlias = npt.NDArray[np.float32]
Marks: TypeAlias = npt.NDArray[np.bool_]


class Kind(Enum):
    """What a model's input is; an objective and a model fit if the model takes the objective's kind."""

    PLAIN = "plain"  # a place sees itself and those before it
    PREFIXED = "prefixed"  # and those that `seen` marks, wherever they are
    PAIR = "pair"  # an encoder reads one sequence, a decoder another
    PERMUTED = "permuted"  # a place is predicted from those before it in a drawn order
    REPLACED = "replaced"  # prefixed, and what is drawn for a generator that replaces masked tokens


class ExampleShape(NamedTuple):
    """How many places an example has, the same for each row."""

    inputs: int  # L
    labels: int  # K
    targets: int = 0  # T


@dataclass(frozen=True)
class SpecialIds:
    """The ids that an objective puts between tokens of text, and what is known of every id. V ids."""

    size: int  # V: of the tokenizer, and of what was appended for the objective
    end_of_text: int
    padding: int
    named: Mapping[str, int]  # those that the objective wants, by its names for them
    begins_word: Marks | None = None  # bool[V]
    ends_sentence: Marks | None = None  # bool[V]
    begin_of_text: int | None = None  # None: documents begin with their text
    texts: Sequence[bytes] | None = None  # with begins_word: V, nothing for special ones


class Row(NamedTuple):
    """L + 1 tokens of the data. The first is the last one of the row before and is read by causal objectives only:
    others take `tokens[1:]`, which has each token once."""

    tokens: npt.NDArray[np.uint16] | npt.NDArray[np.uint32]
    segments: Numbers  # of each token, the number of its document within the row, or 0 for padding
    apart: bool  # no document may see another
    ids: SpecialIds


@dataclass(frozen=True, kw_only=True)
class Example:
    """One row as a model reads it. What a kind has no use for is None; padding has weight 0 and segment 0."""

    inputs: Ids  # int64[L]
    segments: Numbers  # int32[L]
    labels: Ids  # int64[K]
    weights: Floats  # float32[K]: how much each label counts; 0 for none
    places: Ids | None = (
        None  # int64[K], where in the inputs (of a pair: the targets) each is predicted; None: 0 … K - 1
    )
    seen: Marks | None = None  # bool[L]: PREFIXED, REPLACED
    targets: Ids | None = None  # int64[T]: PAIR, what the decoder reads
    target_segments: Numbers | None = None  # int32[T]
    order: Numbers | None = None  # int32[L]: PERMUTED, the turn of each place, from 0
    uniforms: Floats | None = None  # float32[K] in [0, 1): REPLACED, by which the generator's token is drawn
    detection: Floats | None = None  # float32[L]: REPLACED, how much telling replaced tokens from others counts


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Examples as tensors [B, …] on one device, named and typed as there."""

    inputs: "Tensor"
    labels: "Tensor"
    weights: "Tensor"
    segments: "Tensor | None"  # None: a plain batch whose places may see all before them
    places: "Tensor | None" = None
    seen: "Tensor | None" = None
    targets: "Tensor | None" = None
    target_segments: "Tensor | None" = None
    order: "Tensor | None" = None
    uniforms: "Tensor | None" = None
    detection: "Tensor | None" = None
    starts: "Tensor | None" = None  # int32: where each document of a plain batch begins if rows are joined; their end
    own_places: "Tensor | None" = None  # int64[L]: where in the row inputs and labels are, if processes share rows
    key_places: "Tensor | None" = None  # int64: and all places of a row, which `segments` has, as keys are gathered
    keys: "Tensor | None" = None  # int64[B]: by which dropout is drawn in each row; None: there is none
    label_smoothing: float = 0.0
    z_loss: float = 0.0

    @classmethod
    def of(
        cls,
        examples: Sequence[Example],
        *,
        together: bool = False,
        keys: Sequence[int] | None = None,
        label_smoothing: float = 0.0,
        z_loss: float = 0.0,
    ) -> "Batch":
        """The examples on the CPU; `together`: of a plain batch whose documents may see each other, so that a model
        needs no mask."""
        import torch

        columns = {field.name: [getattr(example, field.name) for example in examples] for field in fields(Example)}
        stacked: dict[str, Any] = {
            name: None if column[0] is None else np.stack(column) for name, column in columns.items()
        }
        if together:
            stacked["segments"] = None
        elif all(stacked[name] is None for name in ("seen", "targets", "order")):
            stacked["starts"] = document_starts(stacked["segments"])
        arrays: dict[str, Any] = {"label_smoothing": label_smoothing, "z_loss": z_loss}
        arrays |= {name: None if array is None else torch.from_numpy(array) for name, array in stacked.items()}
        if keys is not None:
            arrays["keys"] = torch.tensor(keys, dtype=torch.int64)
        return cls(**arrays)

    def to(self, device: "torch.device") -> "Batch":
        """The same on another device, without waiting for the copies."""
        return self._mapped(lambda tensor: tensor.to(device, non_blocking=True))

    def pinned(self) -> "Batch":
        """The same in memory from which a GPU copies while it computes."""
        return self._mapped(lambda tensor: tensor.pin_memory())

    def _mapped(self, change: Callable[["Tensor"], "Tensor"]) -> "Batch":
        from torch import Tensor

        values = {field.name: getattr(self, field.name) for field in fields(self)}
        moved: dict[str, Any] = {
            name: change(value) if isinstance(value, Tensor) else value for name, value in values.items()
        }
        return Batch(**moved)


class SourceBatch(NamedTuple):
    """Rows and the source of each; "" of one that is padding."""

    sources: Sequence[str]
    batch: Batch


def document_starts(segments: Numbers) -> Numbers:
    """int32: the flat places of segments [B, L] at which another one or another row begins, then B * L, so often that
    their number is a power of two: compiled code is of few shapes."""
    begins = np.ones(segments.shape, bool)
    begins[:, 1:] = segments[:, 1:] != segments[:, :-1]
    places = np.flatnonzero(begins)
    ends = (1 << len(places).bit_length()) - len(places)
    return np.append(places, np.full(ends, segments.size)).astype(np.int32)
