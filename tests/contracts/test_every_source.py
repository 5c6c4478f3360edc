"""What every source signs by existing: a file in `curation/sources/` with one is tested here unasked.

Its own test file says in `SAMPLE` what a file of it looks like.
"""

import importlib
import pickle
import random
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from curation.core import catalog
from curation.core.caught import CaughtNotes, EndOfReading
from curation.core.document import RAW
from curation.core.errors import InputError, WinnowError
from curation.core.input_files import list_files
from curation.core.net import Net
from curation.core.protocols import MAX_FAULTS, Piece, ReadTally, Source
from curation.core.reading import read_file
from curation.core.verbs import READ
from curation.core.watchdog import LIMITS
from curation.sources.units import MAX_ROWS
from tests.curation.sources.sample import Sample
from tests.drop_reasons import parse
from tests.mutations import mutated

KEYS = catalog.known(READ)
TEXTS = [f"<p>Document {number} of the town.</p>" for number in range(30)]
LONG = "<p>" + "word " * 1000 + "</p>"


def sample(key: str) -> Sample:
    *_, within, _ = catalog.find(READ, key).__module__.split(".")
    place = "tests.curation.sources" + (f".{within}" if within == "documents" else "")
    made: Sample = importlib.import_module(f"{place}.test_{key}").SAMPLE
    return made


def make(key: str, **options: Any) -> Source:
    stated: dict[str, Any] = {"paths": (), **sample(key).needed, **options}
    made = catalog.find(READ, key)(**stated)
    assert isinstance(made, Source)
    return made


def rows_of(made: Source, unit: Sequence[Piece], source: str = "s") -> tuple[list[dict[str, Any]], ReadTally]:
    """What a unit gives, batch by batch in the form that is promised."""
    tally = ReadTally()
    rows: list[dict[str, Any]] = []
    for batch in made.read(unit, source, tally):
        assert batch.schema == (RAW if made.yields == "html" else made.schema())
        assert 0 < len(batch) <= MAX_ROWS
        batch.validate(full=True)
        rows += batch.to_pylist()
    return rows, tally


def content(row: dict[str, Any]) -> str | None:
    body: bytes | str | None = row.get("text") if "text" in row else row["content"]
    return body.decode(errors="replace") if isinstance(body, bytes) else body


def written(folder: Path, key: str, *names: str, texts: Sequence[str] = TEXTS) -> list[Piece]:
    """Files of these texts, each as one piece."""
    folder.mkdir(exist_ok=True)
    for name in names:
        (folder / name).write_bytes(sample(key).write(texts))
    return [Piece(str(folder / name), name=name) for name in names]


@pytest.mark.parametrize("key", KEYS)
def test_it_is_declared(key: str) -> None:
    made = make(key)
    assert made.verb is READ
    assert made.version >= 1
    assert made.yields in ("html", "text")
    assert made.paths == ()
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize("key", KEYS)
def test_every_record_has_its_row_in_the_order_of_the_file(key: str, tmp_path: Path) -> None:
    pieces = written(tmp_path, key, "a", "b")
    rows, tally = rows_of(make(key), pieces)
    assert [content(row) for row in rows] == [sample(key).becomes(text) for text in TEXTS * 2]
    assert [row["origin"].partition("#")[0] for row in rows] == [piece.path for piece in pieces for _ in TEXTS]
    offsets = [row["origin_offset"] for row in rows[: len(TEXTS)]]
    assert offsets == sorted(set(offsets))
    assert {row["source"] for row in rows} == {"s"}
    assert {row["drop_reason"] for row in rows} == {None}
    assert (dict(tally.records), tally.faults) == ({}, [])


@pytest.mark.parametrize("key", KEYS)
def test_ids_are_unique_and_stay_where_files_are_moved(key: str, tmp_path: Path) -> None:
    pieces = written(tmp_path / "one", key, "a", "b")
    ids = [row["doc_id"] for row in rows_of(make(key), pieces)[0]]
    assert len(set(ids)) == 2 * len(TEXTS)
    assert all(len(doc_id) == 32 for doc_id in ids)
    shutil.move(tmp_path / "one", tmp_path / "two")
    moved = [Piece(str(tmp_path / "two" / piece.name), name=piece.name) for piece in pieces]
    assert [row["doc_id"] for row in rows_of(make(key), moved)[0]] == ids
    assert not {row["doc_id"] for row in rows_of(make(key), moved, "other")[0]} & {*ids}


@pytest.mark.parametrize("limits", [(1, 1), (1, 400), (10**9, 700), (10**9, 10**9)], ids=str)
@pytest.mark.parametrize("key", KEYS)
def test_units_hold_every_record_once_however_files_are_cut(key: str, limits: tuple[int, int], tmp_path: Path) -> None:
    whole, _ = rows_of(make(key), written(tmp_path, key, "a", "b", "c"))
    group_bytes, split_bytes = limits
    units = make(key).split(list_files(str(tmp_path)), group_bytes=group_bytes, split_bytes=split_bytes)
    assert all(units)
    assert units == make(key).split(list_files(str(tmp_path)), group_bytes=group_bytes, split_bytes=split_bytes)
    parts = [row for unit in units for row in rows_of(make(key), [named(piece) for piece in unit])[0]]
    assert parts == whole


def named(piece: Piece) -> Piece:
    """The piece with the name that the plan would give its file."""
    return Piece(piece.path, piece.start, piece.stop, name=Path(piece.path).name)


