"""The scanner: it counts as `markup` does, finds the text that is there, and stays within its room on any bytes."""

import html as standard
import random

import pytest

from curation.extract.blocks.page import LINK_CHARACTERS, NODE, START, STOP, WORDS, Page
from curation.extract.blocks.scanner import scan
from curation.extract.blocks.tags import NAMES
from curation.extract.markup import count
from tests.curation.extract.articles import ARTICLE, GREEK, NESTED, SCRIPTED, STORY, THREAD
from tests.curation.extract.formed_page import PAGE
from tests.curation.extract.student.made_pages import made_page
from tests.support import table

_TEXTS = (ARTICLE, GREEK, NESTED, SCRIPTED, *([STORY] if isinstance(STORY, str) else STORY), THREAD, PAGE)
LIMITS = {"max_nodes": 5_000, "max_depth": 60, "max_attributes": 50}
PAGES = [text.encode() if isinstance(text, str) else text for text in _TEXTS]
SPICE = (
    *(bytes([byte]) for byte in b"<>/=\"'&;! \n-\xff"),
    *(b"<!--", b"-->", b"<![CDATA[", b"</p", b"<td>", b"<svg>", b"<template>", b"<pre>", b"&#x", b"<br>", b"<li>"),
)


def texts(page: Page) -> list[str]:
    return [page.text[row[START] : row[STOP]].tobytes().decode() for row in page.blocks]


def mutated(choose: random.Random) -> bytes:
    page = bytearray(choose.choice(PAGES)[: choose.randint(1, 4_000)])
    for _ in range(choose.randint(0, 40)):
        at = choose.randrange(len(page) + 1)
        piece = choose.choice(SPICE)
        page[at : at + choose.randint(0, 8)] = piece * choose.choice((1, 1, 1, 30))
    return bytes(page)


@pytest.mark.parametrize("page", PAGES)
def test_counts_are_those_of_the_markup(page: bytes) -> None:
    assert scan(page, **LIMITS).counts == count(page, **LIMITS)


@pytest.mark.parametrize("seed", range(8))
def test_any_bytes(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(150):
        page = mutated(choose)
        scanned = scan(page, **LIMITS)
        assert scanned.counts == count(page, **LIMITS)
        assert len(scanned.text) <= 3 * len(page)
        for row, text in zip(scanned.blocks, texts(scanned), strict=True):
            assert text.strip()
            assert 0 <= row[NODE] < len(scanned.nodes.tag)
        assert all(scanned.nodes.parent[1:] < range(1, len(scanned.nodes.tag)))


def test_text_that_is_not_shown_is_left_out() -> None:
    page = b"<head><title>t</title></head><script>s</script><style>c</style><p>a</p><noscript>n</noscript><!-- x -->b"
    assert texts(scan(page, **LIMITS)) == ["a", "b"]


@table(
    "markup, found",
    {
        "a paragraph ends where a block begins": ("<p>a<div>b</div>c", ["a", "b", "c"]),
        "inline elements do not": ("<p>a<b>b</b> <i>c</i></p>", ["ab c"]),
        "white space is one blank": (" a \n\t b ", ["a b"]),
        "cells": ("<table><tr><td>a<td>b", ["a", "b"]),
        "nothing": ("", []),
    },
)
def test_blocks(markup: str, found: list[str]) -> None:
    assert texts(scan(markup.encode(), **LIMITS)) == found


def test_what_is_measured() -> None:
    page = scan(b"<div><p>one <a href=x>two three</a></p></div>", **LIMITS)
    (row,) = page.blocks
    assert (row[WORDS], row[LINK_CHARACTERS]) == (3, 8)
    assert [NAMES[tag] for tag in page.nodes.tag[1:]] == ["div", "p", "a"]


def test_references_are_those_of_the_standard() -> None:
    names = [name for name in standard.entities.html5 if name.endswith(";")]
    told = [f"<p>x{name and '&' + name}x" for name in names]
    expected = [standard.unescape(f"x&{name}x").replace("\xa0", " ") for name in names]
    found = texts(scan("".join(told).encode(), max_nodes=100_000, max_depth=60, max_attributes=50))
    assert [" ".join(text.split()) for text in found] == [" ".join(text.split()) for text in expected]


def test_made_pages_have_their_text() -> None:
    markup, text, _ = made_page(3)
    assert set(text.split("\n\n")) <= set(texts(scan(markup, **LIMITS)))
