"""The bridge to training: batches of token rows in an order that is a pure function of (index, seed, step).

A mix folder holds a small index over the rows that `pack` wrote; nothing else of a run is read. The global batch of a
step is the next `batch_rows` positions of the epoch, a rank takes its contiguous share, so the order is the same for
any number of ranks and any step is found at once. See `order` for the arithmetic and `token_files` for the files.
B = rows of a batch, L = row_tokens = sequence_length + 1.
"""

import posixpath
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from curation.core import storage
from curation.core.errors import InputError, UserError
from curation.tokens.manifests import checksum, mix_folder, read_index, read_pack
from curation.tokens.order import locate, position_of, round_keys
from curation.tokens.row_files import RowFile, RowFiles
from curation.tokens.token_files import Tokens, map_file


class Batch:
    """Rows as stored: `tokens` uint16|uint32[B, L]; `where` int64[2, B] is their file number and row in that file."""

    __slots__ = ("__dict__", "_files", "tokens", "where")

    def __init__(self, files: RowFiles, where: npt.NDArray[np.int64]) -> None:
        self._files = files
        self.where = where
        self.tokens: Tokens = files.tokens(where)

    @cached_property
    def segment_ids(self) -> npt.NDArray[np.int32]:
        """int32[B, L]: 0 = padding, else 1, 2, … for the documents in each row; read when first asked for."""
        return self._files.segment_ids(self.where)


