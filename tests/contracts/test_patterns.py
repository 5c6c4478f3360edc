"""Every pattern of the product takes time in proportion to the text, however the text was made.

The slowest texts are made from a pattern's syntax (`pattern_growth`). A pattern that is not linear sees only short
texts: SHORT says how long they are at most and what sees to it, and at that length it takes little time. WHOLE lists
patterns of which the code does not show that they are only tried on whole texts, and MADE those that are made as the
code runs.
"""

import re
from collections.abc import Iterator

import pytest

from curation.models.secrets.own_rules import own_rules
from curation.sources.documents.repositories import file_language
from curation.sources.layouts import LAYOUTS
from tests.contracts.pattern_growth import seconds_at, slow_text
from tests.contracts.pattern_list import Listed, patterns

# A file, or one and a name in it -> characters or bytes, and why there are no more.
SHORT = {
    "curation/extract/charset.py _PAGE": (4096, "a page's head, HEAD_BYTES"),
    "curation/extract/headline.py _UNSHOWN": (4000, "a heading's markup, MAX_HEADING_BYTES"),
    "curation/extract/prepare/scripts.py _TAG": (2000, "a superscript's markup, _LONGEST, or what stands before it"),
    "curation/sources/documents/chat/irc_log.py _WORDS": (200, "the start of a line, MAX_DAY_LINE"),
    "curation/sources/documents/captions/subtitle_text.py _END": (8, "the end of a line, LAST"),
    "curation/text/html/superscript_bases.py _NAME_WITH_NUMBER": (40, "the end of a word, _LONGEST_WORD"),
    "curation/text/html/superscript_bases.py _WORD_AT_END": (40, "the end of a word, _LONGEST_WORD"),
    "curation/text/licences/expressions.py": (1000, "a statement of a licence, _MOST_CHARACTERS"),
}
WHOLE = {
    "curation/core/settings.py ": {"match"},  # by PyYAML
    "curation/text/html/superscripts.py _ENCLOSED": {"fullmatch"},  # one of several in a loop
}
MADE = {
    "curation/models/pii/added.py regex.": "over windows of texts or bounded, tested in tests/curation/models/pii",
    "curation/models/pii/patterns.py regex.compile(one.regex, flags)": "Presidio's, over windows of texts",
    "curation/models/secrets/gitleaks.py re2.": "RE2 is linear",
    "curation/models/secrets/rule.py re2.": "RE2 is linear",
    "curation/text/patterns/anchors.py regex.findall(": "one character, over all that there are",
    "curation/text/patterns/value_signs.py regex.findall(": "one character, over all that there are",
    "curation/text/patterns/shape.py from re import ": "the parser of patterns",
    "curation/account/annotate/rubric.py re.compile(self.score)": "the user's own, over an answer of a model",
    "curation/account/sql.py re.search(bare, ": "a name as it is, between two looks of a character",
    "curation/models/ngram/arpa.py re.compile(b'": "a number in a heading, tried at one place",
    'curation/models/pii/phones.py re.compile(f"{abroad}': "the library's, over the digits of a number",
    "curation/models/redaction/phone.py re.fullmatch(": "digits in fixed numbers",
    "curation/models/secrets/own_rules.py re.compile(pattern, re.ASCII)": "tested below",
    "curation/sources/corpus.py re.search(": "tested below",
    "curation/sources/corpus_guess.py re.search(p, path)": "tested below",
    "curation/sources/documents/repositories/file_language.py re.compile(translate(pattern))": "tested below",
    "curation/text/edits/mojibake.py re.compile(f'[{characters}]')": "one character",
}
MOST_SECONDS = 0.1  # of CPU time for a text of the length that SHORT states


def test_the_time_of_each_pattern_grows_with_the_text() -> None:
    slow = []
    for one in patterns()[0]:
        if short(one) is None and (text := slow_text(one.pattern, uses(one))):
            slow.append(f"{one.file}:{one.line}: {one.pattern.pattern!r} over {text}")
    assert not slow, "make these linear, or give them short texts and say so in SHORT:\n" + "\n".join(slow)


