"""Files that name documents; the messages for a file of one kind are tested with takedown's requests."""

from pathlib import Path

import pytest

from curation.core.errors import InputError
from curation.core.removal_list import read_names


def written(folder: Path, content: bytes) -> str:
    (folder / "list.txt").write_bytes(content)
    return str(folder / "list.txt")


def test_both_kinds_in_one_file(tmp_path: Path) -> None:
    doc_id = "0123456789abcdef" * 2
    path = written(
        tmp_path, b"\xef\xbb\xbf# May\n https://a.example/x \r\n\n%s\nhttps://a.example/x\n" % doc_id.encode()
    )
    named = read_names(path, ("url", "doc_id"))
    assert named.values == {"url": ("https://a.example/x",), "doc_id": (doc_id,)}
    assert len(named.blake2b) == 64


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            b"https://a.example/\nexample.org\n",
            r"list.txt:2: 'example.org' is not a url or a doc_id: expected an address",
        ),
        (b"# nothing\n", "names no url or doc_id: expected one per line"),
        (b"\xff\n", "list.txt:1: not UTF-8 text"),
    ],
)
def test_mistakes(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read_names(written(tmp_path, content), ("url", "doc_id"))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no file at"):
        read_names(str(tmp_path / "none.txt"), ("url",))
