"""Records and faults are those of the reader of all archives, wherever the plain ones end."""

import gzip
import random
from pathlib import Path
from typing import Any

import pytest

from curation.sources import plain_records
from curation.sources.plain_records import archive_records
from curation.sources.wacz import read_archive
from tests.curation.sources.test_wet import record

PAGE = record(b"text " * 50, "conversion", "WARC-Date: 2024-02-20T21:00:44Z", "WARC-Record-ID: <urn:uuid:1>")
ODD = (
    pytest.param([PAGE + PAGE], id="two records in a member"),
    pytest.param([PAGE.replace(b"WARC-Date: ", b"WARC-Date:\t")], id="a tab behind a name"),
    pytest.param([PAGE.replace(b"\r\nWARC-Record-ID", b"\r\n folded\r\nWARC-Record-ID")], id="a folded line"),
    pytest.param([PAGE.replace(b"WARC-Record-ID", b"WARC-Date")], id="a name twice"),
    pytest.param([PAGE.replace(b"Content-Length: 250", b"Content-Length: 240")], id="a wrong length"),
    pytest.param([PAGE.replace(b"Content-Length: 250", b"Content-Length: x")], id="no length"),
    pytest.param([PAGE.replace(b"urn:uuid:1", b"urn:\xff")], id="a header that is not UTF-8"),
    pytest.param([record(b"x" * 5000)], id="a block that is too long"),
    pytest.param([b""], id="an empty member"),
    pytest.param([b"no record"], id="no record"),
    pytest.param([], id="nothing odd"),
)


def both(path: Path) -> tuple[Any, Any]:
    found = []
    for reader in (archive_records, read_archive):
        faults: list[tuple[str, int, str]] = []
        records = list(reader(str(path), lambda *fault, faults=faults: faults.append(fault), max_block=2000))
        found.append((records, faults))
    return found[0], found[1]


@pytest.mark.parametrize("members", ODD)
@pytest.mark.parametrize("before", [0, 3])
def test_odd_members_among_plain_ones(members: list[bytes], before: int, tmp_path: Path) -> None:
    path = tmp_path / "x.wet.gz"
    path.write_bytes(b"".join(map(gzip.compress, [*[PAGE] * before, *members, PAGE, PAGE])))
    found, expected = both(path)
    assert found == expected
    assert len(found[0]) >= 2 + before


@pytest.mark.parametrize("feed", [7, 1 << 16])
def test_damaged_bytes_and_files_cut_short(feed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_records, "FEED", feed)
    monkeypatch.setattr(plain_records, "BLOCK", 3 * feed)
    path = tmp_path / "x.wet.gz"
    whole = b"".join(gzip.compress(record(f"{n} ".encode() * 99)) for n in range(5))
    rng = random.Random(0)
    for _ in range(30):
        content = bytearray(whole[: rng.choice([len(whole), rng.randrange(len(whole))])])
        for place in rng.sample(range(len(content)), rng.randrange(2)):
            content[place] ^= 1 << rng.randrange(8)
        path.write_bytes(content)
        found, expected = both(path)
        assert found == expected


def test_files_without_compression(tmp_path: Path) -> None:
    path = tmp_path / "x.wet"
    path.write_bytes(PAGE * 3)
    found, expected = both(path)
    assert found == expected
    assert len(found[0]) == 3
