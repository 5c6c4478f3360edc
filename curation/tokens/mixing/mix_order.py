"""The order of a mix: which row is at a position, at which positions a row is, and which phase a position is in.

It follows from an index and the row counts of its files, so training, `winnow trace` and `winnow why` agree on it
without any state. The arithmetic is in `permutation`.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from curation.core.token_shapes import MixIndex
from curation.text.kernels.compiler.kernel import Grid, Int, Out, kernel
from curation.tokens.mixing.permutation import ROUNDS, Keys, permute, purpose, round_keys, unpermute, width

Ints = npt.NDArray[np.int64]

_ROUNDS = np.int64(ROUNDS)


class Layers(NamedTuple):
    """The index and files as the kernels take them: P phases, E entries, F files; all int64 except the keys."""

    ends: Out[Ints]  # [P + 1]: positions at which the phases begin
    taken: Out[Ints]  # [E + 1]: positions at which the entries would begin if their phase were not shuffled
    leaf: Out[Ints]  # [E]: of each entry, which is a stretch of one leaf's stream in one phase
    first: Out[Ints]  # [E]: the row of that stream with which the stretch begins
    available: Out[Ints]  # [leaves + 1]: rows of the leaves, cumulative from 0
    key: Out[Ints]  # [leaves]: number of each one's first set of round keys
    files: Out[Ints]  # [F + 1]: rows of the files, leaf by leaf, cumulative from 0
    keys: Out[Keys]  # uint64: ROUNDS per phase, then ROUNDS per epoch of each leaf


class MixOrder:
    """`files` int64[F + 1]: rows of the mix's training files, leaf by leaf, cumulative from 0."""

    def __init__(self, index: MixIndex, files: Ints) -> None:
        leaves = {leaf["source"]: number for number, leaf in enumerate(index["leaves"])}
        available = [leaf["available"] for leaf in index["leaves"]]
        entries = index["entries"]
        self._phases = index["phases"]
        self.rows: int = sum(entry["rows"] for entry in entries)
        purposes, first_keys = _purposes(index)
        self._layers = Layers(
            ends=_summed([phase["rows"] for phase in self._phases]),
            taken=_summed([entry["rows"] for entry in entries]),
            leaf=np.array([leaves[entry["source"]] for entry in entries], np.int64),
            first=np.array([entry["first"] for entry in entries], np.int64),
            available=_summed(available),
            key=np.array(first_keys, np.int64),
            files=files,
            keys=np.concatenate([round_keys(index["seed"], name) for name in purposes]),
        )
        # Plain values that decide the order, except for the files.
        self.identity: dict[str, Any] = {
            "seed": index["seed"],
            "leaves": list(zip(leaves, available, strict=True)),
            "entries": [[entry["source"], entry["phase"], entry["first"], entry["rows"]] for entry in entries],
        }

    def locate(self, position: int, rows: int) -> Ints:
        """int64[2, rows]: file number and row in that file of positions position … position + rows - 1."""
        return _locate(position, rows, self._layers)

    def positions(self, file: int, row: int) -> list[int]:
        """Ascending: one for each epoch of its leaf that reaches the row."""
        return list(map(int, _positions(int(self._layers.files[file]) + row, self._layers)))

    @property
    def begins(self) -> dict[str, int]:
        """The position at which each phase begins, by name."""
        return {phase["name"]: int(at) for phase, at in zip(self._phases, self._layers.ends[:-1], strict=True)}

    def phase_of(self, position: int) -> str:
        return self._phases[int(np.searchsorted(self._layers.ends, position, side="right")) - 1]["name"]


def _summed(counts: list[int]) -> Ints:
    return np.cumsum([0, *counts], dtype=np.int64)


def _purposes(index: MixIndex) -> tuple[list[str], list[int]]:
    """Purposes of all sets of round keys, phases first and then each leaf's epochs; the number of each leaf's first."""
    purposes = ["mix" if number == 0 else f"mix {number}" for number in range(len(index["phases"]))]
    reached: dict[str, int] = {}  # rows of each leaf's stream
    for entry in index["entries"]:
        reached[entry["source"]] = max(entry["first"] + entry["rows"], reached.get(entry["source"], 0))
    first = []
    for leaf in index["leaves"]:
        first.append(len(purposes))
        epochs = -(-reached.get(leaf["source"], 0) // max(leaf["available"], 1))
        purposes += [purpose(leaf["source"], epoch) for epoch in range(epochs)]
    return purposes, first


@kernel
def _locate(start: Int, count: Int, layers: Layers) -> Grid[Ints]:
    ends, taken, leaves, first, available, key, files, keys = layers
    places = np.empty((2, count), np.int64)
    phase = np.searchsorted(ends, start, side="right") - 1
    until = begin = np.int64(0)
    total = bits = of_bits = np.uint64(0)
    of = np.int64(-1)
    for i in range(count):
        if start + i >= until:
            while start + i >= ends[phase + 1]:
                phase += 1
            begin = ends[phase]
            until = ends[phase + 1]
            total = np.uint64(until - begin)
            bits = width(total)
        turn = np.uint64(start + i - begin)
        chosen = begin + np.int64(permute(turn, total, bits, keys[_ROUNDS * phase : _ROUNDS * (phase + 1)]))
        entry = np.searchsorted(taken, chosen, side="right") - 1
        leaf = leaves[entry]
        rows = np.uint64(available[leaf + 1] - available[leaf])
        if leaf != of:
            of = leaf
            of_bits = width(rows)
        epoch, place = divmod(np.uint64(first[entry] + chosen - taken[entry]), rows)
        at = _ROUNDS * (key[leaf] + np.int64(epoch))
        row = available[leaf] + np.int64(permute(place, rows, of_bits, keys[at : at + _ROUNDS]))
        file = np.searchsorted(files, row, side="right") - 1
        places[0, i] = file
        places[1, i] = row - files[file]
    return places


@kernel
def _positions(row: Int, layers: Layers) -> Ints:
    """`row` is counted over all files."""
    ends, taken, leaves, first, available, key, _, keys = layers
    leaf = np.searchsorted(available, row, side="right") - 1
    rows = available[leaf + 1] - available[leaf]
    local = np.uint64(row - available[leaf])
    size = np.uint64(rows)
    positions = []
    phase = 0
    for entry in range(len(leaves)):
        stop = first[entry] + taken[entry + 1] - taken[entry]
        if leaves[entry] != leaf or stop == first[entry]:
            continue
        while taken[entry] >= ends[phase + 1]:
            phase += 1
        begin = ends[phase]
        total = np.uint64(ends[phase + 1] - ends[phase])
        for epoch in range(first[entry] // rows, (stop - 1) // rows + 1):
            at = _ROUNDS * (key[leaf] + epoch)
            place = epoch * rows + np.int64(unpermute(local, size, width(size), keys[at : at + _ROUNDS]))
            if first[entry] <= place < stop:
                chosen = np.uint64(taken[entry] + place - first[entry] - begin)
                of_phase = _ROUNDS * phase
                turn = unpermute(chosen, total, width(total), keys[of_phase : of_phase + _ROUNDS])
                positions.append(begin + np.int64(turn))
    return np.sort(np.array(positions, np.int64))
