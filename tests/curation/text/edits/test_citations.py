"""Citation markers against a regular expression."""

import re

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from curation.text.edits.citations import without_citations
from curation.text.lines import Lines, all_lines

MARKER = re.compile(r"\[\d*\]|\[edit\]|\[citation needed\]")
parts = st.sampled_from(
    ["[", "]", "[]", "1", "२", "²", "a", " ", "\n", "[edit]", "[edit", "citation needed]", "é", "x" * 70]
)
texts = st.lists(st.lists(parts, max_size=20).map("".join), max_size=4)


def lines_of(lines: Lines) -> list[str]:
    return [bytes(lines.data[a:b]).decode() for a, b in zip(lines.begins, lines.ends, strict=True)]


@given(texts)
def test_what_stands_there_is_cut(values: list[str]) -> None:
    given_lines = [line.strip() for value in values if value for line in value.split("\n")]
    lines, removed = without_citations(all_lines(pa.array(values, pa.large_string())), nested=False)
    assert lines_of(lines) == [MARKER.sub("", line) for line in given_lines]
    assert removed.tolist() == [len(MARKER.findall(line)) for line in given_lines]


@given(texts)
def test_what_stands_there_after_a_cut_is_cut_too(values: list[str]) -> None:
    lines, removed = without_citations(all_lines(pa.array(values, pa.large_string())), nested=True)
    for line, after, count in zip(
        (line.strip() for value in values if value for line in value.split("\n")),
        lines_of(lines),
        removed.tolist(),
        strict=True,
    ):
        cuts = 0
        while found := MARKER.search(line):
            line = line[: found.start()] + line[found.end() :]
            cuts += 1
        assert (after, count) == (line, cuts)


def test_bounds_without_whitespace_are_those_after_the_cut() -> None:
    lines, _ = without_citations(all_lines(pa.array(["  End. [1]\n[2]"])), nested=False)
    assert lines_of(lines) == ["End. ", ""]
    assert (lines.stops - lines.starts).tolist() == [4, 0]
    assert lines.blank().tolist() == [False, True]
