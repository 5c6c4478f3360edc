"""Headers and bodies on which a careless reader would take hours: each test would not end if one came back."""

import gzip
import zlib
from pathlib import Path

import numpy as np
import pytest

from curation.sources import inflate
from curation.sources.fields import header_end
from curation.sources.http import (
    MAX_CODINGS,
    MAX_HEAD,
    MAX_MEMBERS,
    Response,
    UndecodableBody,
    decode_body,
)
from curation.sources.inflate import until_error
from curation.sources.record_start import RECORD_START
from tests.curation.sources.sample_archives import PAGE, http, members, names, read, warc


@pytest.mark.parametrize(
    "garbage",
    [
        pytest.param(b"a: 1.1.1.1 12345678 " + b"1" * (1 << 20) + b"x\n", id="a number without an end"),
        pytest.param((b"a:" + b" 1.1.1.1 12345678" * 400 + b"\n") * 100, id="the middle of a record line"),
        pytest.param((b"a:" + b" :: a" * 800 + b"\n") * 100, id="addresses"),
        pytest.param(b"WARC/" + b"1" * (1 << 20), id="a version without an end"),
        pytest.param(b"WARC/1.0\r\n" + b"a" * (1 << 20), id="a field without an end"),
        pytest.param((b"http://x " + b"a " * 3000 + b"\n") * 100, id="words"),
    ],
)
def test_garbage_where_a_record_must_begin(tmp_path: Path, garbage: bytes) -> None:
    assert not RECORD_START.search(garbage)
    rows, tally = read(tmp_path / "x.warc", garbage + b"\n" + warc("kept"))
    assert names(rows) == ["kept"]
    assert len(tally.faults) == 1


def test_many_empty_lines_that_may_not_end_a_header() -> None:
    fields = b"\na:b" * (1 << 18)
    header = fields + b"\n \na:b" * (1 << 16)
    end = header_end(header, 0, len(header))
    assert end is not None
    assert (end.fields, end.plain) == (len(fields), False)


def test_a_header_longer_than_the_limit_counts_as_none(tmp_path: Path) -> None:
    long, longer = (http(PAGE, "a: " + "x" * (MAX_HEAD - more)) for more in (100, 0))
    rows, tally = read(tmp_path / "x.warc", warc("long", long) + warc("longer", longer))
    assert names(rows) == ["long"]
    assert tally.records == {"skipped.status.missing": 1}


def response(body: bytes, *codings: str) -> Response:
    return Response(200, {"content-encoding": ", ".join(codings)}, body)


def test_a_body_encoded_many_times() -> None:
    body = PAGE
    for _ in range(MAX_CODINGS):
        body = gzip.compress(body)
    assert decode_body(response(body, *["gzip"] * MAX_CODINGS), 1 << 20) == PAGE
    with pytest.raises(UndecodableBody, match="encoded 6 times"):
        decode_body(response(gzip.compress(body), *["gzip"] * (MAX_CODINGS + 1)), 1 << 20)


def test_a_body_of_very_many_gzip_members() -> None:
    assert decode_body(response(gzip.compress(b"a") * (1 << 18), "gzip"), 1 << 20) == b"a" * MAX_MEMBERS


def test_a_large_body_with_damage_late_in_it() -> None:
    page = b"<p>" + b" ".join(b"%d" % number for number in np.random.default_rng(1).integers(0, 10**9, 200_000))
    body = zlib.compress(page)
    damaged = body[: len(body) * 3 // 4] + b"\xff" * 100
    decoded = decode_body(response(damaged, "deflate"), 8 << 20)
    assert page.startswith(decoded[: len(page) // 2])
    assert len(decoded) > len(page) // 2


def test_damage_is_found_to_the_byte() -> None:
    page = bytes(range(256)) * 40
    packed = zlib.compress(page, 0)  # stored: a byte of it is a byte of the page
    assert until_error(zlib.decompressobj(), packed) == page
    stored = zlib.compress(page[:5000], 0)[:-4]
    assert until_error(zlib.decompressobj(), stored + b"\xff" * 4 + b"more") == page[:5000]
    assert until_error(zlib.decompressobj(), packed, 3000) == page[:3000]


def test_trials_of_what_looks_like_a_member_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = b"\x1f\x8b\x08\x00" * 50
    archive = members(warc("a")) + fake + members(warc("b"))
    assert names(read(tmp_path / "x.warc.gz", archive)[0]) == ["a", "b"]
    monkeypatch.setattr(inflate, "MAX_TRIALS", 49)
    rows, tally = read(tmp_path / "x.warc.gz", archive)
    assert names(rows) == ["a"]
    assert len(tally.faults) == 1
