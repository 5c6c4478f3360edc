"""Moves add up over shards, and a token has the bytes that its source's manifest says."""

from pathlib import Path

import pyarrow as pa
import pytest

from curation.account.funnel import open_stages
from curation.account.tune.changed_verdicts import Move, Moves, bytes_per_token, count_moves
from curation.account.tune.limits import rule_sets
from curation.account.tune.signals import columns_for, stage_schema
from curation.core.by_language import LANGUAGE
from tests.curation.account.corpus import curate, stage_index


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
    folder, stages = curate(corpus)
    index = stage_index(stages, "gopher")
    sets = rule_sets(*open_stages(folder), index)
    columns = columns_for(stage_schema(stages, index), [sets])
    first = stages[index][2].parts[0].rows
    gone = {(index, 0): [pa.array(range(first)).to_numpy()]}
    found = count_moves(stages, index, sets, columns, gone)
    assert LANGUAGE not in sets
    assert found.gone == first
    assert found.rows.total() == stages[index][2].total("rows") - first
    assert found.kept_before.total() == found.kept_after.total() == sum(p.kept for p in stages[index][2].parts[1:])
    assert found.dropped.total() == found.rows.total() - found.kept_after.total()
    assert found.moves() == []


def test_bytes_per_token(corpus: Path) -> None:
    _, stages = curate(corpus)
    manifest = stages[stage_index(stages, "tokenize")][2]
    expected = manifest.total("kept_text_bytes") / manifest.total("tokens")
    assert bytes_per_token(stages, 1) == {"": pytest.approx(expected), "web": pytest.approx(expected)}
    assert bytes_per_token(stages, stage_index(stages, "tokenize")) == {}
