"""Where a message of an mbox begins, whatever its lines look like and however its bytes come."""

import gzip
from pathlib import Path

import pytest

from curation.core.protocols import Piece, ReadTally
from curation.sources.documents.mail import mbox
from curation.sources.documents.mail.mbox import RawMessage, raw_messages

FROM = b"From ann@a.org Thu Jan  2 03:04:05 2020\n"


def read(path: Path, content: bytes, most: int = 1 << 20) -> list[RawMessage]:
    path.write_bytes(content)
    return list(raw_messages(Piece(str(path)), ReadTally(), most))


@pytest.mark.parametrize(
    ("line", "separates"),
    [
        pytest.param(b"\n" + FROM + b"To: b\n", True, id="as written"),
        pytest.param(b"\n" + FROM + b">From b Thu Jan  2 03:04 2020\nTo: b\n", True, id="with a forwarded one below"),
        pytest.param(FROM + b"To: b\n", True, id="no blank line before"),
        pytest.param(b"\n" + FROM + b"no header\n", False, id="no header after"),
        pytest.param(FROM + b"Odd-Name: b\n", True, id="a header that is not known"),
        pytest.param(b"From - \nTo: b\n", True, id="no sender, no time"),
        pytest.param(b"From - \nBy: b\n", False, id="no sender, no time, and a header that is not known"),
        pytest.param(b"From 184@xxx\nMIME-Version: 1.0\n", True, id="a sender alone"),
        pytest.param(b"From ann at a.org 2020\nDate: x\n", True, id="an address in words, and a year"),
        pytest.param(b"From ???@??? Thu Jan 02 03:04:05 2020\nTo: b\n", True, id="no address"),
        pytest.param(b"From ann Thu, 2 Jan 2020 03:04:05 +0000\nTo: b\n", True, id="a date as in headers"),
        pytest.param(b"\nFrom ann lun. 2 janv. 03:04:05 2020\nTo: b\n", True, id="a date in French"),
        pytest.param(b"From ann lun. 2 janv. 03:04:05 2020\nTo: b\n", False, id="that without a blank line before"),
        pytest.param(b"\nFrom 8:30 on\nRoom: 5\n", False, id="a time in a text"),
        pytest.param(b"\nFrom here on\nTo: b\n", False, id="no time"),
        pytest.param(b"\nFrom Mars\nYear: 1963\n", False, id="a title"),
        pytest.param(b"\n>" + FROM + b"To: b\n", False, id="escaped"),
        pytest.param(b"\nFrom " + b"x" * 500 + b" 03:04\nTo: b\n", False, id="too long"),
    ],
)
def test_a_line_that_begins_with_from(line: bytes, separates: bool, tmp_path: Path) -> None:
    for ends in (b"\n", b"\r\n"):
        found = read(tmp_path / "x", (FROM + b"To: a\n\nHello.\n" + line).replace(b"\n", ends))
        assert len(found) == 1 + separates


@pytest.mark.parametrize("before", [b"\n", b"\r\n \n\n", b"\xef\xbb\xbf", b"\xef\xbb\xbf\n\n"])
def test_what_stands_before_the_first_message(before: bytes, tmp_path: Path) -> None:
    content = before + FROM + b"To: a\n\nOne.\n" + FROM + b"To: b\n\nTwo.\n"
    assert [message.content for message in read(tmp_path / "x", content)] == [b"To: a\n\nOne.\n", b"To: b\n\nTwo.\n"]
    assert read(tmp_path / "y", before + b"To: a\n\nOne.\n")[0].content == b"To: a\n\nOne.\n"
    pieces = [Piece(str(tmp_path / "x"), 0, 60), Piece(str(tmp_path / "x"), 60, -1)]
    parts = [message for piece in pieces for message in raw_messages(piece, ReadTally(), 1000)]
    assert parts == read(tmp_path / "x", content)


def test_the_end_of_a_message_before_the_first_one_is_not_lost(tmp_path: Path) -> None:
    found = read(tmp_path / "x", b"the end\n" + FROM + b"To: b\n\nTwo.\n")
    assert found == [RawMessage(0, b"the end\n"), RawMessage(8, b"To: b\n\nTwo.\n")]
    assert read(tmp_path / "x", b"From x y\nno mail") == [RawMessage(0, b"From x y\nno mail")]


@pytest.mark.parametrize(
    ("length", "messages"),
    [
        pytest.param(70, 2, id="true"),
        pytest.param(69, 2, id="without the last line end"),
        pytest.param(60, 3, id="too short"),
        pytest.param(90, 3, id="too long"),
        pytest.param(10**8, 3, id="longer than the file"),
    ],
)
@pytest.mark.parametrize("block", [1, 1 << 20])
def test_a_separator_within_the_length_that_a_message_states(
    length: int, messages: int, block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mbox, "BLOCK", block)
    body = b"See below.\n\n" + FROM + b"To: c\n\nForwarded.\n"
    assert len(body) == 70
    content = FROM + b"Content-Length: %d\n\n" % length + body + b"\n" + FROM + b"To: b\n\nTwo.\n"
    found = read(tmp_path / "x", content)
    assert len(found) == messages
    assert found[-1] == RawMessage(len(content) - 52, b"To: b\n\nTwo.\n")
    ranges = [Piece(str(tmp_path / "x"), 0, 60), Piece(str(tmp_path / "x"), 60, -1)]
    assert [list(raw_messages(piece, ReadTally(), 1000)) for piece in ranges] == [found, []]


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
