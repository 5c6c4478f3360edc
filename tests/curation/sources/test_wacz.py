"""WACZ: the archives inside a zip file, stored or deflated, also where the zip is broken."""

import zipfile
from pathlib import Path

import pytest

from tests.curation.sources.sample_archives import members, names, read, warc

RECORDS = [warc(f"p{i}") for i in range(3)]


def wacz(path: Path, how: int) -> bytes:
    with zipfile.ZipFile(path, "w", how) as packed:
        packed.writestr("datapackage.json", "{}")
        packed.writestr("archive/one.warc.gz", members(*RECORDS[:2]))
        packed.writestr("archive/two.warc", RECORDS[2])
        packed.writestr("pages/pages.jsonl", "WARC/1.0\r\nWARC-Type: response\r\n\r\n")
    return path.read_bytes()


@pytest.mark.parametrize("how", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_stored_and_deflated_members(tmp_path: Path, how: int) -> None:
    path = tmp_path / "x.wacz"
    wacz(path, how)
    rows, tally = read(path)
    assert names(rows) == ["p0", "p1", "p2"]
    assert [row["origin"] for row in rows] == [
        f"{path}#archive/{name}" for name in ("one.warc.gz",) * 2 + ("two.warc",)
    ]
    assert [row["origin_offset"] for row in rows] == [0, len(members(RECORDS[0])), 0]
    assert not tally.faults


def test_a_zip_without_archives_is_told(tmp_path: Path) -> None:
    path = tmp_path / "x.wacz"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("datapackage.json", "{}")
    rows, tally = read(path)
    assert rows == []
    assert [fault["error"] for fault in tally.faults] == [
        "a zip file without archives of the web (.warc, .warc.gz, .warc.zst, .arc, .arc.gz) in it"
    ]


def test_an_unknown_packing_is_one_fault(tmp_path: Path) -> None:
    path = tmp_path / "x.wacz"
    wacz(path, zipfile.ZIP_BZIP2)
    rows, tally = read(path)
    assert not rows
    assert "compressed by another method than deflate" in str(tally.faults[0]["error"])


def test_a_damaged_member_costs_only_itself(tmp_path: Path) -> None:
    content = bytearray(wacz(tmp_path / "x.wacz", zipfile.ZIP_DEFLATED))
    at = content.index(b"archive/one.warc.gz")
    content[at + 40 : at + 60] = b"\xff" * 20
    rows, tally = read(tmp_path / "x.wacz", bytes(content))
    assert names(rows)[-1] == "p2"
    assert tally.faults


def test_a_clipped_file_gives_its_stored_records(tmp_path: Path) -> None:
    content = wacz(tmp_path / "x.wacz", zipfile.ZIP_STORED)
    clipped = content[: content.index(b"archive/two.warc")]
    rows, tally = read(tmp_path / "x.wacz", clipped)
    assert names(rows) == ["p0", "p1"]
    assert "without a readable directory" in str(tally.faults[0]["error"])


@pytest.mark.parametrize("offset", [1, 2**31, 2**32 - 2], ids=["inside", "beyond the end", "further beyond"])
def test_a_wrong_offset_in_the_directory_costs_only_its_member(tmp_path: Path, offset: int) -> None:
    content = bytearray(wacz(tmp_path / "x.wacz", zipfile.ZIP_STORED))
    entry = content.index(b"PK\x01\x02", content.index(b"PK\x01\x02") + 4)  # of archive/one.warc.gz
    content[entry + 42 : entry + 46] = offset.to_bytes(4, "little")
    rows, tally = read(tmp_path / "x.wacz", bytes(content))
    assert names(rows) == ["p2"]
    assert [fault["error"] for fault in tally.faults] == ["no zip member at the offset that the directory gives"]


@pytest.mark.parametrize("offset", [5, 2**31 - 1], ids=["too small", "too large"])
def test_a_wrong_offset_of_the_directory_itself_costs_no_stored_record(tmp_path: Path, offset: int) -> None:
    with zipfile.ZipFile(tmp_path / "x.wacz", "w") as packed:
        packed.writestr("archive/one.warc.gz", members(*RECORDS[:2]))
        packed.writestr("archive/two.warc.gz", members(RECORDS[2]))
    content = bytearray((tmp_path / "x.wacz").read_bytes())
    end = content.index(b"PK\x05\x06")
    content[end + 16 : end + 20] = offset.to_bytes(4, "little")
    rows, tally = read(tmp_path / "x.wacz", bytes(content))
    assert names(rows) == ["p0", "p1", "p2"]
    assert "searched for stored records" in str(tally.faults[0]["error"])
