"""PDF files from folders, archives and web archives, and what is none."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from curation.core.protocols import Piece, ReadTally, Source
from curation.sources.documents.pdf import Pdf
from curation.sources.warc import Warc
from tests.curation.sources.sample import Sample
from tests.curation.sources.tar_files import tar

ONE = b"%PDF-1.4 one"


def archive(texts: Sequence[str]) -> bytes:
    return tar({f"{number}.pdf": marked(text).encode() for number, text in enumerate(texts)})


def marked(text: str) -> str:
    return f"%PDF-1.7\n{text}"


SAMPLE = Sample(archive, {"max_file_bytes": 2000}, becomes=marked)


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


def read(path: Path, content: bytes, source: Source | None = None, **options: Any) -> tuple[list[Any], ReadTally]:
    path.write_bytes(content)
    tally = ReadTally()
    made = source or Pdf(paths=(), **options)
    batches = made.read([Piece(str(path), name=path.name)], "papers", tally)
    return [row for batch in batches for row in batch.to_pylist()], tally


def test_a_file_has_a_row_with_its_bytes_and_the_stated_licence(tmp_path: Path) -> None:
    (row,), tally = read(tmp_path / "a.pdf", ONE, licence="CC0-1.0")
    stated = {name: row[name] for name in ("licence", "origin", "origin_offset", "content", "content_type")}
    assert stated == {
        "licence": "CC0-1.0",
        "origin": str(tmp_path / "a.pdf"),
        "origin_offset": 0,
        "content": ONE,
        "content_type": "application/pdf",
    }
    assert (dict(tally.records), tally.faults) == ({}, [])


@pytest.mark.parametrize("pack", [tar, zipped], ids=["tar", "zip"])
def test_files_of_an_archive_are_named_after_it_and_others_are_counted(pack: Any, tmp_path: Path) -> None:
    files = {"a/one.pdf": ONE, "../two.pdf": b"\n%PDF-2.0 two", "three.pdf": b"<html>", "readme.txt": b"Read me."}
    rows, tally = read(tmp_path / "x", pack(files))
    assert [(row["origin"], row["origin_offset"]) for row in rows] == [
        (f"{tmp_path / 'x'}#a/one.pdf", 0),
        (f"{tmp_path / 'x'}#../two.pdf", 1),
    ]
    assert tally.records == {"skipped.not_pdf": 2}
    assert [fault["error"] for fault in tally.faults] == ["three.pdf does not begin like a PDF file"]


@pytest.mark.parametrize("pack", [tar, zipped], ids=["tar", "zip"])
def test_a_file_that_is_too_long_has_a_row_if_it_is_named_as_one(pack: Any, tmp_path: Path) -> None:
    rows, tally = read(tmp_path / "x", pack({"a.pdf": ONE * 9, "b.mp4": ONE * 9, "c.pdf": ONE}), max_file_bytes=50)
    assert [(row["content"], row["drop_reason"]) for row in rows] == [(None, "extract:too_many_bytes"), (ONE, None)]
    assert tally.records == {"skipped.not_pdf": 1}


def test_a_damaged_zip_is_noted_and_costs_only_itself(tmp_path: Path) -> None:
    whole = bytearray(zipped({"a.pdf": ONE, "b.pdf": ONE}))
    rows, tally = read(tmp_path / "x", bytes(whole[:-30]))
    assert (rows, len(tally.faults)) == ([], 1)
    whole[whole.index(b"a.pdf") + 7] ^= 0xFF  # in the first file's data
    rows, tally = read(tmp_path / "x", bytes(whole))
    assert [row["origin"].partition("#")[2] for row in rows][-1:] == ["b.pdf"]
    assert tally.faults


def test_files_that_lie_over_one_another_are_read_only_so_far(tmp_path: Path) -> None:
    """A zip whose directory lists one file many times gives more bytes than it can hold."""
    packed = bytearray(zipped({"a.pdf": ONE + bytes(1 << 20)}))
    directory = packed.index(b"PK\x01\x02")
    end = packed.index(b"PK\x05\x06")
    entry = bytes(packed[directory:end])
    count = 3_000
    ending = bytearray(packed[end:])
    ending[8:12] = count.to_bytes(2, "little") * 2
    ending[12:16] = (len(entry) * count).to_bytes(4, "little")
    bomb = bytes(packed[:directory]) + entry * count + bytes(ending)
    rows, tally = read(tmp_path / "x", bomb, max_file_bytes=4 << 20)
    assert 0 < len(rows) < count
    assert sum(len(row["content"]) for row in rows) <= 1032 * len(bomb)  # what deflate makes of one byte, at most
    assert "lie over one another" in str(tally.faults[-1]["error"])


def response(content_type: str, body: bytes) -> bytes:
    http = b"HTTP/1.1 200 OK\r\nContent-Type: " + content_type.encode() + b"\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def test_a_web_archive_gives_its_files_in_place_of_its_pages(tmp_path: Path) -> None:
    records = [
        response("application/pdf", ONE),
        response("text/html", b"<html>page</html>"),
        response("application/octet-stream", b"%PDF-1.4 two"),
        response("application/octet-stream", b"a program"),
    ]
    rows, tally = read(tmp_path / "x.warc", b"".join(records), Warc(paths=(), media="pdf"))
    assert [row["content"] for row in rows] == [ONE, b"%PDF-1.4 two"]
    assert tally.records == {"skipped.type.text/html": 1, "skipped.type.application/octet-stream": 1}
