"""Which documents are held out where they are few: whole ones that make up the tokens asked for.

A draw by hash holds out the right share of tokens where some thousand documents are drawn. Of five books it may draw
none, or one that is a seventh of the text. There, documents are taken in the order of their draws, each where it fits
what its source still lacks; at the end the shortest one left is added if that brings the share nearer. Documents that
belong on one side (see `encode`) are one unit here, also across sources. Bytes of text stand for tokens.

Documents are never cut. Where no document is short enough, none is held out, and `validation_share` tells it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from curation.tokens.encode import Encode

FEW = 1000  # documents to be held out, below which they are chosen. At 1,000 the share of a draw misses by some percent
CANDIDATES = 5 * FEW  # of a source: those with the smallest draws


@dataclass(frozen=True, kw_only=True)
class EncodeFew(Encode):
    """An encoder that holds out chosen documents."""

    few: tuple[str, ...]  # sources of which nothing else is held out
    chosen: tuple[int, ...]  # draws

    def held_out(self, batch: pa.RecordBatch) -> npt.NDArray[np.bool_]:
        chosen = np.isin(self.draws(batch), np.array(self.chosen, np.uint64))
        few = np.isin(np.array(batch.column("source").to_pylist(), np.object_), self.few)
        return chosen | (super().held_out(batch) & ~few)


def few_sources(encoder: Encode, documents: Mapping[str, int]) -> dict[str, int]:
    """Source with few documents to be held out, of `documents` by source -> the largest draw of its candidates."""
    few = {}
    for source, count in documents.items():
        share = encoder.fraction(source)
        if 0 < share < 1 and 0 < count * share < FEW:
            few[source] = min(2**64 * CANDIDATES // count, 2**64 - 1)
    return few


def choose(candidates: Mapping[str, Sequence[tuple[int, int]]], wanted: Mapping[str, float]) -> tuple[int, ...]:
    """The draws to be held out, ascending. `candidates`: draw and bytes of each document, by source; `wanted`: bytes to
    hold out of each source."""
    units: dict[int, dict[str, int]] = {}
    for source, documents in candidates.items():
        for draw, size in documents:
            own = units.setdefault(draw, {})
            own[source] = own.get(source, 0) + size
    lacking = dict(wanted)
    chosen = set[int]()

    def take(draw: int) -> None:
        chosen.add(draw)
        for source, size in units[draw].items():
            lacking[source] -= size

    for draw in sorted(units):
        if all(size <= lacking[source] for source, size in units[draw].items()):
            take(draw)
    for source in sorted(wanted):
        left = [(own[source], draw) for draw, own in units.items() if source in own and draw not in chosen]
        shortest = min(left, default=None)
        if shortest is not None and all(size < 2 * lacking[one] for one, size in units[shortest[1]].items()):
            take(shortest[1])
    return tuple(sorted(chosen))
