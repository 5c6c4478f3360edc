"""Moves add up over shards, and a token has the bytes that its source's manifest says."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from curation.account.tune.changed_verdicts import Move, Moves, bytes_per_token, count_moves
from curation.account.tune.limits import rule_sets
from curation.account.tune.signals import columns_for
from curation.core.by_language import LANGUAGE
from tests.curation.account.corpus import curate


def moved(*rows: tuple[str, str | None, bool, int, float, float]) -> pa.Table:
    names = ["limit", "language", "won", "later", "text_bytes", "tokens"]
    return pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))


def test_equal_moves_are_one() -> None:
    moves = Moves()
    moves.add(moved(("a.x:low", "en", True, -1, 10.0, 2.0), ("a.x:low", "en", True, -1, 5.0, 1.0)))
    moves.add(moved(("a.x:low", "en", True, -1, 1.0, 1.0), ("a.x:low", None, False, 3, 7.0, 0.0)))
    assert moves.moves() == [
        Move("a.x:low", "en", True, -1, 3, 16.0, 4.0),
        Move("a.x:low", None, False, 3, 1, 7.0, 0.0),
    ]


def test_rows_that_are_gone_count_nowhere(corpus: Path) -> None:
    run = curate(corpus)
    stage = run.stage("gopher")
    sets = rule_sets(run, stage)
    columns = columns_for(stage.schema, sets)
    parts = stage.manifest.parts
    gone = {stage.shards[0]: [np.arange(parts[0].rows)]}
    found = count_moves(run, stage, sets, columns, gone)
    assert LANGUAGE not in sets
    assert found.gone == parts[0].rows
    assert found.rows.total() == stage.manifest.total("rows") - parts[0].rows
    assert found.kept_before.total() == found.kept_after.total() == sum(p.kept for p in parts[1:])
    assert found.dropped.total() == found.rows.total() - found.kept_after.total()
    assert found.moves() == []


def test_bytes_per_token(corpus: Path) -> None:
    run = curate(corpus)
    manifest = run.stage("tokenize").manifest
    expected = manifest.total("kept_text_bytes") / manifest.total("tokens")
    assert bytes_per_token(run, run.stage("language")) == {"": pytest.approx(expected), "web": pytest.approx(expected)}
    assert bytes_per_token(run, run.stage("tokenize")) == {}