class TokenData:
    """Training and validation rows of one mix. Made by `TokenData.open`."""

    def __init__(self, folder: str, index: dict[str, Any], packs: dict[str, dict[str, Any]]) -> None:
        self.folder = folder  # of the run: the mix and the packs lie in it
        self.dtype = np.dtype(index["dtype"]).newbyteorder("<")
        self.row_tokens: int = index["row_tokens"]
        self.sequence_length = self.row_tokens - 1
        self.vocabulary: int = index["vocabulary"]
        self.end_of_text: int = index["end_of_text"]
        self.padding: int = index["padding"]
        self.tokenizer_path = storage.join(folder, next(iter(packs)), index["tokenizer"]["file"])
        self.seed: int = index["seed"]
        self.sources: list[str] = [entry["source"] for entry in index["entries"]]
        self._packs = packs
        self._training = self._files("train")
        self._validation = self._files("validation")
        self._set_order(index["entries"])
        self.rows = int(self._taken[-1])
        self.tokens = self.rows * self.sequence_length  # predicted in one epoch, padding of the last rows included

    @classmethod
    def open(cls, path: str) -> "TokenData":
        """`path`: a mix folder, or a run folder, whose last mix is taken.

        Raises InputError where something is missing or does not fit together, in one line that says what.
        """
        mix = mix_folder(path)
        index = read_index(mix)
        folder = posixpath.dirname(mix)
        packs = {pack: read_pack(storage.join(folder, pack), index) for pack in index["packs"]}
        return cls(folder, index, packs)

    def batch(self, step: int, *, batch_rows: int, rank: int = 0, world_size: int = 1) -> Batch:
        """Rows of `rank` in the global batch of `step`: B = batch_rows / world_size.

        Raises UserError for a step past the end of the mix, or a batch that the ranks cannot share evenly.
        """
        share, rest = divmod(batch_rows, world_size)
        if rest or not 0 <= rank < world_size:
            raise UserError(f"{batch_rows} rows a batch cannot be shared by {world_size} ranks (rank {rank})")
        if not 0 <= step < self.steps(batch_rows):
            raise UserError(
                f"step {step} is outside the mix: its {self.rows:,} rows make {self.steps(batch_rows):,} steps of "
                f"{batch_rows} rows, counted from 0; train for fewer steps or mix more tokens"
            )
        return self.read(step * batch_rows + rank * share, share)

    def steps(self, batch_rows: int) -> int:
        """Whole global batches in the mix."""
        return self.rows // batch_rows

    def read(self, position: int, rows: int) -> Batch:
        """Positions position … position + rows - 1 of the epoch, for batches whose size changes over a run."""
        return Batch(self._training, self._locate(position, rows))

    @property
    def validation_rows(self) -> int:
        return self._validation.rows

    def validation_batches(self, batch_rows: int) -> Iterator[Batch]:
        """All validation rows of the mix's sources, always in the same order; the last batch may be smaller."""
        for start in range(0, self.validation_rows, batch_rows):
            yield self.read_validation(start, min(batch_rows, self.validation_rows - start))

    def read_validation(self, start: int, rows: int) -> Batch:
        """Validation rows start … start + rows - 1."""
        if not 0 <= start <= start + rows <= self.validation_rows:
            raise UserError(f"validation rows {start} to {start + rows} asked for, there are {self.validation_rows}")
        return Batch(self._validation, self._validation.find(start, rows))

    def validation_totals(self) -> dict[str, dict[str, int]]:
        """Source -> rows, tokens, documents and utf8_bytes of its validation split (for bits per byte)."""
        kinds = ("rows", "tokens", "documents", "utf8_bytes")
        return {
            source: {
                kind: sum(p["sources"].get(source, {}).get("validation", {}).get(kind, 0) for p in self._packs.values())
                for kind in kinds
            }
            for source in self.sources
        }

    def locate(self, step: int, *, batch_rows: int) -> list[tuple[str, int]]:
        """(file, row) of each row in the global batch of `step`; a file is "<pack folder>/tokens-NNNNN", whose
        lineage is that name and ".parquet"."""
        where = self.batch(step, batch_rows=batch_rows).where
        return [(self._training.files[file].name, row) for file, row in zip(*where.tolist(), strict=True)]

    def position(self, file: str, row: int) -> int | None:
        """The position at which the epoch holds a row (its step is position // batch_rows), None where it does not."""
        for number, one in enumerate(self._training.files):
            if one.name == file and 0 <= row < one.rows:
                found = position_of(int(self._training.starts[number]) + row, self._keys, self._taken, self._available)
                return None if found < 0 else int(found)
        raise UserError(f"{file} row {row} is no training row of this mix")

    def verify(self) -> None:
        """Reads every file of the packs. Raises InputError naming the first whose checksum is not its manifest's."""
        for pack, section in self._packs.items():
            for part in section["parts"]:
                for name, facts in part["files"].items():
                    uri = storage.join(self.folder, pack, name)
                    if checksum(map_file(uri)) != facts["blake2b"]:
                        raise InputError(f"{uri} is damaged: its checksum differs from its manifest's; copy it again")

    def _files(self, split: str) -> RowFiles:
        files = [
            RowFile(f"{pack}/{part['name']}", source, part["rows"])
            for source in self.sources
            for pack, section in self._packs.items()
            for part in section["parts"]
            if (part["source"], part["split"]) == (source, split)
        ]
        return RowFiles(self.folder, files, self.row_tokens, self.dtype)

    def _set_order(self, entries: list[dict[str, Any]]) -> None:
        available = [sum(file.rows for file in self._training.files if file.source == s) for s in self.sources]
        for entry, rows in zip(entries, available, strict=True):
            if entry["available"] != rows:
                raise InputError(
                    f"the packs hold {rows} rows of {entry['source']!r}, the mix was made of {entry['available']}; "
                    "mix again"
                )
        self._taken = np.cumsum([0, *(entry["rows"] for entry in entries)], dtype=np.int64)
        self._available = np.cumsum([0, *available], dtype=np.int64)
        purposes = ["mix", *(f"source {source}" for source in self.sources)]
        self._keys = np.stack([round_keys(self.seed, purpose) for purpose in purposes])

    def _locate(self, position: int, rows: int) -> npt.NDArray[np.int64]:
        if not 0 <= position <= position + rows <= self.rows:
            raise UserError(f"rows {position} to {position + rows} asked for, the mix has {self.rows}")
        found: npt.NDArray[np.int64] = locate(
            position, rows, self._keys, self._taken, self._available, self._training.starts
        )
        return found
