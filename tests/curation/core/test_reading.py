"""Files that keep their source busy: the documents before and beside are read, in every attempt the same."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.core.document import DOCUMENT
from curation.core.input_rows import InputRows
from curation.core.protocols import Piece, ReadTally, Source
from curation.core.reading import converted, each
from curation.core.reasons import error_reason
from curation.core.watchdog import Overrun, WorkLimits, advance
from curation.engine.executor.work import Unit
from curation.engine.run.guards import INPUTS
from curation.engine.run.read_step import ReadStep
from curation.sources.units import row_batches

LIMITS = WorkLimits(seconds=0.3, memory=100 << 20)


def for_ever() -> Any:
    while True:
        pass


def without_bounds() -> Any:
    held = []
    while True:
        held.append(bytearray(1 << 20))


MEMORY = WorkLimits(seconds=60, memory=32 << 20)
CAUSES = pytest.mark.parametrize(
    ("word", "cause", "limits"), [("loops", "timeout", LIMITS), ("grows", "memory", MEMORY)], ids=["time", "memory"]
)
SOURCES = pytest.mark.parametrize("own", [False, True], ids=["joined rows", "own batches"])
TROUBLE = {"loops": for_ever, "grows": without_bounds}


@dataclass(frozen=True)
class Words(Source):
    """A document for each word of a file's name; some words are trouble, between documents where they end with "!"."""

    yields: ClassVar[Any] = "text"

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        yield from row_batches(self.rows(unit, tally), self.schema())

    def rows(self, unit: Sequence[Piece], tally: ReadTally) -> Iterator[dict[str, Any]]:
        for piece in unit:
            for number, word in enumerate(piece.path.split()):
                if word.endswith("!"):
                    TROUBLE[word[:-1]]()
                tally.records["lenient.word"] += 1
                text = converted(TROUBLE.get(word, lambda word=word: word))  # type: ignore[misc]
                yield row(piece, number, text)


def row(piece: Piece, number: int, text: str | Overrun) -> dict[str, Any]:
    reason = error_reason("words", text) if isinstance(text, Overrun) else None
    return {
        "doc_id": f"{piece.path}{number}",
        "origin": piece.path,
        "text": None if reason else text,
        "drop_reason": reason,
    }


@dataclass(frozen=True)
class OwnBatches(Words):
    """Makes its batches itself, of each word one."""

    def read(self, unit: Sequence[Piece], source: str, tally: ReadTally) -> Iterator[pa.RecordBatch]:
        for one in self.rows(unit, tally):
            yield pa.RecordBatch.from_pylist([one], schema=DOCUMENT)


def read(folder: Path, source: Source, *paths: str, limits: WorkLimits = LIMITS) -> tuple[list[Any], Any]:
    """Text or reason of each row, and the commit."""
    folder.mkdir(exist_ok=True)
    step = ReadStep(str(folder), "web", source, None, 1 << 20, limits=limits)
    commit = step.run(Unit(2, tuple(map(Piece, paths))))
    table = pq.read_table(folder / "part-00002.parquet")
    return [
        text or reason
        for text, reason in zip(*(table[name].to_pylist() for name in ("text", "drop_reason")), strict=True)
    ], commit


@CAUSES
@SOURCES
def test_a_document_is_dropped_alone(tmp_path: Path, own: bool, word: str, cause: str, limits: WorkLimits) -> None:
    source = OwnBatches() if own else Words()
    rows, commit = read(tmp_path, source, f"a b {word} c", "d", limits=limits)
    assert rows == ["a", "b", f"error.words.{cause}", "c", "d"]
    assert commit.counts == {"lenient.word": 5}
    again(tmp_path, source, commit, limits, f"a b {word} c", "d")


def again(folder: Path, source: Source, commit: Any, limits: WorkLimits, *paths: str) -> None:
    """A second attempt leaves the same, without trying what was caught."""
    first = (folder / "part-00002.parquet").read_bytes()
    (folder / "part-00002.parquet").unlink()
    trouble = dict(TROUBLE)
    TROUBLE.update(dict.fromkeys(TROUBLE, lambda: pytest.fail("tried again")))
    try:
        _, second = read(folder, source, *paths, limits=limits)
    finally:
        TROUBLE.update(trouble)
    assert (folder / "part-00002.parquet").read_bytes() == first
    assert second == commit


@CAUSES
@SOURCES
def test_a_file_ends_where_no_document_is_to_blame(
    tmp_path: Path, own: bool, word: str, cause: str, limits: WorkLimits
) -> None:
    source = OwnBatches() if own else Words()
    rows, commit = read(tmp_path, source, f"a b {word}! c", "d", limits=limits)
    assert rows == ["a", "b", "d"]
    assert commit.counts == {"lenient.word": 3, f"skipped.{cause}": 1}
    (fault,) = commit.faults
    assert fault["file"] == f"a b {word}! c"
    assert fault["error"].startswith("reading ends after 2 rows, as going on took more than ")
    (file,) = (InputRows.parsed(one) for one in commit.extra[INPUTS])
    assert (file.read, dict(file.failed)) == (2, {cause: 1})
    again(tmp_path, source, commit, limits, f"a b {word}! c", "d")


def test_a_file_that_never_gives_a_document_costs_itself(tmp_path: Path) -> None:
    rows, commit = read(tmp_path, Words(), "loops!", "d")
    assert rows == ["d"]
    assert commit.counts == {"lenient.word": 1, "skipped.timeout": 1}


def test_a_raised_limit_tries_again(tmp_path: Path) -> None:
    read(tmp_path, Words(), "a loops b")
    (note,) = (tmp_path / "_caught" / "unit-00002").iterdir()
    assert json.loads(note.read_text())["limit"] == 0.3
    (tmp_path / "part-00002.parquet").unlink()
    TROUBLE["loops"] = lambda: "patience"
    try:
        higher = WorkLimits(seconds=0.5, memory=100 << 20)
        assert read(tmp_path, Words(), "a loops b", limits=higher)[0] == ["a", "patience", "b"]
    finally:
        TROUBLE["loops"] = for_ever


@dataclass(frozen=True)
class Slow(Words):
    """Takes as long as the limit for each file, but reads on."""

    def rows(self, unit: Sequence[Piece], tally: ReadTally) -> Iterator[dict[str, Any]]:
        for _ in range(10):
            began = time.thread_time()
            while time.thread_time() - began < 0.1:
                pass
            advance()
        yield from super().rows(unit, tally)


def test_a_file_that_advances_may_take_long(tmp_path: Path) -> None:
    assert read(tmp_path, Slow(), "a b")[0] == ["a", "b"]


def test_documents_made_one_by_one_end_with_the_one_that_is_caught() -> None:
    def made() -> Iterator[str]:
        yield from "ab"

    assert list(each(made())) == ["a", "b"], "nobody watches here"
