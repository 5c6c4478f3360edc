"""Reading without Ray: a unit's files and commit; what the net caught is replayed, and bad inputs are passed over."""

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.component import Signals
from curation.core.document import DOCUMENT, RAW
from curation.core.errors import InputError
from curation.core.input_files import list_files
from curation.core.input_rows import InputRows
from curation.core.protocols import Extractor, Piece, ReadTally, Source
from curation.engine.executor.failures import Failure, run_unit
from curation.engine.executor.work import WHOLE, Unit
from curation.engine.run.commit_log import CommitLog
from curation.engine.run.guards import FAILED, INPUTS
from curation.engine.run.read_step import ReadStep, check_unchanged
from curation.extract.pages import PARSER
from curation.text.text_hash import text_hashes
from tests.curation.engine.inputs import run_here


@dataclass(frozen=True)
class Pages(Source):
    """Three pages and one record that is none."""

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        for number in range(3):
            row = dict.fromkeys(RAW.names) | {"doc_id": f"id{number}", "source": source, "content": b"page"}
            yield pa.RecordBatch.from_pylist([row], schema=RAW)
        tally.records["skipped.request"] += 1
        tally.faults.append({"file": "x.warc", "offset": 7, "error": "clipped"})


EXTRACT = pa.field("extract", pa.struct([(PARSER, pa.string())]))


@dataclass(frozen=True)
class Hangs(Extractor):
    """Page id1 hangs; what is in `caught` is not tried."""

    tried: list[str]

    def signal_types(self) -> Signals:
        return {PARSER: pa.string()}

    def extract(
        self, pages: pa.RecordBatch, caught: Mapping[str, str], on_caught: Callable[[str, str], None]
    ) -> pa.RecordBatch:
        reasons: list[str | None] = []
        for doc_id in pages.column("doc_id").to_pylist():
            if doc_id not in caught:
                self.tried.append(doc_id)
                if doc_id == "id1":
                    on_caught(doc_id, "timeout")
            reasons.append("extract:timeout" if doc_id == "id1" else None)
        columns: dict[str, Any] = {f.name: pages.column(f.name) for f in DOCUMENT if f.name in pages.schema.names}
        columns["text"] = pa.array([None if r else "text" for r in reasons], pa.large_string())
        columns["drop_reason"] = pa.array(reasons, pa.string())
        columns["extract"] = pa.array([{PARSER: None if r else "made"} for r in reasons], EXTRACT.type)
        schema = DOCUMENT.append(EXTRACT)
        return pa.RecordBatch.from_pydict({name: columns[name] for name in schema.names}, schema=schema)


def test_reading_counts_faults_and_replays_the_net(tmp_path: Path) -> None:
    tried: list[str] = []
    step = ReadStep(str(tmp_path), "web", Pages(), ("hangs", Hangs(tried)), 1 << 20)
    (commit,) = run_here(step, [Unit(4, (Piece("x.warc"),))], str(tmp_path))
    first = (tmp_path / "part-00004.parquet").read_bytes()
    assert commit.counts == {"skipped.request": 1}
    assert commit.faults == ({"file": "x.warc", "offset": 7, "error": "clipped"},)
    assert commit.parts[0].dropped == {"extract:timeout": 1}
    assert commit.extra == {"parsers": {"made": 2}}
    assert tried == ["id0", "id1", "id2"]
    hashes = pq.read_table(tmp_path / "part-00004.parquet")["text_hash"].to_pylist()
    assert hashes == [text_hashes(pa.array(["Text"]))[0].as_py(), None, hashes[0]]
    run_here(step, [Unit(4, (Piece("x.warc"),))], str(tmp_path))
    assert tried[3:] == ["id0", "id2"]
    assert (tmp_path / "part-00004.parquet").read_bytes() == first
    note = next((tmp_path / "_caught" / "unit-00004").iterdir())
    assert json.loads(note.read_text()) == {"doc_id": "id1", "cause": "timeout"}


@dataclass(frozen=True)
class NotesThenFails(Hangs):
    """Notes page id1, then fails on every batch that holds id2 with others."""

    def extract(
        self, pages: pa.RecordBatch, caught: Mapping[str, str], on_caught: Callable[[str, str], None]
    ) -> pa.RecordBatch:
        result = super().extract(pages, caught, on_caught)
        ids = pages.column("doc_id").to_pylist()
        if "id2" in ids and len(ids) > 1:
            raise ArithmeticError
        return result


@dataclass(frozen=True)
class OneBatch(Pages):
    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        yield pa.concat_batches(list(super().read(unit, source, tally)))


def test_a_page_that_was_caught_is_not_tried_again_when_its_batch_fails(tmp_path: Path) -> None:
    tried: list[str] = []
    step = ReadStep(str(tmp_path), "web", OneBatch(), ("fails", NotesThenFails(tried)), 1 << 20)
    run_here(step, [Unit(0, (Piece("x.warc"),))], str(tmp_path))
    assert tried.count("id1") == 1
    assert pq.read_table(tmp_path / "part-00000.parquet")["drop_reason"].to_pylist() == [None, "extract:timeout", None]


