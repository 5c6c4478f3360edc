"""The bridge to training: batches of token rows in an order that is a pure function of (index, seed, step).

A mix folder holds a small index over the rows that `pack` wrote; only the mix and its packs are read. The global batch
of a step is the next `batch_rows` positions of the mix, and each rank takes its contiguous share, so the order is the
same for any number of ranks and every step is found at once. See `permutation` for the arithmetic and `token_files` for
the files. B = rows of a batch, L = row_tokens = sequence_length + 1.

    data = TokenData.open("runs/demo")
    batch = data.batch(0, batch_rows=8)
    batch.tokens, batch.segment_ids        # uint16[8, 257], int32[8, 257]
"""

import hashlib
import json
import posixpath
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

import numpy as np
import numpy.typing as npt

from curation.core import storage
from curation.core.errors import InputError, UserError
from curation.core.token_shapes import FileEntry, MixIndex, Section
from curation.tokens.file_checks import FileChecks, TokenFile, check_anew, lineage_file
from curation.tokens.index_checks import check_leaves
from curation.tokens.local_copies import LocalCopies
from curation.tokens.manifests import leaf_of, mix_folder, read_index, read_pack
from curation.tokens.mixing.mix_order import MixOrder
from curation.tokens.row_check_kernels import Rules
from curation.tokens.row_files import RowFile, RowFiles
from curation.tokens.shard_checks import broken_batch, broken_rows, rules_of
from curation.tokens.store_rows import StoreRowFiles
from curation.tokens.token_files import Tokens


class RowBatch:
    """Rows as stored: `tokens` uint16|uint32[B, L]; `where` int64[2, B] holds file numbers and rows in those files.

    Raises InputError where a token is not in the vocabulary.
    """

    __slots__ = ("_files", "_segments", "tokens", "where")

    def __init__(self, files: RowFiles, where: npt.NDArray[np.int64], vocabulary: int) -> None:
        self._files = files
        self._segments: npt.NDArray[np.int32] | None = None
        self.where = where
        self.tokens: Tokens = files.tokens(where)
        if self.tokens.size and int(self.tokens.max()) >= vocabulary:
            raise self._damaged(vocabulary)

    @property
    def segment_ids(self) -> npt.NDArray[np.int32]:
        """int32[B, L]: 0 = padding, else 1, 2, … for the documents in each row; read on first access."""
        if self._segments is None:
            self._segments = self._files.segment_ids(self.where)
        return self._segments

    def _damaged(self, vocabulary: int) -> InputError:
        """Names the first row with an id outside the vocabulary, which `pack` never writes."""
        wrong = int(np.flatnonzero(self.tokens.max(axis=1) >= vocabulary)[0])
        file, row = self.where[:, wrong].tolist()
        uri = self._files.path(file)
        return InputError(
            f"{uri}.bin is damaged: row {row:,} has the token id {self.tokens[wrong].max():,}, but the vocabulary ends "
            f"before {vocabulary:,}; {_remedy(uri)}"
        )

    def check(self, rules: Rules) -> None:
        """Raises InputError, with file and row, for the first row that breaks a rule which shows without lineage."""
        for broken in broken_batch(self.tokens, self.segment_ids, rules):
            file, row = self.where[:, broken.row].tolist()
            uri = self._files.path(file)
            raise InputError(f"{uri}.bin: {replace(broken, row=row)}; {_remedy(uri)}")

    @property
    def sources(self) -> list[str]:
        """The leaf of each row."""
        return [self._files.files[file].source for file in self.where[0].tolist()]


def _remedy(stem: str) -> str:
    run = posixpath.dirname(posixpath.dirname(stem))
    return f"`winnow verify {run} --deep` says what to delete, so that the run makes it again"


