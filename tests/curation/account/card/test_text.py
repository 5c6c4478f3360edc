"""Whatever a page says stays on its line, in its cell, and is no markup: read by a Markdown parser."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from curation.account.card.text import code, prose, table
from tests.curation.account.cards import HOSTILE

READER = MarkdownIt("commonmark", {"html": True}).enable("table")


def kinds(markdown: str) -> list[str]:
    """Types of all tokens, those inside lines too."""
    tokens = READER.parse(markdown)
    return [inner.type for token in tokens for inner in (token, *(token.children or ()))]


@given(st.text())
def test_code_is_code_in_one_cell(text: str) -> None:
    found = kinds(table(("a", " b"), [(code(text), "1")]))
    assert found.count("code_inline") == 1
    assert found.count("td_open") == 2
    assert not {"html_inline", "html_block", "link_open", "image", "heading_open"} & set(found)


@given(st.text(min_size=1))
def test_prose_is_one_heading_of_text(text: str) -> None:
    found = kinds(f"# {prose(text)}")
    assert set(found) <= {"heading_open", "inline", "text", "text_special", "heading_close"}
    assert found.count("heading_open") == 1


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("CC-BY-4.0", "`CC-BY-4.0`", id="as it is"),
        pytest.param("a|b`c", "`a¦b'c`", id="bar and backtick"),
        pytest.param("a\n\n  b", "`a b`", id="lines"),
        pytest.param("a\x1b[31mb\u202e", "`a\ufffd[31mb\ufffd`", id="control characters"),
        pytest.param("", "`(empty)`", id="nothing"),
        pytest.param("x" * 160, f"`{'x' * 160}`", id="160 characters"),
        pytest.param("x" * 161, f"`{'x' * 160}…`", id="161 characters"),
    ],
)
def test_code(text: str, shown: str) -> None:
    assert code(text) == shown


def test_prose_of_a_hostile_page() -> None:
    assert "\n" not in prose(HOSTILE)
    assert r"\<script\>" in prose(HOSTILE)


def test_columns_to_the_right() -> None:
    assert table(("a", " b"), [("x", "1")]) == "| a | b |\n|---|---:|\n| x | 1 |"