@pytest.mark.parametrize("cut", [0, 10])
def test_a_part_that_was_cut_short_uncommits_its_unit(tmp_path: Path, cut: int) -> None:
    test_reading_counts_faults_and_replays_the_net(tmp_path)
    part = tmp_path / "part-00004.parquet"
    part.write_bytes(part.read_bytes()[:cut])
    with CommitLog(str(tmp_path)) as log:
        assert log.commits == {}
    assert not part.exists(), "whoever makes it again finds its place free"


@dataclass(frozen=True)
class Fails(Pages):
    """Gives one batch of each file; some files cannot be opened, for now or for good."""

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        (piece,) = unit
        if piece.path == "gone":
            raise InputError("no file at gone") from FileNotFoundError("gone")
        if piece.path == "slow":
            raise OSError(5, "Input/output error")
        yield next(iter(super().read(unit, source, tally)))


@pytest.mark.parametrize(
    ("paths", "last", "skips", "failed"),
    [
        (("a", "gone", "b"), False, True, ["gone"]),
        (("a", "slow", "b"), True, True, ["slow"]),
        (("a", "slow"), False, True, OSError),
        (("a", "gone"), True, False, InputError),
    ],
)
def test_inputs_that_cannot_be_read(
    tmp_path: Path, paths: tuple[str, ...], last: bool, skips: bool, failed: Any
) -> None:
    step = ReadStep(str(tmp_path), "web", Fails(), ("hangs", Hangs([])), 1 << 20, skips_inputs=skips)
    unit = Unit(0, tuple(map(Piece, paths)), last=last)
    if isinstance(failed, type):
        with pytest.raises(failed):
            step.run(unit)
        assert list(tmp_path.glob("*.parquet")) == []
        return
    commit = step.run(unit)
    assert [fault["file"] for fault in commit.faults if fault.get("failed")] == failed
    assert (commit.counts[FAILED], commit.parts[0].rows) == (1, 2)


@pytest.mark.parametrize("skips", [True, False])
def test_a_file_that_kills_whoever_reads_it_is_not_opened(tmp_path: Path, skips: bool) -> None:
    step = ReadStep(str(tmp_path), "web", Fails(), ("hangs", Hangs([])), 1 << 20, skips_inputs=skips)
    unit = Unit(0, tuple(map(Piece, ("a", "kills", "b"))), crashed=((WHOLE, "kills"),))
    assert [(path, alone.payload) for path, alone in step.files(unit)][1] == ("kills", (Piece("kills"),))
    if not skips:
        with pytest.raises(InputError, match=r"^kills ends the process that reads it; leave it out"):
            step.run(unit)
        return
    commit = step.run(unit)
    assert [fault["file"] for fault in commit.faults if fault.get("failed")] == ["kills"]
    assert (commit.counts[FAILED], commit.parts[0].rows) == (1, 2)


def test_a_failure_names_which_of_the_units_files_it_is(tmp_path: Path) -> None:
    step = ReadStep(str(tmp_path), "web", Fails(), ("hangs", Hangs([])), 1 << 20)
    failure = run_unit(step, Unit(0, (Piece("a"), Piece("s3://key:secret@b/x"), Piece("slow"))), "node")
    assert isinstance(failure, Failure)
    assert failure.error == "OSError: [Errno 5] Input/output error while reading slow"


def test_changes_since_the_plan(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"x" * 5_000_000)
    (file,) = list_files(str(path))
    piece = Piece.of(file)
    check_unchanged(piece)
    os.utime(path, ns=(1, 1))
    check_unchanged(piece)
    path.write_bytes(b"x" * 4_999_999 + b"y")
    with pytest.raises(InputError, match=r"a.jsonl has changed since the run began; put the old file back"):
        check_unchanged(piece)
    path.write_bytes(b"x")
    with pytest.raises(InputError, match="has changed"):
        check_unchanged(piece)
    path.unlink()
    with pytest.raises(InputError, match="no file at"):
        check_unchanged(piece)
    check_unchanged(Piece(str(path)))  # nothing is known of it


@dataclass(frozen=True)
class Damaged(Pages):
    """One page of each file, and as many faults as its name says."""

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        (piece,) = unit
        yield next(iter(super().read(unit, source, ReadTally())))
        for number in range(int(piece.path)):
            tally.fault(piece.path, 10 * number + 7, "clipped")


@pytest.mark.parametrize(
    ("faults", "told"), [(0, []), (1, []), (2, ["2 of 3 records are damaged, first at byte 7: clipped"])]
)
def test_a_file_of_more_faults_than_records_counts_as_damaged(tmp_path: Path, faults: int, told: list[str]) -> None:
    step = ReadStep(str(tmp_path), "web", Damaged(), ("hangs", Hangs([])), 1 << 20)
    commit = step.run(Unit(0, (Piece("0"), Piece(str(faults)))))
    assert [InputRows.parsed(rows).words() for rows in commit.extra.get(INPUTS, ())] == told
