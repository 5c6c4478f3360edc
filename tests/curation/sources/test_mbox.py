"""Where a message of an mbox begins, whatever its lines look like and however its bytes come."""

import gzip
from pathlib import Path

import pytest

from curation.core.protocols import Piece, ReadTally
from curation.sources import mbox
from curation.sources.mbox import RawMessage, raw_messages

FROM = b"From ann@a.org Thu Jan  2 03:04:05 2020\n"


def read(path: Path, content: bytes, most: int = 1 << 20) -> list[RawMessage]:
    path.write_bytes(content)
    return list(raw_messages(Piece(str(path)), ReadTally(), most))


@pytest.mark.parametrize(
    ("line", "separates"),
    [
        pytest.param(b"\n" + FROM + b"To: b\n", True, id="as written"),
        pytest.param(b"\n" + FROM + b">From b Thu Jan  2 03:04 2020\nTo: b\n", True, id="with a forwarded one below"),
        pytest.param(FROM + b"To: b\n", False, id="no blank line before"),
        pytest.param(b"\n" + FROM + b"no header\n", False, id="no header after"),
        pytest.param(b"\nFrom here on\nTo: b\n", False, id="no time"),
        pytest.param(b"\n>" + FROM + b"To: b\n", False, id="escaped"),
        pytest.param(b"\nFrom " + b"x" * 500 + b" 03:04\nTo: b\n", False, id="too long"),
    ],
)
def test_a_line_that_begins_with_from(line: bytes, separates: bool, tmp_path: Path) -> None:
    found = read(tmp_path / "x", FROM + b"To: a\n\nHello.\n" + line)
    assert len(found) == 1 + separates


@pytest.mark.parametrize("block", [1, 7, 50, 1 << 20])
def test_any_blocks_give_the_same(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"".join(FROM + b"To: a\n\n" + b"word " * number + b"\n\n" for number in (1, 300, 599, 600, 2000, 2))
    expected = read(tmp_path / "x", content, 3007)
    assert [message.content is None for message in expected] == [False, False, False, True, True, False]
    monkeypatch.setattr(mbox, "BLOCK", block)
    assert read(tmp_path / "x", content, 3007) == expected
    assert read(tmp_path / "x.gz", gzip.compress(content), 3007) == expected


def test_what_is_compressed_under_any_name_is_read_by_the_first_range(tmp_path: Path) -> None:
    content = (FROM + b"To: a\n\nHello.\n\n") * 100
    messages = read(tmp_path / "x", content)
    (tmp_path / "x").write_bytes(gzip.compress(content))
    ranges = [Piece(str(tmp_path / "x"), 0, 60), Piece(str(tmp_path / "x"), 60, -1)]
    assert [list(raw_messages(piece, ReadTally(), 1000)) for piece in ranges] == [messages, []]


@pytest.mark.parametrize("start", [0, 50_000])
def test_a_range_is_read_no_further_than_its_last_message_may_be_long(start: int, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(FROM + b"To: a\n\nHello.\n\n")
    with (tmp_path / "x").open("r+b") as file:
        file.truncate(1 << 40)  # to read it all takes an hour
    found = list(raw_messages(Piece(str(tmp_path / "x"), start, start + 10_000), ReadTally(), 1000))
    assert found == [RawMessage(0, None)][: start == 0]


def test_one_message_a_file_is_read_once_however_it_is_cut(tmp_path: Path) -> None:
    content = b"To: a\n\n" + b"word " * 100
    assert read(tmp_path / "x", content) == [RawMessage(0, content)]
    assert read(tmp_path / "x", content, 100) == [RawMessage(0, None)]
    assert list(raw_messages(Piece(str(tmp_path / "x"), 50, -1), ReadTally(), 1000)) == []
