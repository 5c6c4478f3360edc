"""Which filter of datatrove's stands beside which of ours, and which of its arguments beside which of our signals.

Both environments import this module, so it imports only the standard library.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Limit:
    """One limit; datatrove compares `argument` with the signal, in the order in which the limits are listed."""

    signal: str  # ours
    side: str  # "low" or "high"
    value: float
    argument: str  # theirs; "top_n_grams.2" is the one for 2-grams


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A filter class of datatrove's and a filter of ours by its key, with the options of each."""

    theirs: str
    ours: str
    their_options: Mapping[str, Any] = field(default_factory=dict)
    our_options: Mapping[str, Any] = field(default_factory=dict)
    lines: Mapping[str, Any] | None = None  # options of our `c4_lines`, which runs before; None: it does not
    limits: tuple[Limit, ...] = ()
    max_different: float | None = 0.01  # verdicts, of the documents that either side drops; None: not held to it
    least_same: float = 0.0  # verdicts, of all documents


_QUALITY = (
    Limit("words", "low", 50, "min_doc_words"),
    Limit("words", "high", 100_000, "max_doc_words"),
    Limit("mean_word_length", "low", 3, "min_avg_word_length"),
    Limit("mean_word_length", "high", 10, "max_avg_word_length"),
    Limit("hashes_per_word", "high", 0.1, "max_symbol_word_ratio"),
    Limit("ellipses_per_word", "high", 0.1, "max_symbol_word_ratio"),
    Limit("bullet_lines", "high", 0.9, "max_bullet_lines_ratio"),
    Limit("ellipsis_lines", "high", 0.3, "max_ellipsis_lines_ratio"),
    Limit("alphabetic_words", "low", 0.8, "max_non_alpha_words_ratio"),
    Limit("stop_words", "low", 2, "min_stop_words"),
)
_TOP = ((2, 0.2), (3, 0.18), (4, 0.16))
_REPEATED = ((5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.10))
_REPETITION = (
    Limit("duplicate_paragraphs", "high", 0.3, "dup_para_frac"),
    Limit("duplicate_paragraph_characters", "high", 0.2, "dup_para_char_frac"),
    Limit("duplicate_lines", "high", 0.3, "dup_line_frac"),
    Limit("duplicate_line_characters", "high", 0.2, "dup_line_char_frac"),
    *(Limit(f"top_{n}gram_characters", "high", value, f"top_n_grams.{n}") for n, value in _TOP),
    *(Limit(f"duplicate_{n}gram_characters", "high", value, f"dup_n_grams.{n}") for n, value in _REPEATED),
)
_FINEWEB = (
    Limit("punctuated_lines", "low", 0.12, "line_punct_thr"),
    Limit("short_lines", "high", 0.67, "short_line_thr"),
    Limit("duplicate_line_characters", "high", 0.01, "char_duplicates_ratio"),
    Limit("newlines_per_word", "high", 0.3, "new_line_ratio"),
)
_C4: dict[str, Any] = {
    "theirs": "C4QualityFilter",
    "ours": "c4_quality",
    "our_options": {"from_lines": True},
    "limits": (Limit("sentences", "low", 5, "min_num_sentences"),),
}
# `language` reads only parts of a text by design.
_LANGUAGE: dict[str, Any] = {
    "theirs": "LanguageFilter",
    "ours": "language",
    "max_different": None,
    "least_same": 0.995,
}
_URL = {"theirs": "URLFilter", "ours": "url_blocklist"}

ON_TEXTS = {
    "gopher_quality": Pair(theirs="GopherQualityFilter", ours="gopher_quality", limits=_QUALITY),
    "gopher_repetition": Pair(theirs="GopherRepetitionFilter", ours="gopher_repetition", limits=_REPETITION),
    "c4_quality": Pair(**_C4, their_options={"filter_no_terminal_punct": True}, lines={}),
    "c4_fineweb": Pair(**_C4, their_options={"filter_no_terminal_punct": False}, lines={"terminal_punctuation": False}),
    "fineweb_quality": Pair(theirs="FineWebQualityFilter", ours="fineweb_quality", limits=_FINEWEB),
    "language": Pair(**_LANGUAGE),
    "language_english": Pair(**_LANGUAGE, their_options={"languages": ["en"]}, our_options={"languages": ("en",)}),
}
ON_URLS = {
    "url_blocklist": Pair(**_URL),
    "url_spellings": Pair(**_URL, max_different=None),  # spellings that datatrove does not recognize by design
}
PAIRS = ON_TEXTS | ON_URLS
