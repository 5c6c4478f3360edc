"""What is seen of a file's beginning: its text, its first element, the files of an archive."""

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import zstandard

from curation.core.errors import InputError
from curation.sources.beginning import COPIED, MEMBERS, START, file_start, seen_part, xml_root
from tests.curation.sources.tar_files import tar


@pytest.mark.parametrize(
    ("text", "name", "doctype"),
    [
        ("<a/>", None, ""),
        ("<a>", "a", ""),
        ("\ufeff\n<?xml version='1.0'?>\n<a b='c'>", "a", ""),
        ("<!-- <b> --><x:a>", "a", ""),
        ("<!DOCTYPE a PUBLIC 'p' 's'><a>", "a", "<!DOCTYPE a PUBLIC 'p' 's'"),
        ("<!DOCTYPE a [<!ENTITY b '>'>]>\n<a>", "a", "<!DOCTYPE a "),
        ("<?xml", None, ""),
        ("<!-- never ends", None, ""),
        ("<!DOCTYPE a [", None, ""),
        ("text <a>", None, ""),
        ("", None, ""),
    ],
)
def test_the_first_element(text: str, name: str | None, doctype: str) -> None:
    root = xml_root(text)
    assert (root and root.name, root.doctype if root else "") == (name, doctype)


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress, zstandard.compress])
def test_packed_files_are_seen_as_others(pack: type, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(pack(b"<a>\n" + b"line\n" * START))
    start = file_start(str(tmp_path / "x"))
    assert (len(start.content), start.root and start.root.name, start.rows) == (START, "a", ())
    assert (start.text or "").endswith("line\n")


@pytest.mark.parametrize("line", ["<b>é</b>", "é ", "é"])
def test_a_long_line_is_cut_where_no_character_is(line: str, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"<?xml version='1.0'?>\n<a>" + b"c" * (START % 2) + (line * START).encode())
    start = file_start(str(tmp_path / "x"))
    assert start.root
    assert start.root.name == "a"
    assert len((start.text or "").encode()) > START - 9


def test_rows_of_json(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b'\xef\xbb\xbf{"a": "1"}\n{"b": "2"}\n')
    assert file_start(str(tmp_path / "x")).rows == [{"a": "1"}, {"b": "2"}]


def test_the_files_of_archives(tmp_path: Path) -> None:
    inner = gzip.compress(tar({"one.tex": b"1", "two.tex": b"2"}))
    files = {"a.tar.gz": inner, "b.gz": gzip.compress(b"text")}
    (tmp_path / "x").write_bytes(gzip.compress(tar(files)))
    start = file_start(str(tmp_path / "x"))
    assert start.archive == "tar"
    assert [(one.name, one.files) for one in start.members] == [("a.tar.gz", ("one.tex", "two.tex")), ("b.gz", ())]
    assert start.members[1].start == b"text"
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("folder/", "")
        archive.writestr("a.txt", "text")
    (tmp_path / "y").write_bytes(out.getvalue())
    start = file_start(str(tmp_path / "y"))
    assert (start.archive, [(one.name, one.start) for one in start.members]) == ("zip", [("a.txt", b"text")])


def test_a_look_at_an_archive_ends(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(tar({f"{number}": b"1" for number in range(2 * MEMBERS)})[:-3000])
    assert len(file_start(str(tmp_path / "x")).members) == MEMBERS
    (tmp_path / "x").write_bytes(tar({"a": b"1" * 3000})[:1000])
    assert len(file_start(str(tmp_path / "x")).members) <= 1
    (tmp_path / "y").write_bytes(b"PK\x03\x04" + b"\0" * 100)
    assert file_start(str(tmp_path / "y")).members == ()


def test_nothing_to_see(tmp_path: Path) -> None:
    assert file_start(str(tmp_path)).folder
    (tmp_path / "x").write_bytes(b"\n \n")
    with pytest.raises(InputError, match="has nothing to read"):
        file_start(str(tmp_path / "x"))


def test_of_a_large_file_that_is_read_to_its_end_a_copy_is_looked_at(tmp_path: Path) -> None:
    source: Any = SimpleNamespace(whole_files=True)
    (tmp_path / "x").write_bytes(gzip.compress(b"line\n" * COPIED))
    with seen_part(source, str(tmp_path / "x")) as part:
        content = Path(part).read_bytes()
    assert content == b"line\n" * (COPIED // 5)
    assert not Path(part).exists()
    (tmp_path / "x").write_bytes(b"line\n")
    (tmp_path / "y").write_bytes(b"7z\xbc\xaf\x27\x1c" + bytes(COPIED))
    for path in (str(tmp_path / "x"), str(tmp_path / "y")):
        with seen_part(source, path) as part:
            assert part == path
