"""A sealed stage of a run, its shards and their rows. N = rows of a shard, K = requested rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from curation.account.sealed.rows import Bools, Ints, columns_in, read, scan
from curation.core import storage
from curation.core.close_names import nearest
from curation.core.commits import Part
from curation.core.composed import Files, all_columns, kept_rows, read_rows, schema_of
from curation.core.document import ROW_BITS
from curation.core.errors import InputError, UserError
from curation.core.manifest import Manifest, StageEntry, read_manifest
from curation.core.shard_files import ShardFiles
from curation.core.verbs import Verb

if TYPE_CHECKING:
    import pandas

TOKENIZER_COPY = "_tokenizer."  # a tokenize stage's copy of its tokenizer has a name that begins like this


@dataclass(frozen=True, eq=False)
class SealedStage:
    """A sealed stage. `entry` comes from `run.json`; the manifest is read at its first use.

    `current` is False for a stage of an earlier recipe in the run's folder.
    """

    folder: str
    entry: StageEntry
    current: bool = True
    known: Manifest | None = field(default=None, repr=False)  # the manifest, if it was read before
    filed: dict[str, ShardFiles] = field(default_factory=dict, repr=False)  # stages of the run, by address

    @property
    def name(self) -> str:
        return self.entry.name

    @property
    def verb(self) -> Verb:
        return self.entry.verb

    @cached_property
    def manifest(self) -> Manifest:
        """Raises InputError if the stage is no longer sealed."""
        manifest = self.known or read_manifest(self.folder)
        if manifest is None:
            raise InputError(f"{self.folder} is no longer sealed; run the recipe again")
        return manifest

    @property
    def upstream(self) -> list[str]:
        """Addresses of the stages that this one reads, in order."""
        return list(self.manifest.address_parts["upstream"])

    @cached_property
    def shards(self) -> "SealedShards":
        return SealedShards(self, range(len(self.manifest.shards)))

    @cached_property
    def shard_files(self) -> ShardFiles:
        return ShardFiles(self.folder, self.manifest, self.filed)

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns that documents have at the stage, wherever they lie. Raises InputError for a stage without
        documents."""
        return schema_of(self._first().files, [name for name, _ in self.manifest.schema])

    @cached_property
    def own_columns(self) -> list[str]:
        """The columns that the stage's own files hold for all its documents."""
        return list(all_columns((self._first().uri,)).names)

    def _first(self) -> "SealedShard":
        if not self.verb.documents or not self.shards:
            raise InputError(f"{self.name} is a {self.verb} stage and has no documents; name another stage")
        return self.shards[0]

    def scan(
        self, columns: Sequence[str] | None = None, where: pc.Expression | None = None
    ) -> Iterator[pa.RecordBatch]:
        """The stage's rows, in order, without empty batches.

        `columns`: any of `schema`, text included, by default `own_columns`; "gopher_quality.words" gives a field of a
        struct as a column of that name. `where` is a condition on any column, such as `pc.field("language", "score") >
        0.9`. Reads only these columns and which rows were kept. Raises InputError for a stage without documents,
        UserError for an unknown column or a condition that does not fit.
        """
        columns = self.own_columns if columns is None else list(columns)
        self.check_columns(columns)
        if where is not None:
            try:
                self.schema.empty_table().filter(where)
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
                cause = str(error).partition("\n")[0]
                raise UserError(f"{self.name}: the condition {where} does not fit its columns: {cause}") from error
        judged_by = columns_in(where, self.schema) if where is not None else ()
        return (batch for shard in self.shards for batch in scan(shard.files, columns, where, judged_by))

    def to_pandas(self, columns: Sequence[str] | None = None, where: pc.Expression | None = None) -> "pandas.DataFrame":
        """The rows of `scan` as one frame, which must fit into memory. Raises UserError without pandas."""
        batches = list(self.scan(columns, where))
        try:
            import pandas
        except ImportError as error:
            raise UserError("frames need pandas; install it with: pip install pandas") from error
        if batches:
            frame: pandas.DataFrame = pa.Table.from_batches(batches).to_pandas()
            return frame
        return pandas.DataFrame(columns=self.own_columns if columns is None else list(columns))

    def check_columns(self, names: Sequence[str]) -> None:
        """Raises UserError, with the nearest name, for a column or a field that the stage lacks."""
        for name in names:
            self._check_column(name)

    def _check_column(self, name: str) -> None:
        kind = pa.struct(list(self.schema))
        known = list[str]()
        for part in name.split("."):
            known = [field.name for field in kind] if pa.types.is_struct(kind) else []
            if part not in known:
                raise UserError(f"{self.name} has no column {name!r}{nearest(part, known)}")
            kind = kind.field(part).type

    def document(self, doc: int) -> "Place":
        """The place of the document with this engine id. Shards of stages of earlier runs, against which this one
        deduplicated, are numbered after the stage's own. Raises InputError for any other shard."""
        shard = doc >> ROW_BITS
        row = doc & ((1 << ROW_BITS) - 1)
        if shard < len(self.shards):
            return Place(self.folder, self.shards[shard], row)
        for earlier in (self.manifest.dedup or {}).get("earlier", ()):
            number = shard - earlier["first"]
            if 0 <= number < earlier["shards"]:
                stage = sealed_stage(earlier["folder"], current=False)
                return Place(earlier["folder"], stage.shards[number] if stage is not None else None, row)
        raise InputError(f"{self.name} names a document of shard {shard}, which it lacks; ask `winnow verify`")


