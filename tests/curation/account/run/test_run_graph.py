"""Rows are followed down to every stage and back up, also through stages that the run has no more."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from curation.account.run.run_graph import Branches, count, merged
from tests import takedowns as runs

# Of the sources: news-0 has 8 documents, of which the last but two (5) is a copy of document 1, as is 2 in news-1.


def number(branches: Branches, name: str) -> int:
    (found,) = (n for n, stage in enumerate(branches.stages) if stage.current and stage.manifest.name == name)
    return found


def test_down_to_every_stage(taken_run: Path) -> None:
    branches = Branches(str(taken_run))
    at = {name: number(branches, name) for name in ("news-read", "news-dedup", "near", "spans", "tokenize", "pack")}
    rows = branches.spread({(at["news-read"], 0): np.array([1, 5, 6])})
    assert rows[at["news-dedup"], 0].tolist() == [1, 5, 6]
    assert rows[at["near"], 0].tolist() == [1, 5], "document 5 was dropped, so document 6 is the fifth that arrives"
    assert rows[at["spans"], 0].tolist() == [1, 5]
    assert rows[at["tokenize"], 0].tolist() == rows[at["pack"], 0].tolist() == [1, 5]
    books = branches.spread({(number(branches, "books-read"), 0): np.array([3])})
    assert books[at["near"], 2].tolist() == [3], "the shards of books follow those of news"
    assert (at["spans"], 2) not in books, "it was dropped as a near copy"


@pytest.mark.parametrize("url", ["http://news-0.example/6", "http://books-0.example/5", "http://news-1.example/3"])
def test_back_up_to_where_it_was_read(taken_run: Path, url: str) -> None:
    branches = Branches(str(taken_run))
    spans = number(branches, "spans")
    urls = [
        branches.column(spans, shard, "url", np.arange(part.rows)).to_pylist()
        for shard, part in enumerate(branches.stages[spans].manifest.parts)
    ]
    ((shard, row),) = ((s, found.index(url)) for s, found in enumerate(urls) if url in found)
    origin = branches.origin(spans, shard, np.array([row]))
    assert origin is not None
    (place, rows) = origin
    assert branches.stages[place[0]].manifest.verb.begins
    assert branches.column(*place, "url", rows).to_pylist() == [url]
    assert f"http://{branches.stages[place[0]].manifest.chain}-{place[1]}.example/{rows[0]}" == url


def test_stages_of_an_earlier_recipe(taken_run: Path, sources: Path) -> None:
    runs.curate(sources, taken_run, words=21)
    branches = Branches(str(taken_run))
    names = [(stage.manifest.name, stage.current) for stage in branches.stages]
    assert ("near", False) in names
    assert ("near", True) in names
    rows = branches.spread({(number(branches, "news-read"), 0): np.array([1])})
    near = [n for n, stage in enumerate(branches.stages) if stage.manifest.name == "near"]
    assert [rows[n, 0].tolist() for n in near] == [[1], [1]]
    assert branches.adrift() == []


def test_a_stage_that_nothing_leads_to(taken_run: Path) -> None:
    shutil.rmtree(runs.stage_folder(taken_run, "news-gopher_quality"))
    branches = Branches(str(taken_run))
    adrift = {stage.manifest.name for stage in branches.adrift()}
    assert adrift == {"news-dedup", "near", "spans", "tokenize", "pack"}
    assert branches.origin(number(branches, "news-dedup"), 0, np.array([0])) is None


def test_columns_of_some_rows(taken_run: Path) -> None:
    branches = Branches(str(taken_run))
    at = number(branches, "news-read")
    assert branches.column(at, 1, "url", np.array([0, 7])).to_pylist() == [
        "http://news-1.example/0",
        "http://news-1.example/7",
    ]
    assert branches.column(at, 1, "url", np.array([], np.int64)).to_pylist() == []


def test_rows_of_several_finds() -> None:
    one, two = {(0, 0): np.array([1, 3])}, {(0, 0): np.array([3, 2]), (1, 0): np.array([4])}
    found = merged(one, two)
    assert {place: rows.tolist() for place, rows in found.items()} == {(0, 0): [1, 2, 3], (1, 0): [4]}
    assert (count(found, [0]), count(found, [0, 1]), count({}, [0])) == (3, 4, 0)
