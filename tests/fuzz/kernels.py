"""Targets: the kernels in `curation/text` on hostile texts. However an array lies in memory, the result is the same."""

import random
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pyarrow as pa

from curation.text import lines, matches, sizes, spans
from curation.text.canonical_tokens import folded_texts, tokens_of
from curation.text.code import comments, counts, encoded, languages, visible_text
from curation.text.counts import count_words
from curation.text.edits import boilerplate, characters, citations, line_edits, mojibake, normal_forms
from curation.text.edits.cut_places import narrowed
from curation.text.edits.cuts import without_spans
from curation.text.edits.invisible import without_invisible
from curation.text.edits.mark_order import Form
from curation.text.garbled import garbled_shares
from curation.text.kernels.buffers import text_buffers
from curation.text.kernels.unicode import LETTER, TERMINAL
from curation.text.merged_spans import merge_spans
from curation.text.ngrams import Repeated, Top, count_ngrams
from curation.text.normalize import normalized
from curation.text.phrases import line_phrases, occurrences, string_set, term_places, terms
from curation.text.repeats import count_repeats
from curation.text.sentences import sentence_spans
from curation.text.shingles import shingle_hashes, shingle_sets
from curation.text.text_hash import text_hashes, text_keys
from curation.text.urls import hosts, list_matches, parse
from curation.text.urls import words as url_words
from tests.fuzz.child import Execution, Target
from tests.fuzz.texts import WAYS, as_array, assert_same, hostile_texts, laid_out, plain

Kernel = Callable[[Any], Any]

PHRASES = ["the", "é", "read more", "中", "…"]
LISTED = ["example.org", "www.example.org", "bücher.example", "a", "user"]


def of_any_text() -> Iterator[tuple[str, Kernel]]:
    """Kernels that take any bytes, by name."""
    yield from (
        (f.__name__, f)
        for f in (
            *(spans.word_spans, spans.line_spans, spans.paragraph_spans, sentence_spans, sizes.count_newlines),
            *(sizes.count_characters, normalized, text_hashes, text_keys, counts.count_code, mojibake.suspect_lines),
            *(visible_text.visible_characters, folded_texts, characters.valid_utf8, lines.all_lines, garbled_shares),
            without_invisible,
        )
    )
    yield "tokens_of", lambda text: (tokens_of(text).hashes, np.diff(tokens_of(text).first))
    yield "encoded_runs", lambda text: np.subtract(*reversed(encoded.encoded_runs(text)))
    for value in (True, False):
        yield f"count_words {value}", partial(count_words, any_case=value)
        yield f"all_lines {value}", lambda text, value=value: lines.all_lines(text, any_break=value).whole()
        yield f"count_phrases {value}", partial(occurrences.count_phrases, phrases=PHRASES, any_case=value)
        yield f"pieces {value}", partial(spans.pieces, least=1, most=2, stripped=value, blank=not value)
        yield f"citations {value}", lambda text, value=value: _without_citations(text, value)
    for size in (1, 3, 13):
        yield f"shingle_sets {size}", partial(shingle_sets, size=size)
        yield f"shingle_hashes {size}", partial(shingle_hashes, size=size)
        yield f"heads {size}", lambda text, size=size: counts.heads(text, lines=size, characters=2 * size)
    for top in get_args(Top):
        yield f"count_ngrams {top}", partial(count_ngrams, top=top, joint=1)
    for repeated in get_args(Repeated):
        yield f"count_ngrams {repeated}", partial(count_ngrams, repeated=repeated)
    for name in ("C", "SCRIPT", "HASH", "MARKUP"):
        yield f"comments {name}", partial(comments.comment_characters, syntax=getattr(comments, name))
    for form in get_args(Form):
        yield f"unnormal_lines {form}", partial(normal_forms.unnormal_lines, form=form)
    yield "substituted", partial(characters.substituted, phrases=PHRASES, by=["", "x", "yy", "z", "..."])


def of_spans() -> Iterator[tuple[str, Kernel]]:
    """Kernels that take words or lines."""
    for find in (spans.word_spans, spans.line_spans):
        name = find.__name__
        yield f"count_repeats {name}", lambda text, find=find: count_repeats(find(text))
        for check in (matches.starts_with, matches.ends_with, matches.contains, line_phrases.phrases_in):
            yield f"{check.__name__} {name}", lambda text, find=find, check=check: check(find(text), PHRASES)
        for check in (matches.starts_with_class, matches.ends_with_class, matches.consists_of_class):
            yield f"{check.__name__} {name}", lambda text, find=find, check=check: check(find(text), LETTER | TERMINAL)
    for name, count in (
        ("count_words", lines.count_words),
        ("count_capitals", lines.count_capitals),
        ("longest_words", partial(lines.longest_words, above=3)),
    ):
        yield f"lines {name}", lambda text, count=count: count(lines.all_lines(text).trimmed())
    yield "count_word", lambda text: occurrences.count_word(spans.word_spans(text), "the")
    yield "are_counters", lambda text: line_phrases.are_counters(spans.line_spans(text), ["likes", "views"])
    yield "boilerplate", _without_boilerplate
    yield "without_spans", _cut
    yield "joined", lambda text: _joined(lines.all_lines(text).trimmed())
    yield "stripped", lambda text: lines.all_lines(text).whole().stripped()
    yield "replaced", lambda text: line_edits.replaced(text, found := spans.line_spans(text), _reversed(found))


