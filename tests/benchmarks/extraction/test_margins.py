"""Margins are chosen by the pages that they are shown: by hand."""

import numpy as np
import pytest

from benchmarks.extraction.margins import CANDIDATES, Limit, Pages, chosen, crossed, figures

BY_OPTION = {limit.option: limit for limit in CANDIDATES}
WORDS = BY_OPTION["min_words"]
SCORE = BY_OPTION["min_score"]
EASY = {limit: 1e6 if limit.low else 0.0 for limit in CANDIDATES}


def pages(words: list[float], kept: list[bool], **columns: list[bool]) -> Pages:
    """Pages that differ in the words of their fast texts only."""
    values = {limit: np.full(len(words), value) for limit, value in EASY.items()} | {WORDS: np.array(words)}
    flags = {"judged": [True] * len(words), "failed": [False] * len(words)} | columns
    judged, failed, truth = (np.array(one) for one in (flags["judged"], flags["failed"], kept))
    return Pages(values, judged, failed, truth, np.array(columns.get("then", kept)), np.arange(len(words)) % 2)


@pytest.mark.parametrize(
    ("option", "extreme", "expected"),
    [
        ("min_words", 45, 22),
        ("min_words", 80, 25),  # no narrower than FineWeb's own limit, loosened
        ("max_words", 30, 200_001),
        ("max_curly_brackets", 2, 5),
        ("max_bullet_lines", 0.5, 0.95),
        ("min_score", 0.51, 0.25),
        ("max_hashes_per_word", 0.15, 0.3),
    ],
)
def test_a_limit_is_loosened_in_its_own_way(option: str, extreme: float, expected: float) -> None:
    assert BY_OPTION[option].loosened(extreme, 2.0) == pytest.approx(expected)


def test_only_a_limit_that_saves_pages_is_chosen() -> None:
    given = pages([10, 20, 40, 300], [False, False, True, True])
    limits = chosen(given)
    assert limits == {WORDS: 20}
    assert figures(given, limits) == {"pages": 4, "reached": 3, "kept": 2, "lost": 0, "won": 0, "different": 0}
    assert chosen(pages([300, 40, 30, 25], [True] * 4)) == {}


def test_a_short_fast_text_goes_on_and_a_failed_page_does_not() -> None:
    given = pages([0, 0, 0], [False, False, True], judged=[True, False, False], failed=[False, False, True])
    assert given.passing({WORDS: 20}).tolist() == [False, True, False]
    assert figures(given, {WORDS: 20})["lost"] == 1


def test_what_the_second_parser_decides_otherwise_counts_both_ways() -> None:
    given = pages([90, 90, 90], [True, False, True], then=[False, True, True])
    assert figures(given, {})["different"] == 1.0


def test_the_check_chooses_on_one_archive_and_counts_on_the_other() -> None:
    given = pages([300, 300, 10, 60, 4, 24], [True, True, False, True, False, False])
    assert chosen(given[given.archive == 0]) == {WORDS: 25}
    assert chosen(given[given.archive == 1]) == {WORDS: 25}
    found = crossed(given)
    assert (found["pages"], found["kept"], found["lost"]) == (6, 3, 0)
    assert isinstance(WORDS, Limit)
    assert SCORE.low
