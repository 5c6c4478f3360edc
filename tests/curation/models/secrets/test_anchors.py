"""Words of which every match holds one."""

import re

import pytest

from curation.models.secrets.anchors import anchor_of, beginning_at


@pytest.mark.parametrize(
    ("pattern", "words", "before", "following"),
    [
        pytest.param(r"\bghp_[0-9]{36}", ("ghp_",), 0, 8, id="a prefix"),
        pytest.param("(?i)[a-z]{0,9}pass(?:wd|word)?=", ("pass=", "passwd=", "password="), 9, 0, id="combinations"),
        pytest.param("(?:AKIA|ASIA)[A-Z]{16}", ("akia", "asia"), 0, 8, id="alternatives with a common beginning"),
        pytest.param("gh[po]_", ("gho_", "ghp_"), 0, 0, id="a small class"),
        pytest.param("(?:key[0-9]|token[0-9]{2})x", ("key", "token"), 0, 1, id="a word in each alternative"),
        pytest.param("[0-9]+:secret", (":secret",), 32, 0, id="after a repeat without an end"),
        pytest.param("(?:[0-9]key){2}", ("key",), 1, 0, id="within a repeat"),
    ],
)
def test_anchor(pattern: str, words: tuple[str, ...], before: int, following: int) -> None:
    anchor = anchor_of(re.compile(pattern, re.ASCII))
    assert anchor is not None
    assert (anchor.words, anchor.before, anchor.following) == (words, before, following)


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("[0-9]{16}", id="no word"),
        pytest.param("(?:key)?[0-9]{16}", id="a word that may be missing"),
        pytest.param("key|[0-9]{16}", id="an alternative without a word"),
        pytest.param("key(?:ab)+", id="a repeat without an end that is too much"),
        pytest.param("é[0-9]k", id="too short"),
    ],
)
def test_none(pattern: str) -> None:
    assert anchor_of(re.compile(pattern)) is None


@pytest.mark.parametrize(
    ("pattern", "beginning"),
    [
        pytest.param("key[0-9]", "key[0-9]", id="the pattern itself"),
        pytest.param(r"(?i:[\w.-]{0,50}?(?:key)x)", "(?i:(?:key)x)", id="without what may be empty"),
        pytest.param(r"[a\]]{0,5}key", "key", id="a bracket in the class"),
        pytest.param("[0-9]{1,5}key", None, id="not without what must be there"),
    ],
)
def test_beginning(pattern: str, beginning: str | None) -> None:
    compiled = re.compile(pattern)
    anchor = anchor_of(compiled)
    assert anchor is not None
    found = beginning_at(anchor, compiled)
    assert (found.pattern if found else None) == beginning