def uses(one: Listed) -> frozenset[str]:
    return frozenset(WHOLE.get(f"{one.file} {one.name}", one.uses))


def short(one: Listed) -> int | None:
    stated = SHORT.get(f"{one.file} {one.name}") or SHORT.get(one.file)
    return stated and stated[0]


def test_patterns_of_short_texts_are_fast_at_the_length_that_is_stated() -> None:
    slow = []
    for one in patterns()[0]:
        length = short(one)
        if length and (seconds := seconds_at(one.pattern, uses(one), length)) > MOST_SECONDS:
            slow.append(f"{one.file}:{one.line}: {seconds} s")
    assert not slow


def test_what_is_listed_is_there() -> None:
    listed, made = patterns()
    names = {f"{one.file} {one.name}" for one in listed} | {one.file for one in listed}
    assert {*SHORT, *WHOLE} <= names
    assert [call for call in made if not call.startswith(tuple(MADE))] == []
    assert [begins for begins in MADE if not any(call.startswith(begins) for call in made)] == []


def tables() -> Iterator[tuple[re.Pattern[str], str]]:
    """Patterns of tables, that are compiled where they are used, and how they are used."""
    yield from ((pattern, "match") for pattern, _ in file_language._patterns())
    yield from ((rule.pattern, "search") for rule in own_rules().rules)
    for layout in LAYOUTS.values():
        stated = (layout.language_in, layout.subset_in, layout.synthetic_in)
        yield from ((re.compile(pattern), "search") for pattern in stated if pattern)


def test_patterns_of_tables_are_linear_too() -> None:
    slow = {pattern.pattern: slow_text(pattern, frozenset({use})) for pattern, use in tables()}
    assert {pattern: text for pattern, text in slow.items() if text} == {}


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        pytest.param(r"\s*x", "search", id="white space that each try eats again"),
        pytest.param(r"charset\s*=\s*[\"']?\s*([^\s\"';,]+)", "search", id="white space twice"),
        pytest.param(r"[ \t]*[\[(](?:[\s,;–-]|and|see)*[\])]", "sub", id="blanks before a bracket"),
        pytest.param(r"(?:\.(?:log|txt|gz))+$", "sub", id="endings at any place"),
        pytest.param(r"(?:-orig|\.(?:srt|vtt|7z))+$", "sub", id="endings of two kinds"),
        pytest.param(rb"<!\[CDATA\[(.*?)\]\]>", "sub", id="openings without an end"),
        pytest.param(r"<tag\b[^>]*>", "search", id="tags without an end"),
        pytest.param(r"<a\b[^<>]*?\bb=c\b[^<>]*>", "search", id="attributes of a tag without an end"),
        pytest.param(r"(\d+\.?\d*|\.\d+)e", "match", id="digits in two ways"),
        pytest.param(r"(?:a|a)*$", "match", id="a choice of the same"),
        pytest.param(r"(?:\w+\s?)*:", "match", id="words in any way"),
        pytest.param(r"=(?!.*/)", "finditer", id="a look to the end from each place"),
    ],
)
def test_slow_patterns_are_found(pattern: str | bytes, use: str) -> None:
    assert slow_text(re.compile(pattern), frozenset({use}))


@pytest.mark.parametrize(
    ("pattern", "use"),
    [
        pytest.param(r"(?:(?<!\s)\s+)?x", "search", id="white space from its start"),
        pytest.param(r"charset\s*+=\s*+(?:[\"']\s*+)?([^\s\"';,]+)", "search", id="possessive"),
        pytest.param(r"<tag\b[^<>]*>", "search", id="a tag ends where another begins"),
        pytest.param(r"<tag\b[^>]{0,50}>", "search", id="a bound"),
        pytest.param(r"\s*x", "match", id="at the start alone"),
        pytest.param(r"\w+", "findall", id="words"),
    ],
)
def test_linear_patterns_are_not(pattern: str, use: str) -> None:
    assert slow_text(re.compile(pattern), frozenset({use})) is None
