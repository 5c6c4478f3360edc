"""The first step of a source: its records become documents, through the extractor where they are pages."""

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, Self, cast

import pyarrow as pa
import pyarrow.compute as pc

from curation.core.commits import Commit
from curation.core.component import needs_of
from curation.core.credentials import masked, masked_values
from curation.core.document import with_text_hash
from curation.core.errors import InputError, StageError
from curation.core.input_files import unchanged
from curation.core.judging import count_fired
from curation.core.needs import Needs
from curation.core.net import Net
from curation.core.protocols import Extractor, Piece, ReadTally, Source
from curation.core.reading import BeginAgainError, read_file
from curation.core.watchdog import LIMITS, WorkLimits
from curation.engine import apply
from curation.engine.executor.failures import described, machine_fault
from curation.engine.executor.work import WHOLE, Unit
from curation.engine.removed.tombstones import NONE, Tombstones, not_taken
from curation.engine.run.blank_texts import drop_blank
from curation.engine.run.guards import FAILED, INPUTS
from curation.engine.run.part_files import PartWriter
from curation.engine.run.row_stream import RowStream
from curation.extract.pages import PARSER
from curation.text.text_hash import text_hashes


@dataclass(frozen=True)
class ReadStep:
    """Reads a unit's input files and writes their documents; a payload is a tuple of `Piece`."""

    folder: str
    source_name: str
    source: Source
    extractor: tuple[str, Extractor] | None
    full_bytes: int
    tombstones: Tombstones = NONE
    skips_inputs: bool = False  # whether files that cannot be read are counted and skipped
    limits: WorkLimits = LIMITS

    @property
    def needs(self) -> Needs:
        return needs_of([self.source, self.extractor[1]] if self.extractor else [self.source])

    @property
    def keys(self) -> tuple[str, ...]:
        return (self.extractor[0],) if self.extractor else ()

    def run(self, unit: Unit) -> Commit:
        while True:
            with suppress(BeginAgainError), self._net(unit) as net:
                return self._read(unit, net)

    def _read(self, unit: Unit, net: Net) -> Commit:
        tally = ReadTally()
        fired = Counter[str]()
        parsers = Counter[str]()
        judge = self.extractor[1].judging() if self.extractor else ()
        with self._writer(unit) as writer:
            for table in self._documents(unit, tally, net):
                writer.add(table)
                if self.extractor:
                    extract = pa.Table.from_struct_array(not_taken(table)["extract"])
                    count_fired(judge, extract, fired)
                    pages = pc.value_counts(extract[PARSER].drop_null()).to_pylist()
                    parsers.update({entry["values"]: entry["counts"] for entry in pages})
            parts = writer.close()
        counts = dict(sorted(tally.records.items()))
        extra: dict[str, Any] = {"parsers": dict(parsers)} if parsers else {}
        if rows := self._rows_of_inputs(unit, tally):
            extra[INPUTS] = masked_values(rows)
        return Commit(
            unit.number, parts, dict(fired), counts, tuple(cast(list[Any], masked_values(tally.faults))), extra
        )

    def _rows_of_inputs(self, unit: Unit, tally: ReadTally) -> list[Any]:
        """Counts of files with skipped rows, and of parts of files, because their other parts may have some."""
        parts = {piece.path for piece in unit.payload if (piece.start, piece.stop) != (0, -1)}
        return [rows.plain() for rows in tally.files.values() if rows.failed or rows.file in parts]

    def empty(self, unit: Unit) -> Commit:
        with self._writer(unit) as writer:
            return Commit(unit.number, writer.close())

    def probe(self, unit: Unit, start: int, stop: int, key: str | None) -> int:
        while True:
            with suppress(BeginAgainError), self._net(unit) as net:
                records = RowStream(self._records(unit, ReadTally(), net))
                for batch in records.between(start, stop):
                    self._extracted(batch, net)
                return records.seen

    def files(self, unit: Unit) -> list[tuple[str, Unit]]:
        return [(piece.path, replace(unit, payload=(piece,))) for piece in unit.payload]

    def _writer(self, unit: Unit) -> PartWriter:
        return PartWriter(self.folder, unit.number, self.schema(), self.source_name, self.full_bytes)

    def _net(self, unit: Unit) -> Net:
        return Net(self.folder, unit.number, self.limits, f"unit {unit.number}, {described(unit)}")

    def _documents(self, unit: Unit, tally: ReadTally, net: Net) -> Iterator[pa.Table]:
        """The unit's documents with the hashes of their texts; those taken down have no text."""
        extract = partial(self._extracted, net=net)
        for batch, crashed in RowStream(self._records(unit, tally, net)).with_crashed(unit.crashed):
            spare = partial(self.tombstones.spare, call=extract, columns=("doc_id",))
            schema = self.extractor[1].schema() if self.extractor else batch.schema
            documents = drop_blank(apply.spare_crashed(batch, crashed, schema, spare))
            columns = dict(zip(documents.schema.names, documents.columns, strict=True))
            columns["text_hash"] = text_hashes(documents["text"])
            hashed = pa.RecordBatch.from_pydict(columns, schema=with_text_hash(documents.schema))
            yield pa.Table.from_batches(
                [self.tombstones.spare(hashed, lambda batch: batch)]
            )  # once more, by its URL, whose text must be known to find its copies, and by the hash of its text

    def _records(self, unit: Unit, tally: ReadTally, net: Net) -> Iterator[pa.RecordBatch]:
        return records_of(self.source, self.source_name, unit, tally, net, skips_inputs=self.skips_inputs)

    def _extracted(self, batch: pa.RecordBatch, net: Net) -> pa.RecordBatch:
        if self.extractor is None:
            return batch
        key, extractor = self.extractor
        return apply.extract(key, extractor, batch, net.notes.pages, net.notes.note_page, net.within)

    def schema(self) -> pa.Schema:
        return with_text_hash(self.extractor[1].schema() if self.extractor else self.source.schema())


