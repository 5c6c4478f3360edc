"""Rows followed by their order are the rows that have the same document, also where sources join."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.account.funnel import open_stages
from curation.account.run.follow import follow, following, kept_rows, later_stages, token_counts
from curation.account.tune.limits import Stages
from curation.engine.recipe.recipe import parse
from curation.engine.run import runner
from curation.engine.run.session import Session
from tests.curation.engine.inputs import SHARED_DOCUMENTS, write_sources


@pytest.fixture
def stages(tmp_path: Path, ran: object) -> Stages:
    """News in two shards with a filter, books in one; joined by dedup."""
    runner.curate(parse(write_sources(tmp_path), "m.yaml"), str(tmp_path / "run"), Session(), lambda _: None)
    return open_stages(str(tmp_path / "run"))[1]


def shard(stages: Stages, index: int, number: int) -> pa.Table:
    _, path, manifest = stages[index]
    return pq.read_table(f"{path}/{manifest.parts[number].file}")


def named(stages: Stages, name: str) -> int:
    return [entry.name for entry, _, _ in stages].index(name)


def test_the_stages_after_another(stages: Stages) -> None:
    names = [entry.name for entry, _, _ in stages]
    assert [names[i] for i in later_stages(stages, 0)] == ["news-gopher_quality", "dedup", "tokenize"]
    assert [names[i] for i in later_stages(stages, named(stages, "books-read"))] == ["dedup", "tokenize"]
    assert later_stages(stages, named(stages, "tokenize")) == []
    assert following(stages, named(stages, "books-read"), 0) == (named(stages, "dedup"), 2)


@pytest.mark.parametrize(("source", "number"), [("news-read", 1), ("books-read", 0)])
def test_followed_rows_keep_their_document(stages: Stages, source: str, number: int) -> None:
    first = named(stages, source)
    kept = kept_rows(stages, first, number)
    rows = np.flatnonzero(kept)[1:]
    urls = shard(stages, first, number)["url"].to_pylist()
    steps = list(follow(stages, first, number, rows, kept))
    assert [step.stage for step in steps] == later_stages(stages, first)
    for step in steps:
        table = shard(stages, step.stage, step.shard)
        there = table["url"].to_pylist()
        assert [there[row] for row in step.rows] == [urls[rows[which]] for which in step.which]
        assert step.kept.tolist() == [table["drop_reason"][int(row)].as_py() is None for row in step.rows]
    dropped = sum(int((~step.kept).sum()) for step in steps)
    assert dropped == (1 if source == "news-read" else SHARED_DOCUMENTS - 1)


def test_token_counts(stages: Stages) -> None:
    index = named(stages, "tokenize")
    ids = shard(stages, index, 0)["tokens"].to_pylist()
    assert token_counts(stages, index, 0, np.array([3, 0])).tolist() == [len(ids[3]), len(ids[0])]
    assert token_counts(stages, index, 0, np.empty(0, np.int64)).tolist() == []
