"""Sums of moves: what is won, what is lost, and which of it was lost later anyway."""

import dataclasses
from pathlib import Path

from curation.account.tune.changed_verdicts import Move, Moves
from curation.account.tune.tune_report import LostDocuments, WonDocuments, language_lines, sides
from tests.curation.account.corpus import curate

MOVES = [
    Move("a.x:low", "en", True, -1, 3, 30.2, 7.4),
    Move("a.x:low", "de", False, -1, 2, 20.4, 9.0),
    Move("a.y:high", "en", False, 3, 4, 40.0, 0.0),
    Move("a.y:high", None, False, 3, 1, 10.0, 0.0),
]


def test_won_and_lost(corpus: Path) -> None:
    run = curate(corpus)
    stage = run.stage("gopher")
    assert sides(run, stage, MOVES) == {
        "won": WonDocuments(documents=3, text_bytes=30, tokens=7),
        "lost": LostDocuments(documents=7, text_bytes=70, kept_to_end=2, tokens=9, dropped_later={"dedup": 5}),
    }
    begun = dataclasses.replace(run, stages=run.stages[:-1])
    assert run.stages[-1].name == "tokenize"
    assert [side.tokens for side in sides(begun, stage, MOVES).values()] == [None, None]


def test_languages_by_size_and_the_unknown_last(corpus: Path) -> None:
    run = curate(corpus)
    moves = Moves()
    moves.rows.update({None: 9, "de": 2, "en": 5})
    lines = language_lines(run, run.stage("gopher"), moves)
    assert [(line.language, line.rows) for line in lines] == [("en", 5), ("de", 2), (None, 9)]