def records_of(
    source: Source, name: str, unit: Unit, tally: ReadTally, net: Net, *, skips_inputs: bool
) -> Iterator[pa.RecordBatch]:
    """The records of each of a unit's input files, without the credentials of its URI."""
    for piece in unit.payload:
        secret = masked(piece.path) != piece.path
        try:
            if (WHOLE, piece.path) in unit.crashed:
                raise InputError(f"{piece.path} ends the process that reads it; leave it out, or write it anew")
            check_unchanged(piece)
            before = _Counts.of(tally)
            rows = 0
            for batch in read_file(net, source, piece, name, tally):
                rows += len(batch)
                yield _without_credentials(batch) if secret else batch
            _note_damage(tally, piece, before, rows)
        except Exception as error:
            passed_over = skips_inputs and isinstance(error, InputError | StageError | OSError)
            if not passed_over or (machine_fault(error) and not unit.last):
                error.add_note(f"while reading {masked(piece.path)}")  # of several in the unit
                raise
            tally.records[FAILED] += 1
            tally.faults.append({"file": piece.path, "offset": -1, "error": str(error), "failed": 1})


class _Counts(NamedTuple):
    """Counts in a tally: records that were passed over, faults, and faults that are listed."""

    skipped: int
    faults: int
    listed: int

    @classmethod
    def of(cls, tally: ReadTally) -> Self:
        skipped = sum(count for cause, count in tally.records.items() if cause.startswith("skipped."))
        return cls(skipped, len(tally.faults) + tally.records["faults.unlisted"], len(tally.faults))


def _note_damage(tally: ReadTally, piece: Piece, before: _Counts, rows: int) -> None:
    """Counts the records of a file whose source does not, where it has more faults than records that could be read: one
    that is no archive at all, for example. A fault may be of a record that was read all the same."""
    after = _Counts.of(tally)
    read = rows + after.skipped - before.skipped
    faults = after.faults - before.faults
    if faults > read and not (piece.path in tally.files and tally.files[piece.path].rows):
        listed = tally.faults[before.listed :]
        first: dict[str, str | int] = listed[0] if listed else {"offset": -1, "error": "its faults are not listed"}
        records = tally.rows_of(piece.path)
        records.called = "record"
        records.read += read
        records.fail("damaged", int(first["offset"]), str(first["error"]))
        records.failed["damaged"] += faults - 1


def check_unchanged(piece: Piece) -> None:
    """Raises InputError where the file has changed since it was listed; a piece of size -1 is not checked."""
    if piece.size >= 0 and not unchanged(piece.path, piece.size, piece.stamp, piece.modified):
        raise InputError(
            f"{masked(piece.path)} has changed since the run began; put the old file back, or run the same command "
            "again, which makes a new stage of what is there now"
        )


def _without_credentials(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The documents with the credentials masked in the URIs that they came from."""
    origins = batch["origin"].dictionary_encode()
    shown = pa.array([masked(uri) for uri in origins.dictionary.to_pylist()], pa.string())
    return batch.set_column(
        batch.schema.get_field_index("origin"), batch.schema.field("origin"), shown.take(origins.indices)
    )