def of_lists() -> Iterator[tuple[str, Kernel]]:
    """Kernels that look for listed words, hosts or terms."""
    tree = terms.term_tree([["the cat", "é"], ["read more"]])
    entries = string_set.entries(LISTED)
    yield "count_terms", lambda text: term_places.count_terms(text, tree, np.zeros(len(text), np.int64))
    yield "find_terms", lambda text: term_places.find_terms(text, tree)
    yield "find_spans", lambda text: _listed(spans.word_spans(text), entries)
    yield "parse_urls", parse.parse_urls
    yield (
        "last_labels",
        lambda text: hosts.last_labels((u := parse.parse_urls(text)).data, u.starts, u.host_stops) - u.starts,
    )
    for find in (list_matches.domains_of, list_matches.hosts_of, list_matches.prefixes_of):
        yield find.__name__, lambda text, find=find: find(parse.parse_urls(text), entries)
    yield "words_of", lambda text: url_words.words_of(url_words.split_words(parse.parse_urls(text)), entries)
    yield "subwords_of", lambda text: url_words.subwords_of(url_words.split_words(parse.parse_urls(text)), entries)


def of_utf8() -> Iterator[tuple[str, Kernel]]:
    """Kernels whose texts must be UTF-8."""
    yield "exchanged", partial(characters.exchanged, by={"\u2028": "\n", "é": "e", "\r": "\n", "\0": ""})
    yield "repaired", lambda text: mojibake.repaired(mojibake.suspect_lines(text))
    yield "file_names", lambda text: languages.programming_languages(languages.file_names(text), text)
    for form in get_args(Form):
        yield (
            f"normalized_lines {form}",
            lambda text, form=form: normal_forms.normalized_lines(normal_forms.unnormal_lines(text, form), form),
        )


def _without_citations(text: Any, nested: bool) -> Any:
    left, cut = citations.without_citations(lines.all_lines(text), nested=nested)
    return left.whole(), cut


def _without_boilerplate(text: Any) -> Any:
    every = lines.all_lines(text)
    phrases = boilerplate.Boilerplate(anywhere=("[1]",), at_start=("the", "- "), at_end=("read more", "…"))
    left, edited = boilerplate.without(every, np.ones(len(every.starts), np.bool_), phrases)
    return left.trimmed(), edited


def _cut(text: Any) -> pa.Array:
    """The text without some of its words, from within a word to within the next."""
    words = spans.word_spans(text)
    row = np.repeat(np.arange(len(text)), words.count())
    begins = text_buffers(text)[1][row]
    places = words.starts - begins, words.stops - begins
    start, stop = (place[::3] + 1 for place in places)
    size = np.diff(text_buffers(text)[1])[row[::3]]
    return without_spans(text, narrowed(text, merge_spans(row[::3], start, np.minimum(stop + 5, size), len(text))))


def _joined(found: spans.TextSpans) -> pa.Array:
    kept = (found.stops - found.starts) % 2 == 0
    return lines.joined(found, kept, blank=~kept)


def _reversed(found: spans.TextSpans) -> pa.Array:
    return as_array([piece[::-1] for piece in plain(found)[0]])


def _listed(found: spans.TextSpans, entries: string_set.Entries) -> Any:
    return string_set.find_spans(found.data, found.starts, found.stops, entries)


def calling(kernels: Callable[[], Iterator[tuple[str, Kernel]]], *, valid: bool = False) -> Callable[[Path], Execution]:
    """Calls one of the kernels on the same texts laid out in two ways."""

    def make(_: Path) -> Execution:
        known = list(kernels())

        def execute(rng: random.Random) -> None:
            name, kernel = rng.choice(known)
            texts = hostile_texts(rng, valid=valid)
            expected = plain(kernel(as_array(texts)))
            for way in rng.sample(WAYS, 2):
                try:
                    assert_same(kernel(laid_out(texts, way, rng)), expected)
                except Exception as error:
                    raise AssertionError(f"{name}, texts laid out as {way}: {texts}") from error

        return execute

    return make


TARGETS = {
    "any_text": Target(calling(of_any_text), 120_000, 100),
    "spans": Target(calling(of_spans), 80_000, 60),
    "lists": Target(calling(of_lists), 60_000, 40),
    "utf8": Target(calling(of_utf8, valid=True), 40_000, 40),
}
