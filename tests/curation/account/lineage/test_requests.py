"""What a request file may say."""

from pathlib import Path

import pytest

from curation.account.lineage.requests import Kind, read_request
from curation.core.errors import InputError


def read(folder: Path, content: bytes, kind: Kind = "url") -> tuple[str, ...]:
    (folder / "r.txt").write_bytes(content)
    return read_request(str(folder / "r.txt"), kind).values


def test_lines(tmp_path: Path) -> None:
    given = b"\xef\xbb\xbf# asked for by mail\r\nhttp://a.example/1\r\n\r\n  http://b.example/\xc3\xa9  \nhttp://a.example/1"
    assert read(tmp_path, given) == ("http://a.example/1", "http://b.example/é")
    assert read(tmp_path, b"urn:isbn:1") == ("urn:isbn:1",)
    assert read(tmp_path, b"0" * 32, "doc_id") == ("0" * 32,)


@pytest.mark.parametrize(
    ("content", "kind", "message"),
    [
        (b"http://a.example/\nnot one", "url", r"r\.txt:2: 'not one' is not a url"),
        (b"http://a.example/ b", "url", r"r\.txt:1: .* is not a url: expected an address with a scheme"),
        (b"a.example", "url", r"r\.txt:1: 'a.example' is not a url"),
        (b"\n\n" + b"0" * 31, "doc_id", r"r\.txt:3: .* is not a doc_id: expected 32 hex digits"),
        (b"0" * 33, "doc_id", "is not a doc_id"),
        (b"0" * 31 + b"G", "doc_id", "is not a doc_id"),
        (b"http://a.example/\xff", "url", r"r\.txt:1: not UTF-8 text"),
        (b"# nothing\n\n", "url", "names no url"),
    ],
)
def test_what_cannot_be(tmp_path: Path, content: bytes, kind: Kind, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, content, kind)


def test_the_files_hash(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_bytes(b"http://a.example/1")
    # b2sum -l 256
    expected = "f2996926dcf70b4d351a17726dfd2933065020b50bcd69ac9a5e58e958c4d6d4"
    assert read_request(str(tmp_path / "r.txt"), "url").blake2b == expected
