"""Bombs: a file may give much, but no more than so many times its bytes, however it is packed."""

import bz2
import gzip
import lzma
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard

from curation.core.protocols import ReadTally
from curation.sources.documents.posts import seven_zip
from curation.sources.inflation import BOMB, FREE, MAX_RATIO, Inflation
from curation.sources.lines import file_chunks
from curation.sources.zips import zip_files

SMALL = 10 << 20  # in place of FREE


def test_counts() -> None:
    read = [0]
    inflation = Inflation(lambda: read[0])
    assert inflation.add(FREE)
    read[0] = 2
    assert inflation.add(2 * MAX_RATIO)
    assert not inflation.add(1)
    read[0] = 1000
    assert inflation.over, "it stays so"


@pytest.mark.parametrize(
    "pack",
    [gzip.compress, bz2.compress, lzma.compress, zstandard.compress],
    ids=["gzip", "bzip2", "xz", "zstd"],
)
def test_a_packed_file_ends_where_it_gives_too_much(
    pack: Callable[[bytes], bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("curation.sources.inflation.FREE", SMALL)
    bomb = pack(bytes(80 << 20)) + pack(b"behind")
    (tmp_path / "x").write_bytes(bomb)
    faults: list[tuple[int, str]] = []
    passed: list[tuple[int, int | None]] = []
    chunks = file_chunks(
        str(tmp_path / "x"),
        0,
        False,
        lambda offset, error: faults.append((offset, error)),
        on_passed=lambda start, stop: passed.append((start, stop)),
    )
    given = sum(map(len, chunks))
    assert SMALL - (1 << 20) <= given <= SMALL + MAX_RATIO * len(bomb) < 80 << 20
    assert faults == [(0, BOMB)]
    assert passed == [(len(bomb), None)]


def test_a_zip_ends_where_it_gives_too_much(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("curation.sources.inflation.FREE", SMALL)
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(40):
            archive.writestr(f"{number}.pdf", bytes(1 << 20))
    tally = ReadTally()
    files = list(zip_files(str(tmp_path / "x.zip"), tally, 4 << 20))
    assert 10 < len(files) < 40
    assert [fault["error"] for fault in tally.faults] == [BOMB]


def test_what_is_passed_over_in_an_archive_of_7_zip_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    libarchive = pytest.importorskip("libarchive")
    path = str(tmp_path / "x.7z")
    with libarchive.file_writer(path, "7zip") as archive:
        archive.add_file_from_memory("other", 1000, bytes(range(250)) * 4)
        archive.add_file_from_memory("Posts.xml", 5, b"posts")
    assert b"".join(seven_zip.archived_bytes(path, "Posts.xml", lambda *_: None)) == b"posts"
    monkeypatch.setattr("curation.sources.inflation.FREE", 999)
    monkeypatch.setattr("curation.sources.inflation.MAX_RATIO", 0)
    faults: list[str] = []
    given = list(seven_zip.archived_bytes(path, "Posts.xml", lambda _, error: faults.append(error)))
    assert (given, faults) == ([], [f"damaged archive: {BOMB}"])


def test_a_name_in_an_archive_of_7_zip_that_is_not_utf8_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    libarchive = pytest.importorskip("libarchive")
    path = str(tmp_path / "x.7z")
    with libarchive.file_writer(path, "7zip") as archive:
        archive.add_file_from_memory("Posts.xml", 5, b"posts")
    entries = [
        SimpleNamespace(pathname=b"caf\xe9", size=0),
        SimpleNamespace(pathname=None, size=None),
        SimpleNamespace(pathname=b"a/Posts.xml", size=1, get_blocks=lambda: [b"x"]),
    ]
    monkeypatch.setattr(libarchive, "seekable_stream_reader", lambda *_: _Opened(entries))
    assert list(seven_zip.archived_bytes(path, "Posts.xml", lambda *_: None)) == [b"x"]


class _Opened(list[SimpleNamespace]):
    def __enter__(self) -> "_Opened":
        return self

    def __exit__(self, *_: object) -> None: ...
