"""Tags, comments and text of pages that are well formed, and of those that end too soon."""

import numpy as np
import pytest

from curation.text.html.syntax import (
    begins_tag,
    name_hash,
    read_attributes,
    read_name,
    skip_comment,
    skip_text,
)


def data(text: str) -> np.ndarray:
    return np.frombuffer(text.encode(), np.uint8)


@pytest.mark.parametrize(
    ("text", "end"), [("a < b<i>", 5), ("a</i>", 1), ("a<!--", 1), ("a<", 2), ("<3", 2), ("", 0)], ids=repr
)
def test_where_text_ends(text: str, end: int) -> None:
    assert skip_text(data(text), 0) == end


@pytest.mark.parametrize(
    ("text", "end"),
    [("<!-- > -->x", 10), ("<!-->x", 5), ("<!doctype html>x", 15), ("</ >x", 4), ("<!-- a", 6)],
    ids=repr,
)
def test_where_a_comment_ends(text: str, end: int) -> None:
    assert skip_comment(data(text), 0) == end


def test_a_tag() -> None:
    tag = data('<IMG src=a alt="a > b" / title=\'">\'>x')
    assert begins_tag(tag, 0)
    assert not begins_tag(data("<!a>"), 0)
    name, end = read_name(tag, 1)
    assert (name, end) == (name_hash("img"), 4)
    assert read_attributes(tag, end) == (3, 0, len(tag) - 1)
    assert read_attributes(data("<br/>"), 3) == (0, 1, 5)
    assert read_attributes(data("<br a='"), 3)[2] > 7
