"""Parsing at once and line by line gives the same; types are mixed, values odd, lines bad."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.sources.json_blocks import lines_of
from curation.sources.json_rows import parse_rows
from curation.sources.lines import LineBlock

FIELDS = {"text": "text", "id": "id", "url": "meta.url", "crawled_at": "t"}
GOOD = b'{"text": "x", "id": 1, "meta": {"url": "u"}, "t": 1}'


def parsed(data: bytes) -> tuple[list[dict[str, Any]], list[int]]:
    bad: list[int] = []
    offsets, values, _ = parse_rows(lines_of(LineBlock(data, 0)), FIELDS, lambda offset, _: bad.append(offset))
    columns = {"offset": offsets.tolist(), **{name: array.to_pylist() for name, array in values.items()}}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)], bad


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        (b'{"text": "caf\\u00e9"}', "text", "café"),
        (b'{"text": 5}', "text", None),
        (b'{"text": null}', "text", None),
        (b"{}", "text", None),
        (b'{"text": ""}', "text", ""),
        (b'{"text": "a", "text": "b"}', "text", "b"),
        (b'{"text": "a\\ud800b"}', "text", "a\ufffdb"),
        (b'{"text": "\\ud83d\\ude00"}', "text", "\U0001f600"),
        (b'{"text": "a\xffb"}', "text", "a\ufffdb"),
        (b'{"id": 7}', "id", "7"),
        (b'{"id": "7"}', "id", "7"),
        (b'{"id": 123456789012345678901234567890}', "id", "123456789012345678901234567890"),
        (b'{"id": 1.5}', "id", "1.5"),
        (b'{"id": true}', "id", None),
        (b'{"id": -0}', "id", "0"),
        pytest.param(b'{"id": ' + b"1" * 5000 + b"}", "id", "1" * 5000, id="an id of 5,000 digits"),
        pytest.param(b'{"text": "x", "n": ' + b"1" * 5000 + b"}", "text", "x", id="5,000 digits in another field"),
        (b'{"text": "x", "n": [NaN, Infinity, -Infinity]}', "text", "x"),
        (b'{"meta": {"url": "u", "more": [1]}}', "url", "u"),
        (b'{"meta": {"url": 1}}', "url", None),
        (b'{"meta": "u"}', "url", None),
        (b'{"meta": null}', "url", None),
        (b'{"meta.url": "u"}', "url", None),
        (b'  {"id": 7}\t\r', "id", "7"),
        (b'\xef\xbb\xbf{"id": 7}', "id", "7"),
    ],
)
def test_a_value(line: bytes, name: str, value: str | None) -> None:
    alone, bad = parsed(line)
    assert (alone[0][name], bad) == (value, [])
    if not line.startswith(b"\xef"):
        assert parsed(GOOD + b"\n" + line)[0][1][name] == value
        assert parsed(line + b"\n" + GOOD + b"\nnull")[0][0][name] == value


@pytest.mark.parametrize(
    ("line", "seconds"),
    [
        (b'{"t": 1.5}', 1.5),
        (b'{"t": 2}', 2),
        (b'{"t": "1970-01-01T00:00:03Z"}', 3),
        (b'{"t": [1]}', None),
        (b'{"t": 1e99}', None),
        pytest.param(b'{"t": ' + b"1" * 400 + b"}", None, id="400 digits"),
        pytest.param(b'{"t": -' + b"1" * 5000 + b"}", None, id="5,000 digits"),
        (b'{"t": -62135596801}', None),
        (b'{"t": "0000-01-01T00:00:00Z"}', None),
    ],
)
def test_a_date(line: bytes, seconds: float | None) -> None:
    for rows in (parsed(line)[0], parsed(GOOD + b"\n" + line)[0]):
        moment = rows[-1]["crawled_at"]
        assert (moment and moment.timestamp()) == seconds


@pytest.mark.parametrize(
    "line",
    [
        b"null",
        b"[1]",
        b'"x"',
        b"3",
        b"{",
        b'{"a": 1}{"b": 2',
        b'{"a": "tab\there"}',
        b"{'a': 1}",
        b'{"a":' + b"[" * 100_000,
        b'{"a":' + b"[" * 200 + b"]" * 200 + b"}",
        b'{"a": Inf}',
        b'{"a": -Inf}',
    ],
    ids=range(12),
)
def test_a_bad_line_costs_only_itself(line: bytes) -> None:
    rows, bad = parsed(GOOD + b"\n\n" + line + b"\n" + GOOD)
    assert [row["offset"] for row in rows] == [0, len(GOOD) + len(line) + 3]
    assert bad == [len(GOOD) + 2]


def test_nesting_up_to_the_limit_is_read() -> None:
    assert parsed(b'{"text": "[", "a":' + b"[" * 199 + b"]" * 199 + b"}\nnull")[0][0]["text"] == "["


NUMBERS = "1 -0 01 1. .5 - +1 1e5 1e400 9223372036854775808 1.5 253402300800 -62135596801 0x1 1_0 1\x00 \u0661".split()
WORDS = "tru true null nan NaN Inf -Inf Infinity -Infinity [] [1,] {} /**/1".split()
TEXTS = """ "x" "" "2020" "2020-01-01T00:00:00Z" "0000-01-01T00:00:00Z" "2020-01-01T24:00:00Z" "\\u0000" "\\ud800" "\\/"
    "\\ud83d\\ude00" "\\udc00" "\\x" "Inf" "\x01" "\u2028" """.split()
META = """ {"url":"u"} {"url":1} {"url":null} {"x":1} {"url":"u","url":null} {"url":null,"url":"u"} """.split()
VALUES = (*NUMBERS, *WORDS, *TEXTS, *META, "1" * 5000)
KEYS = ('"text"', '"id"', '"meta"', '"t"', '"other"', '"te\\u0078t"', "text", '""')
members = st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=3)
objects = members.map(lambda pairs: "{" + ",".join(f"{key}:{value}" for key, value in pairs) + "}")
lines = st.one_of(objects.map(str.encode), st.sampled_from([GOOD, b"null", b"{", b"{}{}", b"\xff", b'{"text":"\xff"}']))


@settings(max_examples=250, deadline=None)
@given(st.lists(lines, min_size=1, max_size=4))
def test_a_line_reads_among_others_as_it_does_alone(several: list[bytes]) -> None:
    rows, bad = parsed(b"\n".join(several))
    expected = []
    refused = []
    offset = 0
    for line in several:
        alone, none = parsed(b"\n" * offset + line)
        expected += alone
        refused += none
        offset += len(line) + 1
    assert (rows, bad) == (expected, refused)


def test_no_lines() -> None:
    assert parsed(b"\n \n") == ([], [])
