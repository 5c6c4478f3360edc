"""Header fields."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.sources.fields import header_end, parse_fields


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        (b"", {}),
        (b"A: 1\r\nB:2\n", {"a": "1", "b": "2"}),
        (b"A: 1\r\na: 2", {"a": "1"}),
        (b"A:\r\nA: 2", {"a": "2"}),
        (b"A: 1\r\n\t2\r\n 3", {"a": "1 2 3"}),
        (b"A:\r\n\t2", {"a": "2"}),
        (b" lost\r\nno colon\r\nA: x:y", {"a": "x:y"}),
        ("A: é".encode(), {"a": "é"}),
        (b"A: \xe9", {"a": "é"}),
        (b"A: 1\rB: 2\r\r\nC: 3", {"a": "1", "b": "2", "c": "3"}),
        (b" A: 1\r\nB : 2", {"a": "1", "b": "2"}),
        (b"no colon\r\n A: 1", {"a": "1"}),
        (b"A: 1\r\na: 2\r\n 3\r\nB: 4", {"a": "1", "b": "4"}),
        (b"X-Robots-Tag: a\r\nB: 1\r\nx-robots-tag: c: d", {"x-robots-tag": "a, c: d", "b": "1"}),
        (b"Content-Type: a/b\r\nContent-Type:\r\ncontent-type: c/d;\r\n e=f", {"content-type": "a/b, c/d; e=f"}),
    ],
)
def test_parse_fields(lines: bytes, fields: dict[str, str]) -> None:
    assert parse_fields(lines) == fields


FIRST = b"HTTP/1.1 200 OK"


@pytest.mark.parametrize(
    ("rest", "body", "plain"),
    [
        pytest.param(b"\r\nA: 1\r\n\r\n<p>", b"<p>", True, id="CR LF"),
        pytest.param(b"\nA: 1\n\n<p>", b"<p>", True, id="LF"),
        pytest.param(b"\r\nA: 1\n\r\n<p>", b"<p>", True, id="both"),
        pytest.param(b"\r\nA: 1\r\n b\r\n\r\n<p>", b"<p>", True, id="folded line"),
        pytest.param(b"\r\nA: 1\r\n\r\n\r\n<p>", b"\r\n<p>", True, id="the body begins with a line end"),
        pytest.param(b"\r\n\r\n<p>", b"<p>", True, id="no field"),
        pytest.param(b"\rA: 1\r\r<p>\n\n", b"<p>\n\n", False, id="CR"),
        pytest.param(b"\r\r\nA: 1\r\r\n\r\r\n<p>", b"<p>", False, id="CR CR LF"),
        pytest.param(b"\r\r\nA: 1\r\n\r\n<p>", b"<p>", False, id="CR CR LF once"),
        pytest.param(b"\n\r\nA: 1\r\n\r\n<p>", b"<p>", False, id="empty line before the first field"),
        pytest.param(b"\n\r\nA: text\nwithout an end", b"A: text\nwithout an end", True, id="no header after all"),
        pytest.param(b"\r\nA: 1\r\n \t\r\n<p>\n\n", b"<p>\n\n", False, id="spaces on the last line"),
        pytest.param(b"\r\nA: 1\r\n \r\nB: 2\r\n\r\n<p>", b"<p>", False, id="spaces on a line between fields"),
        pytest.param(b"\r\nA: 1\r\rB: 2\r\n\r\n<p>", b"<p>", False, id="bare CRs between fields"),
        pytest.param(b"\r\nA: 1\r\rand 2\r\nB: 3\r\n\r\n<p>", b"<p>", False, id="bare CRs in a value"),
        pytest.param(b"\r\nA: 1\rB: 2\r\r<p>\n\n<p>", b"<p>\n\n<p>", False, id="CR but for the first line"),
        pytest.param(b"\r\nA: 1\r\n\r\nB: 2\r\n\r\n<p>", b"B: 2\r\n\r\n<p>", True, id="what looks like a field"),
    ],
)
def test_header_end(rest: bytes, body: bytes, plain: bool) -> None:
    data = FIRST + rest
    end = header_end(data, len(FIRST), len(data))
    assert end is not None
    assert (data[end.body :], end.plain) == (body, plain)


@pytest.mark.parametrize("rest", [b"", b"\r\n", b"\r\nA: 1", b"\r\nA: 1\r\n", b"\r\nA: 1\r\n b"])
def test_no_end(rest: bytes) -> None:
    assert header_end(FIRST + rest, len(FIRST), len(FIRST + rest)) is None


# 200,000 bytes each: a reading that looks back at what it has passed would not end.
@pytest.mark.parametrize(
    "part", [b"\r", b"\n", b" ", b"\r\n ", b"\r \r", b"\r\rA:", b"\n \nA:", b"\r\r\n", b"A:\r", b"A"]
)
def test_a_hostile_header_is_read_in_one_pass(part: bytes) -> None:
    data = FIRST + b"\r\n" + part * (200_000 // len(part)) + b"x"
    end = header_end(data, len(FIRST), len(data))
    parse_fields(data[len(FIRST) :])
    assert end is None or end.body <= len(data)


def test_a_value_folded_into_a_million_lines_is_joined_once() -> None:
    assert parse_fields(b"A: b" + b"\n x" * 1_000_000) == {"a": "b" + " x" * 1_000_000}


@given(
    st.lists(st.tuples(st.from_regex(r"[A-Za-z][A-Za-z0-9\-]{0,9}", fullmatch=True), st.text("abc;=/ \t", max_size=9))),
    st.sampled_from([b"\r\n", b"\n", b"\r\r\n", b"\r"]),
    st.sampled_from([b"<html>", b"\x89PNG", b"{}", b"text\r\n\r\ntext"]),
)
def test_any_line_end_gives_the_same_header(fields: list[tuple[str, str]], line_end: bytes, body: bytes) -> None:
    lines = [f"{name}: {value}".encode() for name, value in fields]
    data = line_end.join([FIRST, *lines, b"", body])
    end = header_end(data, len(FIRST), len(data))
    assert end is not None
    assert data[end.body :] == body
    assert parse_fields(data[len(FIRST) : end.fields]) == parse_fields(b"\r\n".join(lines))


@given(
    st.lists(st.sampled_from([b"\r", b"\n", b" ", b"\t", b"A", b":", b"A: 1", b"\r\n", b"<p>", b"\0"])).map(b"".join)
)
def test_nothing_is_lost_between_header_and_body(rest: bytes) -> None:
    end = header_end(FIRST + rest, len(FIRST), len(FIRST + rest))
    if end is not None:
        assert len(FIRST) <= end.fields < end.body
        assert not (FIRST + rest)[end.fields : end.body].strip(b"\r\n \t")
