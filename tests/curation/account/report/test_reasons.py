"""Reasons in plain words."""

import pytest

from curation.account.report.reasons import explanation


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("perplexity.perplexity:low", "a language model predicts the text too easily"),
        ("perplexity.worst_bits_per_character:high", "the text is unlike what the language model learnt from"),
        ("gopher_repetition.duplicate_5gram_characters:high", "much of the text is repeated runs of 5 words"),
        ("gopher_repetition.duplicate_line_characters:high", "much of the text is repeated lines"),
        ("gopher_repetition.duplicate_paragraphs:high", "many paragraphs are repeated"),
        ("dedup.minhash:duplicate", "a near-duplicate of a document that is kept"),
        ("extract:empty", "the page has no main text"),
        ("error.pii.timeout", "the document took too much processor time or memory"),
        ("error.pii.ValueError", "the component failed on the document"),
        ("perplexity.perplexity:unmeasured", "the signal has no value for the text"),
    ],
)
def test_reasons_that_need_words(reason: str, words: str) -> None:
    assert explanation(reason).startswith(words)


@pytest.mark.parametrize("reason", ["gopher_quality.words:low", "c4_quality.sentences:low", "own.filter:high"])
def test_reasons_that_say_enough(reason: str) -> None:
    assert explanation(reason) == ""