class TokenData:
    """Training and validation rows of one mix. Made by `TokenData.open`."""

    def __init__(self, folder: str, index: MixIndex, packs: dict[str, Section], disk: int | None = None) -> None:
        self.folder = folder  # of the run: the mix and the packs lie in it
        self.dtype = np.dtype(index["dtype"]).newbyteorder("<")
        self.row_tokens: int = index["row_tokens"]
        self.sequence_length = self.row_tokens - 1
        self.vocabulary: int = index["vocabulary"]
        self.begin_of_text: int | None = index["begin_of_text"]  # None: documents begin with their text
        self.end_of_text: int = index["end_of_text"]
        self.padding: int = index["padding"]
        self.tokenizer_path = storage.join(folder, next(iter(packs)), index["tokenizer"]["file"])
        self.sources: list[str] = [leaf["source"] for leaf in index["leaves"]]
        self._packs = packs
        self._leaves = {
            (p, s): leaf_of(p, s, index["runs"]) for p, section in packs.items() for s in section["sources"]
        }
        self._disk = disk
        self._checks = FileChecks(self._entries)
        self._training = self._files("train")
        self._validation = self._files("validation")
        check_leaves(index, ((self._leaves[p, part["source"]], part) for p in packs for part in packs[p]["parts"]))
        self._order = MixOrder(index, self._training.starts)
        self.rows: int = self._order.rows
        self.phases = self._order.begins  # name -> position at which it begins
        self.tokens: int = sum(phase["tokens"] for phase in index["phases"])  # predicted in the whole mix

    @classmethod
    def open(cls, path: str, *, disk: int | None = None) -> "TokenData":
        """`path`: a mix folder, or a run folder, whose last mix is used; `disk`: bytes of this machine's for copies of
        files that lie in a store, see `local_copies`.

        Raises InputError, in one line, for anything that is missing or does not fit together.
        """
        mix = mix_folder(path)
        index = read_index(mix)
        folder = posixpath.dirname(mix)
        packs = {pack: read_pack(storage.join(folder, pack), index) for pack in index["packs"]}
        return cls(folder, index, packs, disk)

    def batch(self, step: int, *, batch_rows: int, rank: int = 0, world_size: int = 1) -> RowBatch:
        """Rows of `rank` in the global batch of `step`: B = batch_rows / world_size.

        Raises UserError for a step past the end of the mix, or for a batch that the ranks cannot share evenly.
        """
        return RowBatch(self._training, self._where(step, batch_rows, rank, world_size), self.vocabulary)

    def _where(self, step: int, batch_rows: int, rank: int = 0, world_size: int = 1) -> npt.NDArray[np.int64]:
        share, rest = divmod(batch_rows, world_size)
        if rest or not 0 <= rank < world_size:
            raise UserError(f"{batch_rows} rows a batch cannot be shared by {world_size} ranks (rank {rank})")
        if not 0 <= step < self.rows // batch_rows:
            raise UserError(
                f"step {step} is outside the mix: its {self.rows:,} rows make {self.steps(batch_rows):,} steps of "
                f"{batch_rows} rows, counted from 0; train for fewer steps or mix more tokens"
            )
        return self._order.locate(step * batch_rows + rank * share, share)

    def steps(self, batch_rows: int) -> int:
        """Whole global batches in the mix."""
        return self.rows // batch_rows

    def read(self, position: int, rows: int) -> RowBatch:
        """Positions position … position + rows - 1 of the mix, for batches whose size changes over a run."""
        if not 0 <= position <= position + rows <= self.rows:
            raise UserError(f"there are no rows {position} to {position + rows}: the mix has {self.rows}")
        return RowBatch(self._training, self._order.locate(position, rows), self.vocabulary)

    def unchecked(self, positions: range, validation: Sequence[int], seconds: float) -> int:
        """Bytes of the files with these positions of the mix and rows of the validation split that are not checked
        against their checksums after at most so many seconds. The other training files are checked after these, as a
        training will read them."""
        files = self._order.locate(positions.start, len(positions))[0]
        held_out = np.searchsorted(self._validation.starts, np.asarray(validation, np.int64), side="right") - 1
        asked = self._training.checkable(dict.fromkeys(files.tolist()))
        asked += self._validation.checkable(dict.fromkeys(held_out.tolist()))
        self._checks.ask(asked)
        self._training.check_all()
        return self._checks.left(asked, seconds)

    @property
    def validation_rows(self) -> int:
        return self._validation.rows

    def read_validation(self, start: int, rows: int) -> RowBatch:
        """Rows start … start + rows - 1 of the validation split, which is never shuffled."""
        if not 0 <= start <= start + rows <= self.validation_rows:
            raise UserError(f"there are no validation rows {start} to {start + rows}, only {self.validation_rows}")
        return RowBatch(self._validation, self._validation.find(start, rows), self.vocabulary)

    def validation_totals(self) -> dict[str, dict[str, int]]:
        """Source -> rows, tokens, documents and utf8_bytes of its validation split (for bits per byte)."""
        kinds = ("rows", "tokens", "documents", "utf8_bytes")
        totals = {source: dict.fromkeys(kinds, 0) for source in self.sources}
        for (pack, source), leaf in self._leaves.items():
            counts = self._packs[pack]["sources"][source].get("validation", {})
            for kind in kinds if leaf in totals else ():
                totals[leaf][kind] += counts.get(kind, 0)
        return totals

    def locate(self, step: int, *, batch_rows: int) -> list[tuple[str, int]]:
        """(file, row) of each row in the global batch of `step`. A file is named "<pack folder>/tokens-NNNNN"; add
        ".parquet" for its lineage."""
        self._where(step, batch_rows)
        return self.places(range(step * batch_rows, (step + 1) * batch_rows))

    def places(self, positions: range) -> list[tuple[str, int]]:
        """As `locate`, of some positions of the mix."""
        where = self._order.locate(positions.start, len(positions))
        return [(self._training.files[file].name, row) for file, row in zip(*where.tolist(), strict=True)]

    def positions(self, file: str, row: int) -> list[int]:
        """The positions of a row in the mix, ascending: one for each epoch that reaches it, none if the mix does not
        use it. The step of a position is position // batch_rows.

        Raises UserError for a row that no pack of the mix has.
        """
        number = self._numbers.get(file)
        if number is None or not 0 <= row < self._training.files[number].rows:
            raise UserError(f"row {row} of {file} is no training row of this mix")
        return self._order.positions(number, row)

    def phase_of(self, position: int) -> str:
        """Name of the phase that a position is in. Raises UserError past the end of the mix."""
        if not 0 <= position < self.rows:
            raise UserError(f"position {position} is outside the mix, which has {self.rows:,} rows")
        return self._order.phase_of(position)

    def fingerprint(self) -> str:
        """32 hex digits that identify the rows and their order; a training run records them. They depend neither on
        where the files are nor on takedowns."""
        rows = {
            split: [[*file.name.split("/")[-2:], file.rows] for file in files.files]
            for split, files in (("train", self._training), ("validation", self._validation))
        }
        shape = {"row_tokens": self.row_tokens, "vocabulary": self.vocabulary}
        ends = [self.locate(position, batch_rows=1)[0][1] for position in (0, self.rows - 1)]  # shows the arithmetic
        facts = json.dumps([{**self._order.identity, **shape, "files": rows}, ends], sort_keys=True)
        return hashlib.blake2b(facts.encode(), digest_size=16).hexdigest()

    def verify(self) -> None:
        """Reads every file of the packs, lineage too, also if it was checked before. Raises InputError for the first
        whose checksum differs from its manifest's, and the first row that breaks a rule of `shard_checks`."""
        for name, facts in self._entries.items():
            check_anew(storage.join(self.folder, name), facts["blake2b"])
        for file in chain(self.row_files("train"), self.row_files("validation")):
            self._check_rows(file.name)

    def check(self, file: str) -> None:
        """Reads the files of a token shard against their checksums, unless they were, and its rows against the rules of
        `shard_checks`. Raises InputError, which names the first row that breaks one."""
        ends = (".bin", ".idx", ".parquet")
        self._checks.wait([TokenFile(file + end, uri := storage.join(self.folder, file) + end, uri) for end in ends])
        self._check_rows(file)

    def _check_rows(self, file: str) -> None:
        stem = storage.join(self.folder, file)
        pack, _, name = file.rpartition("/")
        part = next(part for part in self._packs[pack]["parts"] if part["name"] == name)
        for broken in broken_rows(stem, part, self._packs[pack], self.rules):
            raise InputError(f"{stem}.bin: {broken}; {_remedy(stem)}")

    def row_files(self, split: str) -> Sequence[RowFile]:
        """The token files of "train" or "validation", leaf by leaf."""
        return (self._training if split == "train" else self._validation).files

    @cached_property
    def rules(self) -> Rules:
        """The rules for the ids of documents."""
        from curation.tokens.encoders.never_text import never_text_in  # slow to import, and training needs none of it

        return rules_of(next(iter(self._packs.values())), never_text_in(self.tokenizer_path))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {file.name: number for number, file in enumerate(self._training.files)}

    def _files(self, split: str) -> RowFiles:
        by_leaf: dict[str, list[RowFile]] = {source: [] for source in self.sources}
        for pack, section in self._packs.items():
            for part in section["parts"]:
                leaf = self._leaves[pack, part["source"]]
                if part["split"] == split and leaf in by_leaf:
                    by_leaf[leaf].append(RowFile(f"{pack}/{part['name']}", leaf, part["rows"]))
        files = list(chain(*by_leaf.values()))
        if storage.in_store(self.folder):
            return StoreRowFiles(self.folder, files, self.row_tokens, self.dtype, self._checks, self.copies)
        return RowFiles(self.folder, files, self.row_tokens, self.dtype, self._checks)

    @cached_property
    def copies(self) -> LocalCopies:
        """Of a run in a store."""
        return LocalCopies(self.folder, self._entries, self._disk)

    @cached_property
    def _entries(self) -> dict[str, FileEntry]:
        """Size and checksum of each file, by "<pack folder>/<file>"."""
        parts = [(pack, part) for pack, section in self._packs.items() for part in section["parts"]]
        return {f"{pack}/{name}": entry for pack, part in parts for name, entry in part["files"].items()}

    def lineage(self, file: str) -> str:
        """The path of a token file's lineage, checked as its rows are."""
        return lineage_file(self.folder, file, self._entries[f"{file}.parquet"])