@pytest.mark.parametrize("key", KEYS)
def test_a_document_that_is_too_long_keeps_its_row_without_its_text(key: str, tmp_path: Path) -> None:
    pieces = written(tmp_path, key, "a", texts=[TEXTS[0], LONG, TEXTS[1]])
    rows, _ = rows_of(make(key, **sample(key).limited), pieces)
    becomes = sample(key).becomes
    assert [content(row) for row in rows] == [becomes(TEXTS[0]), None, becomes(TEXTS[1])]
    assert [row["drop_reason"] for row in rows] == [None, "extract:too_many_bytes", None]


# Sources that drop a document alone which takes too long. Of the others it ends the file: most make many rows at once,
# by compiled code.
BY_DOCUMENT = "arxiv code email gutenberg irc jats subtitles warc wikipedia_html wikipedia_xml".split()


def watched(key: str, folder: Path, piece: Piece) -> tuple[list[dict[str, Any]], ReadTally]:
    """As `rows_of`, under the limits of a run in the folder."""
    tally = ReadTally()
    with Net(str(folder), 0, LIMITS, "unit 0") as net:
        batches = list(read_file(net, make(key), piece, "s", tally))
    return [row for batch in batches for row in batch.to_pylist()], tally


@pytest.mark.parametrize("key", BY_DOCUMENT)
def test_a_document_that_took_too_long_before_is_dropped_alone(key: str, tmp_path: Path) -> None:
    (piece,) = written(tmp_path / "in", key, "a", texts=TEXTS[:3])
    expected, _ = rows_of(make(key), [piece])
    second_call = 2 if key in ("jats", "subtitles") else 1  # a call finds that a file has no second document
    CaughtNotes(str(tmp_path), 0, LIMITS).note_record(piece.path, second_call, "timeout")
    rows, tally = watched(key, tmp_path, piece)
    assert rows[::2] == (expected[:1] if key == "irc" else expected[::2]), "a log of several days ends there"
    assert content(rows[1]) is None
    assert rows[1]["drop_reason"] == f"error.{key}.timeout"
    assert [rows[1][name] for name in ("source", "origin", "origin_offset")] == [
        "s",
        piece.path,
        expected[1]["origin_offset"],
    ]
    assert len(rows[1]["doc_id"]) == 32
    assert (dict(tally.records), tally.faults) == ({}, [])


@pytest.mark.parametrize("key", KEYS)
def test_reading_ends_where_it_took_too_long_before(key: str, tmp_path: Path) -> None:
    (piece,) = written(tmp_path / "in", key, "a", texts=TEXTS[:3])
    CaughtNotes(str(tmp_path), 0, LIMITS).note_end(piece.path, EndOfReading(-1, 0, "memory"))
    rows, tally = watched(key, tmp_path, piece)
    assert (rows, dict(tally.records)) == ([], {"skipped.memory": 1})
    assert [fault["file"] for fault in tally.faults] == [piece.path]


@pytest.mark.parametrize("key", KEYS)
def test_a_missing_file_is_named(key: str, tmp_path: Path) -> None:
    path = str(tmp_path / "none")
    with pytest.raises(InputError, match=f"no file at {path}"):
        rows_of(make(key), [Piece(path)])


def outcome(key: str, path: Path) -> tuple[list[dict[str, Any]], dict[str, int]] | str:
    """Rows and counts, or the error in their place."""
    try:
        rows, tally = rows_of(make(key), [Piece(str(path), name="x")])
    except WinnowError as error:
        return str(error)
    assert len(tally.faults) <= MAX_FAULTS
    assert all({*fault} == {"file", "offset", "error"} for fault in tally.faults)
    assert len({row["doc_id"] for row in rows}) == len(rows)
    for row in rows:
        assert row["drop_reason"] is None or parse(row["drop_reason"]).kind == "extract"
        assert (content(row) is None) == (row["drop_reason"] is not None)
    return rows, dict(tally.records)


ANY_TEXT = ("plain_text",)  # sources that read whatever is text


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b"\n" * 100, id="line ends"),
        pytest.param(b"\0" * 10_000, id="NULs"),
        pytest.param(random.Random(0).randbytes(10_000), id="noise"),
        pytest.param(b'{"text": ' * 1000, id="the beginning of JSON"),
        pytest.param(b"PAR1" + b"\xff" * 100 + b"PAR1", id="the ends of Parquet"),
        pytest.param(b"WARC/1.0\r\n" * 100, id="the beginnings of records"),
    ],
)
@pytest.mark.parametrize("key", KEYS)
def test_what_is_no_file_of_it_is_refused_or_gives_no_row(key: str, damage: bytes, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(damage)
    found = outcome(key, tmp_path / "x")
    if key in ANY_TEXT and damage.strip() and b"\0" not in damage:
        assert [row["text"] for row in found[0]] == [damage.decode("utf-8", "replace")]
        return
    assert found[0] == [] if isinstance(found, tuple) else str(tmp_path / "x") in found


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("key", KEYS)
def test_a_damaged_file_gives_sound_rows_or_one_error_and_the_same_again(key: str, seed: int, tmp_path: Path) -> None:
    rng = random.Random(seed)
    whole = sample(key).write(TEXTS)
    for _ in range(25):
        (tmp_path / "x").write_bytes(mutated(whole, rng))
        found = outcome(key, tmp_path / "x")
        assert found == outcome(key, tmp_path / "x")
        assert isinstance(found, tuple) or str(tmp_path / "x") in found
