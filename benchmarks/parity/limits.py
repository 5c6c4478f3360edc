"""The limits of datatrove's filters: which of its arguments and reasons belongs to which of our signals.

Both environments import this module, so it imports only the standard library.
"""

from dataclasses import dataclass

C4 = ("c4_quality", "c4_fineweb")  # the second without the rule on terminal punctuation


@dataclass(frozen=True)
class Limit:
    """One limit; datatrove compares `argument` with the signal, in the order in which the limits are listed."""

    filter: str
    signal: str  # ours
    side: str  # "low" or "high"
    value: float
    argument: str  # theirs; "top_n_grams.2" is the one for 2-grams
    reason: str  # theirs

    @property
    def name(self) -> str:
        return f"{self.filter}.{self.signal}:{self.side}"


def _top(n: int, value: float) -> Limit:
    return Limit("gopher_repetition", f"top_{n}gram_characters", "high", value, f"top_n_grams.{n}", f"top_{n}_gram")


def _repeated(n: int, value: float) -> Limit:
    signal = f"duplicate_{n}gram_characters"
    argument = f"dup_n_grams.{n}"
    return Limit("gopher_repetition", signal, "high", value, argument, f"duplicated_{n}_n_grams")


_QUALITY = (
    ("words", "low", 50, "min_doc_words", "gopher_short_doc"),
    ("words", "high", 100_000, "max_doc_words", "gopher_long_doc"),
    ("mean_word_length", "low", 3, "min_avg_word_length", "gopher_below_avg_threshold"),
    ("mean_word_length", "high", 10, "max_avg_word_length", "gopher_above_avg_threshold"),
    ("hashes_per_word", "high", 0.1, "max_symbol_word_ratio", "gopher_too_many_hashes"),
    ("ellipses_per_word", "high", 0.1, "max_symbol_word_ratio", "gopher_too_many_ellipsis"),
    ("bullet_lines", "high", 0.9, "max_bullet_lines_ratio", "gopher_too_many_bullets"),
    ("ellipsis_lines", "high", 0.3, "max_ellipsis_lines_ratio", "gopher_too_many_end_ellipsis"),
    ("alphabetic_words", "low", 0.8, "max_non_alpha_words_ratio", "gopher_below_alpha_threshold"),
    ("stop_words", "low", 2, "min_stop_words", "gopher_enough_stop_words"),
)
_REPETITION = (
    ("duplicate_paragraphs", "high", 0.3, "dup_para_frac", "dup_para_frac"),
    ("duplicate_paragraph_characters", "high", 0.2, "dup_para_char_frac", "dup_para_char_frac"),
    ("duplicate_lines", "high", 0.3, "dup_line_frac", "dup_line_frac"),
    ("duplicate_line_characters", "high", 0.2, "dup_line_char_frac", "dup_line_char_frac"),
)
_FINEWEB = (
    ("punctuated_lines", "low", 0.12, "line_punct_thr", "line_punct_ratio"),
    ("short_lines", "high", 0.67, "short_line_thr", "short_line_ratio"),
    ("duplicate_line_characters", "high", 0.01, "char_duplicates_ratio", "char_dup_ratio"),
    ("newlines_per_word", "high", 0.3, "new_line_ratio", "list_ratio"),
)

LIMITS = (
    *(Limit("gopher_quality", *fields) for fields in _QUALITY),
    *(Limit("gopher_repetition", *fields) for fields in _REPETITION),
    *(_top(n, value) for n, value in ((2, 0.2), (3, 0.18), (4, 0.16))),
    *(_repeated(n, value) for n, value in ((5, 0.15), (6, 0.14), (7, 0.13), (8, 0.12), (9, 0.11), (10, 0.10))),
    *(Limit(name, "sentences", "low", 5, "min_num_sentences", "too_few_sentences") for name in C4),
    *(Limit("fineweb_quality", *fields) for fields in _FINEWEB),
)


def limits_of(filter_name: str) -> tuple[Limit, ...]:
    return tuple(limit for limit in LIMITS if limit.filter == filter_name)
