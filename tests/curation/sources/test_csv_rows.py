"""Rows and fields of text with delimiters, against Python's reader and by hand."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.sources.csv_rows import MALFORMED, NO_QUOTE, Dialect, field_values, find_rows

COMMA = Dialect(ord(","), ord('"'))


def parsed(content: bytes, dialect: Dialect = COMMA, *, final: bool = True, columns: int = 4) -> list[list[bytes]]:
    data = np.frombuffer(content, np.uint8)
    rows = find_rows(data, 0, dialect, np.arange(columns), final=final)
    values = [field_values(data, *one, dialect.quote).to_pylist() for one in zip(rows.starts, rows.stops, strict=True)]
    return [[values[n][row] for n in range(count)] for row, count in enumerate(rows.fields.tolist())]


@pytest.mark.parametrize(
    ("content", "rows"),
    [
        pytest.param(b"a,b\r\nc,d\r\n", [[b"a", b"b"], [b"c", b"d"]], id="CR LF"),
        pytest.param(b"a,b\rc,d", [[b"a", b"b"], [b"c", b"d"]], id="CR, and no break at the end"),
        pytest.param(b"a,\n,b\n,\n", [[b"a", b""], [b"", b"b"], [b"", b""]], id="empty fields"),
        pytest.param(b"a,", [[b"a", b""]], id="an empty field at the end"),
        pytest.param(b"\n\na\n\r\n\nb\n\n", [[b"a"], [b"b"]], id="empty lines"),
        pytest.param(b'"a,b","c\nd"\n', [[b"a,b", b"c\nd"]], id="delimiter and line break within quotes"),
        pytest.param(b'"a ""b"" c",""""\n', [[b'a "b" c', b'"']], id="doubled quotes"),
        pytest.param(b'"",x\n', [[b"", b"x"]], id="empty within quotes"),
        pytest.param(b'a "b" c,5"\n', [[b'a "b" c', b'5"']], id="quotes that begin no field"),
        pytest.param(b'"a"b,"c" "d"\n', [[b"ab", b'c "d"']], id="text behind a quoted field"),
        pytest.param(b"\xff,\0\n", [[b"\xff", b"\0"]], id="any bytes"),
    ],
)
def test_rows(content: bytes, rows: list[list[bytes]]) -> None:
    assert parsed(content) == rows


def test_without_quotes() -> None:
    assert parsed(b'"a\tb"\n', Dialect(ord("\t"), NO_QUOTE)) == [[b'"a', b'b"']]


@pytest.mark.parametrize("content", [b"a,b", b'a,"b"', b'a,"b""', b'a,"b\n', b"a,"])
def test_a_row_without_its_end_waits_for_more(content: bytes) -> None:
    assert parsed(content, final=False) == []
    data = np.frombuffer(b"x,y\n" + content, np.uint8)
    rows = find_rows(data, 0, COMMA, np.arange(2), final=False)
    assert (rows.offsets.tolist(), rows.stop) == ([0], 4)


def test_a_quote_without_an_end_is_no_row() -> None:
    assert parsed(b'a,"b\nc\n') == []


@pytest.mark.parametrize("content", [b'a,"b\nc"d,e\nf\n', b'a,"b\r\nc" d\nf\n'])
def test_a_quote_before_a_line_break_with_text_behind_the_next_is_none(content: bytes) -> None:
    data = np.frombuffer(content, np.uint8)
    rows = find_rows(data, 0, COMMA, np.arange(2), final=True)
    assert rows.fields[0] == MALFORMED
    assert rows.offsets[1] == content.index(b"c")


def test_blanks_behind_a_quoted_field_are_no_text() -> None:
    assert parsed(b'"a\nb"  ,c\n') == [[b"a\nb  ", b"c"]]


def test_only_wanted_columns_are_found_and_those_that_are_lacking_are_empty() -> None:
    data = np.frombuffer(b"a,b,c\nd\n", np.uint8)
    rows = find_rows(data, 0, COMMA, np.array([2, 0]), final=True)
    assert rows.fields.tolist() == [3, 1]
    assert [field_values(data, *one, COMMA.quote).to_pylist() for one in zip(rows.starts, rows.stops, strict=True)] == [
        [b"c", b""],
        [b"a", b"d"],
    ]


def test_a_few_rows_at_a_time() -> None:
    data = np.frombuffer(b"a\nb\nc\n", np.uint8)
    first = find_rows(data, 0, COMMA, np.arange(1), final=True, most=2)
    assert (first.offsets.tolist(), first.stop) == ([0, 2], 4)
    assert find_rows(data, first.stop, COMMA, np.arange(1), final=True, most=2).offsets.tolist() == [4]


FIELD = st.text(st.sampled_from('ab,"\n\r é'), max_size=6)


@given(
    st.lists(st.lists(FIELD, min_size=2, max_size=4), max_size=5), st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
)
def test_what_python_writes_is_read(rows: list[list[str]], quoting: int) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, quoting=quoting).writerows(rows)  # type: ignore[arg-type]
    assert parsed(out.getvalue().encode()) == [[field.encode() for field in row] for row in rows]