@dataclass(frozen=True)
class SealedShards(Sequence["SealedShard"]):
    """Shards of a stage, each made when it is asked for: a question about one document needs few of 100,000."""

    stage: SealedStage
    numbers: range

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, index: int) -> "SealedShard": ...
    @overload
    def __getitem__(self, index: slice) -> "SealedShards": ...
    def __getitem__(self, index: int | slice) -> "SealedShard | SealedShards":
        chosen = self.numbers[index]
        return SealedShards(self.stage, chosen) if isinstance(chosen, range) else SealedShard(self.stage, chosen)


@dataclass(frozen=True)
class SealedShard:
    """One part file of a stage of documents."""

    stage: SealedStage
    number: int

    @property
    def key(self) -> tuple[str, int]:
        """Sort key: the stage's folder, then the number."""
        return self.stage.folder, self.number

    @property
    def part(self) -> Part:
        return self.stage.manifest.shards[self.number]

    @property
    def uri(self) -> str:
        return storage.join(self.stage.folder, self.part.file)

    @property
    def files(self) -> Files:
        """Its part file, then those of the stages before."""
        return self.stage.shard_files.files(self.number)

    def read(self, columns: Sequence[str]) -> pa.Table:
        """All rows. The name "struct.field" gives the struct with only the named fields."""
        return read(self.files, columns)

    def column(self, name: str, rows: Ints) -> pa.ChunkedArray:
        """One column of the rows int64[K] (ascending). Reads only their row groups."""
        return read(self.files, [name], rows)[name]

    def kept(self) -> Bools:
        """bool[N]: rows without a drop reason."""
        return kept_rows((self.uri,))

    def lengths(self, name: str, rows: Ints | None = None) -> Ints:
        """int64[N], or int64[K] of the rows (ascending): UTF-8 bytes of `text`, or number of `tokens`; 0 where a row
        has none."""
        measure = pc.binary_length if name == "text" else pc.list_value_length
        lengths = (pc.fill_null(measure(table[name]), 0) for table in read_rows(self.files, [name], rows=rows))
        return np.concatenate([np.empty(0, np.int64), *(np.asarray(chunk, np.int64) for chunk in lengths)])

    def row(self, number: int, *, beginning: int = 0, before: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """All columns of one row: of `tokens` the number, of `text` the UTF-8 bytes or, with `beginning`, that many of
        its first characters. `before` is the same document's row in the stage before, whose columns are not read again.
        Raises InputError for a row number beyond the shard."""
        names = [name for name, _ in self.stage.manifest.schema]
        files = self.files
        known = {} if before is None else {name: before[name] for name in names if name in before}
        if before is not None:
            new = all_columns(files[:1]).names
            names = [name for name in names if name in new]
        try:
            table = read(files, names, np.array([number]))
        except IndexError as error:
            raise InputError(
                f"{self.stage.folder} has no row {number} in shard {self.number}; its files do not match its manifest"
            ) from error
        large = {name: table[name] for name in ("text", "tokens") if name in table.column_names}
        values: dict[str, Any] = table.drop_columns(list(large)).to_pylist()[0]
        if "text" in large and beginning:
            values["text"] = pc.utf8_slice_codeunits(large["text"], 0, beginning)[0].as_py() or ""
        elif "text" in large:
            values["text"] = pc.binary_length(large["text"])[0].as_py() or 0
        if "tokens" in large:
            values["tokens"] = pc.list_value_length(large["tokens"])[0].as_py() or 0
        return known | values


Rows = dict[SealedShard, Ints]  # rows of each shard, ascending


@dataclass(frozen=True)
class Place:
    """A document's place: the stage's folder, its shard there (None if the stage is gone) and row."""

    folder: str
    shard: SealedShard | None
    row: int


def sealed_stage(folder: str, *, current: bool) -> SealedStage | None:
    """The stage in a folder; None if none is sealed there."""
    manifest = read_manifest(folder)
    if manifest is None:
        return None
    name = folder.rstrip("/").rpartition("/")[2]
    address = manifest.address
    return SealedStage(
        folder, StageEntry(manifest.name, manifest.verb, manifest.chain, name, address), current, manifest
    )
