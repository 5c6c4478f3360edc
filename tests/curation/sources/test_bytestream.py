"""Positions, boundaries and gaps in decompressed bytes."""

import re

import pytest

from curation.sources.bytestream import ByteStream, end_of_newlines
from curation.sources.inflate import InflatedBytes


def stream(*spans: InflatedBytes) -> ByteStream:
    return ByteStream(iter(spans), re.compile(rb"WARC/"))


def test_need_stops_at_a_member_that_begins_with_a_record() -> None:
    bytes_ = stream(InflatedBytes(b"abc", 0), InflatedBytes(b"de"), InflatedBytes(b"WARC/x", 40), InflatedBytes(b"yz"))
    assert [bytes_.need(2), bytes_.need(100)] == [2, 5]
    assert bytes_.skip(100) == 5
    assert bytes_.need(100) == 8
    assert bytes_.data[bytes_.at :] == b"WARC/xyz"


def test_need_goes_on_past_a_member_that_does_not() -> None:
    assert stream(InflatedBytes(b"abc", 0), InflatedBytes(b"de", 40)).need(100) == 5


def test_need_stops_where_bytes_are_missing() -> None:
    bytes_ = stream(InflatedBytes(b"abc", 0), InflatedBytes(b"de", 40, gap=True))
    assert (bytes_.need(100), bytes_.cut_by_gap(), bytes_.pass_gaps()) == (3, True, False)
    bytes_.skip(3)
    assert (bytes_.need(100), bytes_.cut_by_gap(), bytes_.pass_gaps(), bytes_.pass_gaps()) == (2, False, True, False)


def test_offset_is_the_members_only_where_nothing_lies_between() -> None:
    bytes_ = stream(InflatedBytes(b"abc\r\n", 0), InflatedBytes(b"WARC/d", 40))
    assert bytes_.offset(0) == 0
    bytes_.skip(5)
    bytes_.need(1)
    assert bytes_.offset(3) == 40
    bytes_.skip(2)
    assert bytes_.offset(6) == 7


@pytest.mark.parametrize(
    ("data", "more", "position"),
    [
        (b"\r\n\nx", True, 3),
        (b"x", True, 0),
        (b"\n" * 20_000 + b"x", True, 20_000),
        (b"\n\n", False, 2),
        (b"", False, 0),
    ],
)
def test_skip_newlines(data: bytes, more: bool, position: int) -> None:
    bytes_ = stream(InflatedBytes(data))
    assert (bytes_.skip_newlines(), bytes_.position) == (more, position)


def test_end_of_newlines() -> None:
    assert [end_of_newlines(b"a\r\nb", 1, 4), end_of_newlines(b"\n\n", 0, 1), end_of_newlines(b"a", 0, 1)] == [3, 1, 0]
