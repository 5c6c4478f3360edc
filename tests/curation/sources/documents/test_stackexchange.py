"""Threads of a dump: answers below their question by score, licences of all posts, and what is passed over."""

import gzip
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import pytest

from curation.core.errors import InputError
from curation.core.input_files import InputFile
from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.posts.seven_zip import MAGIC
from curation.sources.documents.stackexchange import Stackexchange
from tests.curation.sources.sample import Sample

NEW = "2020-01-02T03:04:05.678"


def row(number: int, kind: str, body: str, **fields: Any) -> str:
    stated = {"Id": number, "PostTypeId": kind, "CreationDate": NEW, "Score": 0, "Body": body, **fields}
    return f"  <row {' '.join(f'{name}={quoteattr(str(value))}' for name, value in stated.items())} />\n"


def dump(*rows: str) -> bytes:
    return ('<?xml version="1.0" encoding="utf-8"?>\n<posts>\n' + "".join(rows) + "</posts>\n").encode()


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def questions(texts: Sequence[str]) -> bytes:
    return dump(*(row(number, "1", escaped(text)) for number, text in enumerate(texts)))


SAMPLE = Sample(questions, {"max_document_bytes": 2000})
THREADS = dump(
    row(1, "1", "<p>Why?</p>", Title="A question", Tags="<gis><maps>", Score=5, ContentLicense="CC BY-SA 4.0"),
    row(2, "2", "<p>Low.</p>", ParentId=1, Score=1, ContentLicense="CC BY-SA 3.0"),
    row(3, "5", "<p>A wiki.</p>"),
    row(4, "1", "<p>Old?</p>", Score=-1, CreationDate="2010-01-01T00:00:00.000"),
    row(5, "2", "<p>High.</p>", ParentId=1, Score=7, CreationDate="2012-01-01T00:00:00.000"),
    row(6, "2", "<p>Whose?</p>", ParentId=99),
)


