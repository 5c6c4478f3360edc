"""Whole pages: every character in every markup, with tables, code, formulas, lists and breaks around it, is in the text
that every extractor returns."""

import html
import importlib.util
import unicodedata
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curation.extract.blocks.render import render
from curation.extract.etrafilatura import Etrafilatura
from curation.extract.learnt import Learnt
from curation.extract.marks import MARKS
from curation.extract.resiliparse import Resiliparse
from curation.extract.trafilatura import Trafilatura
from tests.curation.extract.raw_pages import texts

STORY = "The ferry left the harbour an hour late because fog had covered the bay since the early morning, as it does."
AROUND = (
    "<table><tr><th>Tide</th><td>low<br>water</td></tr></table>",
    "<pre>if fog:\n    wait()</pre>",
    "<p>It is $x^2$ or <math><mi>x</mi></math> of 10<sup>6</sup>.</p>",
    "<ol start=3><li>a coat</li><li>a book</li></ol>",
    "<p>one line<br>and another</p>",
    "<figure><blockquote><p>A quotation of the keeper, who was never wrong.</p></blockquote></figure>",
    "",
)
INLINE = ("a", "b", "em", "i", "span", "code", "u", "small", "q", "mark", "time", "label", "button", "ruby")


def visible(page: str) -> str:
    """All blocks that the scanner of `learnt` finds, whatever its model says of them."""
    reader = Learnt(model="@extractor")
    row = reader.prepare(page.encode(), "text/html; charset=utf-8")
    assert row.page is not None
    return render(row.page, np.ones(len(row.page.blocks), np.bool_)).decode().translate(row.stand_ins)


def of(extractor: Any) -> Callable[[str], str]:
    return lambda page: texts(extractor, page)[0] or ""


READ = {
    "resiliparse": of(Resiliparse()),
    "all text": of(Resiliparse(main_content=False)),
    "trafilatura": of(Trafilatura()),
    "learnt": visible,
}
if importlib.util.find_spec("etrafilatura"):
    READ["etrafilatura"] = of(Etrafilatura())


def page_of(lines: list[str], around: str) -> str:
    body = "".join(f"<p>{line}</p>" for line in lines)
    return (
        "<!doctype html><html><head><meta charset=utf-8><title>Fog</title></head><body><main><article>"
        f"<p>{STORY}</p><p>{STORY} {STORY[:40]}</p>{around}{body}{around}<p>{STORY[:60]}</p></article></main></body>"
    )


def missing(read: Callable[[str], str], words: dict[str, str], around: str) -> list[str]:
    """The words, by what stands for them in markup, that a page with them does not have in its text."""
    lines = [f"The keeper of mark {number} wrote {markup} and went home." for number, markup in enumerate(words)]
    found = set(read(page_of(lines, around)).split("\n"))
    expected = [
        f"The keeper of mark {number} wrote {word} and went home." for number, word in enumerate(words.values())
    ]
    return [line for line in expected if " ".join(line.split()) not in found]


def is_sampled(one: str) -> bool:
    """Assigned, no whitespace or control character, and of those that parsers may drop only such with a meaning."""
    category = unicodedata.category(one)
    return category not in ("Cc", "Cn", "Co", "Cs", "Cf", "Zl", "Zp", "Zs")


EVERY = [one for one in map(chr, range(0xA1, 0x20000)) if is_sampled(one) and one != "\u00b6"]
WITH_MEANING = ["\u200c", "\u200d", "\u0600", "\U000110bd", "\U0001fae8", "\ufdd0", "\ufdd1", *MARKS]


@pytest.mark.parametrize("around", AROUND[:3])
def test_resiliparse_loses_no_character(around: str) -> None:
    words = {f"<b>{one}</b>": one for one in EVERY}
    assert len(words) > 60_000
    assert missing(READ["resiliparse"], words, around) == []


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("key", READ)
def test_no_character_of_a_sample_is_lost(key: str, around: str) -> None:
    sample = [*EVERY[::400], *"的é½→—ñÅ–…年", *WITH_MEANING]
    words = {}
    for number, one in enumerate(sample):
        tag = INLINE[number % len(INLINE)]
        reference = one if number % 3 else f"&#{ord(one)};"
        words[f"<{tag}>{reference}</{tag}>"] = one
    assert missing(READ[key], words, around) == []


CHARACTERS = st.characters(min_codepoint=33, max_codepoint=0x1FFFF).filter(is_sampled) | st.sampled_from(WITH_MEANING)
RUN = st.text(CHARACTERS, min_size=1, max_size=4).filter(lambda run: "\u00b6" not in run and "$" not in run)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(RUN, st.sampled_from(INLINE), st.sampled_from(INLINE)), min_size=1), st.sampled_from(AROUND))
@pytest.mark.parametrize("key", [key for key in READ if key != "etrafilatura"])
def test_no_run_is_lost_however_it_nests(key: str, runs: list[tuple[str, str, str]], around: str) -> None:
    words = {f"<{outer}><{inner}>{html.escape(run)}</{inner}></{outer}>": run for run, outer, inner in runs}
    assert missing(READ[key], words, around) == []