def read(path: Path, content: bytes = THREADS, **options: Any) -> tuple[list[dict[str, Any]], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    batches = Stackexchange(paths=(), **options).read([Piece(str(path), name=path.name)], "qa", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


@pytest.mark.parametrize("table", ["badges", "comments", "posthistory", "postlinks", "tags", "users", "votes"])
def test_the_other_tables_of_a_dump_are_counted(table: str, tmp_path: Path) -> None:
    content = (
        f'\ufeff<?xml version="1.0" encoding="utf-8"?>\n<{table}>\n  <row Id="1" PostId="1" />\n</{table}>'.encode()
    )
    found, tally = read(tmp_path / "x.xml", content)
    assert (found, dict(tally.records), tally.faults) == ([], {"skipped.other_table": 1}, [])


def test_a_thread(tmp_path: Path) -> None:
    (first, second), tally = read(tmp_path / "Posts.xml", site="gis.stackexchange.com")
    assert first["text"] == "A question\n\nWhy?\n\nAnswer:\n\nHigh.\n\nAnswer:\n\nLow."
    assert first["url"] == "https://gis.stackexchange.com/questions/1"
    assert first["licence"] == "CC-BY-SA-3.0 AND CC-BY-SA-4.0"
    assert first["crawled_at"] == datetime(2020, 1, 2, 3, 4, 5, 678000, tzinfo=UTC)
    assert first["stackexchange"] == {"score": 5, "answers": 2, "tags": "gis, maps"}
    assert (second["text"], second["licence"]) == ("Old?", "CC-BY-SA-2.5")
    assert (dict(tally.records), tally.faults) == ({"skipped.post_type": 1, "skipped.no_question": 1}, [])


def test_pairs_and_scores(tmp_path: Path) -> None:
    pairs, _ = read(tmp_path / "Posts.xml", documents="pairs")
    assert [pair["text"].rpartition("\n")[2] for pair in pairs] == ["High.", "Low."]
    assert len({pair["doc_id"] for pair in pairs}) == 2
    (thread,), tally = read(tmp_path / "Posts.xml", min_score=0, min_answer_score=2, min_answers=1)
    assert thread["text"] == "A question\n\nWhy?\n\nAnswer:\n\nHigh."
    assert (tally.records["skipped.score"], tally.records["skipped.answer_score"]) == (1, 1)
    rows, tally = read(tmp_path / "Posts.xml", min_answers=3)
    assert (rows, tally.records["skipped.answers"]) == ([], 2)


@pytest.mark.parametrize("size", [1, 100, 300, 700, 10_000])
def test_answers_are_found_wherever_the_file_is_cut(size: int, tmp_path: Path) -> None:
    whole, _ = read(tmp_path / "Posts.xml")
    source = Stackexchange(paths=())
    file = InputFile(str(tmp_path / "Posts.xml"), len(THREADS))
    units = source.split([file], group_bytes=1, split_bytes=size)
    pieces = [Piece(piece.path, piece.start, piece.stop, "Posts.xml") for unit in units for piece in unit]
    rows = [row for piece in pieces for batch in source.read([piece], "qa", ReadTally()) for row in batch.to_pylist()]
    assert rows == whole


def test_damaged_rows_and_entities(tmp_path: Path) -> None:
    content = dump(row(1, "1", "<p>Kept.</p>"), '  <row Id="2" PostTypeId="1" Body="&bomb;" />\n')
    rows, tally = read(tmp_path / "Posts.xml", content[:-60] + content[-60:])
    assert [row["text"] for row in rows] == ["Kept."]
    assert (dict(tally.records), len(tally.faults)) == ({"skipped.damaged": 1}, 1)
    rows, _ = read(tmp_path / "Posts.xml", THREADS[:-150])
    assert rows[0]["text"].startswith("A question")


def test_posts_that_cannot_be_placed_are_counted(tmp_path: Path) -> None:
    content = dump(
        row(1, "1", "<p>Kept.</p>"),
        row(1, "1", "<p>The same.</p>"),
        row(2, "1", "<p>Nameless.</p>").replace('Id="2" ', ""),
        row(3, "2", "<p>To whom?</p>"),
        "  <posts>" + row(4, "1", "<p>Not alone.</p>").strip() + "\n",
    )
    rows, tally = read(tmp_path / "Posts.xml", content)
    assert [row["text"] for row in rows] == ["Kept."]
    causes = ("same_id", "no_id", "no_parent", "damaged")
    assert dict(tally.records) == {f"skipped.{cause}": 1 for cause in causes}
    assert [fault["error"] for fault in tally.faults] == ["a row is cut short, or no line of its own"]


def test_answers_to_questions_of_low_scores_are_no_orphans(tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "Posts.xml", min_score=6)
    assert (rows, tally.records["skipped.score"], tally.records["skipped.no_question"]) == ([], 2, 1)


@pytest.mark.parametrize("size", [1, 150, 10_000])
def test_an_answer_before_its_question_is_found(size: int, tmp_path: Path) -> None:
    content = dump(row(2, "2", "<p>First.</p>", ParentId=1), row(1, "1", "<p>Why?</p>"))
    (tmp_path / "Posts.xml").write_bytes(content)
    source = Stackexchange(paths=())
    file = InputFile(str(tmp_path / "Posts.xml"), len(content))
    pieces = [piece for unit in source.split([file], group_bytes=1, split_bytes=size) for piece in unit]
    rows = [row for piece in pieces for batch in source.read([piece], "qa", ReadTally()) for row in batch.to_pylist()]
    assert [row["text"] for row in rows] == ["Why?\n\nAnswer:\n\nFirst."]


def test_a_dump_that_is_cut_anywhere_says_so(tmp_path: Path) -> None:
    content = dump(row(1, "1", "<p>Why?</p>"), row(2, "2", "<p>So.</p>", ParentId=1))
    for end in range(len(content) - len("</posts>\n") + 1):
        _, tally = read(tmp_path / "Posts.xml", content[:end])
        assert "the dump is cut short: it has no </posts>" in [fault["error"] for fault in tally.faults]
    _, tally = read(tmp_path / "Posts.xml", content)
    assert tally.faults == []


def test_an_answer_without_text_and_a_question_without_answers_are_counted(tmp_path: Path) -> None:
    content = dump(
        row(1, "1", "<p>Why?</p>"),
        row(2, "2", "<p> </p><!-- later -->", ParentId=1),
        row(3, "1", "<p>How?</p>"),
        row(4, "2", "<p>So.</p>", ParentId=3),
    )
    rows, tally = read(tmp_path / "Posts.xml", content)
    assert [row["text"] for row in rows] == ["Why?", "How?\n\nAnswer:\n\nSo."]
    assert (rows[0]["stackexchange"]["answers"], dict(tally.records)) == (0, {"skipped.no_text": 1})
    rows, tally = read(tmp_path / "Posts.xml", content, documents="pairs")
    assert (len(rows), dict(tally.records)) == (1, {"skipped.no_text": 1, "skipped.answers": 1})


def test_counts_do_not_depend_on_how_a_file_is_cut(tmp_path: Path) -> None:
    content = dump(
        row(7, "2", "<p>First.</p>", ParentId=1),
        row(1, "1", "<p>Why?</p>"),
        row(1, "1", "<p>The same.</p>"),
        row(2, "2", "<p>Whose?</p>", ParentId=99),
        row(3, "1", "<p>Broken.</p>").replace("CreationDate", "Score"),
        row(4, "2", "<p>To none.</p>", ParentId=3),
        row(5, "2", "<p>Last.</p>", ParentId=1),
    )
    whole, tally = read(tmp_path / "Posts.xml", content)
    assert [row["text"] for row in whole] == ["Why?\n\nAnswer:\n\nFirst.\n\nAnswer:\n\nLast."]
    assert dict(tally.records) == {"skipped.same_id": 1, "skipped.no_question": 2, "skipped.damaged": 1}
    for size in (90, 250, 10_000):
        source = Stackexchange(paths=())
        units = source.split([InputFile(str(tmp_path / "Posts.xml"), len(content))], group_bytes=1, split_bytes=size)
        cut = ReadTally()
        rows = [row for unit in units for batch in source.read(unit, "qa", cut) for row in batch.to_pylist()]
        assert [row["text"] for row in rows] == [row["text"] for row in whole]
        assert (cut.records, cut.faults) == (tally.records, tally.faults)


def test_the_index_of_a_file_in_ranges_is_made_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    path = tmp_path / "Posts.xml"
    path.write_bytes(THREADS)
    pieces = [Piece(str(path), 0, 300, "x", len(THREADS), stamp) for stamp in ("one", "one", "two")]
    counts = []
    for piece in pieces:
        list(Stackexchange(paths=()).read([piece], "qa", ReadTally()))
        counts.append(len(list(tmp_path.glob("temporary/winnow-posts-*/*.npy"))))
    assert counts == [1, 1, 2]


@pytest.mark.parametrize("name", ["Posts.xml.gz", "Posts.xml", "x.7z"])
def test_a_packed_dump_is_read_as_a_plain_one(name: str, tmp_path: Path) -> None:
    whole, _ = read(tmp_path / "plain.xml")
    files = {"Users.xml": b"<users/>", "Posts.xml": THREADS}
    packed = seven_zip(tmp_path, files) if name.endswith("7z") else gzip.compress(THREADS)
    rows, tally = read(tmp_path / name, packed)
    told = ("doc_id", "origin")
    assert [{**row, **dict.fromkeys(told)} for row in rows] == [{**row, **dict.fromkeys(told)} for row in whole]
    assert tally.faults == []


def seven_zip(folder: Path, files: dict[str, bytes]) -> bytes:
    try:
        import libarchive
    except (ImportError, OSError, AttributeError, TypeError):
        pytest.skip("needs libarchive of the system")
    with libarchive.file_writer(str(folder / "made.7z"), "7zip") as archive:
        for name, content in files.items():
            archive.add_file_from_memory(name, len(content), content)
    return (folder / "made.7z").read_bytes()


def test_an_archive_without_posts_and_a_damaged_one(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.7z holds no Posts\.xml"):
        read(tmp_path / "a.7z", seven_zip(tmp_path, {"Users.xml": b"<users/>"}))
    _, tally = read(tmp_path / "b.7z", MAGIC + b"rest")
    assert "damaged archive" in str(tally.faults[0]["error"])


def test_without_libarchive_an_archive_is_to_be_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "libarchive", None)
    (tmp_path / "a.7z").write_bytes(MAGIC + b"rest")
    with pytest.raises(InputError, match=r"a\.7z is an archive of 7-Zip; unpack it"):
        Stackexchange(paths=()).check([str(tmp_path / "a.7z")])


def test_options_out_of_range() -> None:
    with pytest.raises(ValueError, match="min_answers is -1; give 0 or more"):
        Stackexchange(paths=(), min_answers=-1)
