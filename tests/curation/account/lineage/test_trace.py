"""A step's documents are those whose tokens the step read, piece by piece."""

import json
from pathlib import Path

import numpy as np
import pytest

from curation.account.lineage.trace import trace
from curation.account.lineage.trainings import open_training
from curation.core.errors import InputError
from curation.tokens.shards import TokenData
from pipelines.render.lineage import trace as render_trace
from tests import takedowns as runs
from tests.pipelines.render.printed import printed


def tokens_by_id(run: Path) -> dict[str, list[int]]:
    return {row["doc_id"]: row["tokens"] for row in runs.rows(run, "tokenize")}


@pytest.mark.parametrize("length", [48, 16, 1])
def test_every_token_of_every_step_is_named(taken_run: Path, length: int) -> None:
    data = TokenData.open(str(taken_run))
    steps = data.rows // 8
    training = runs.write_training(taken_run.parent / "t", taken_run, steps=steps, batch_rows=8, sequence_length=length)
    known = tokens_by_id(taken_run)
    seen: set[str] = set()
    for step in range(steps):
        found = trace(str(training), step)
        tokens = data.batch(step, batch_rows=8).tokens[:, : length + 1]
        expected = np.full(tokens.shape, data.padding)
        for one in found.segments:
            own = known[one["doc_id"]][one["doc_offset"] : one["doc_offset"] + one["length"]]
            expected[one["batch_row"], one["position"] : one["position"] + one["length"]] = own
            assert (one["file"], one["row"]) == data.locate(step, batch_rows=8)[one["batch_row"]]
        assert (tokens == expected).all()
        assert found.tokens + found.padding == tokens.size
        assert sum(one["tokens"] for one in found.sources) == found.tokens
        assert found.documents == len({one["doc_id"] for one in found.segments})
        assert (found.rows, found.first_position, found.sequence_length) == (8, 8 * step, length)
        seen |= {one["doc_id"] for one in found.segments}
    if length == 48:
        train = [row["doc_id"] for row in runs.rows(taken_run, "tokenize") if row["split"] == "train"]
        assert seen <= set(train)
        assert len(seen) >= len(set(train)) - 2, "those in the rows that make no whole batch may be missing"


def test_urls_and_sources(taken_run: Path) -> None:
    training = runs.write_training(taken_run.parent / "t", taken_run, steps=2, batch_rows=16)
    found = trace(str(training), 1)
    heads = {row["doc_id"]: (row["url"], row["source"]) for row in runs.rows(taken_run, "tokenize")}
    assert all((one["url"], one["source"]) == heads[one["doc_id"]] for one in found.segments)
    assert [one["tokens"] for one in found.sources] == sorted((one["tokens"] for one in found.sources), reverse=True)
    assert {one["source"] for one in found.sources} <= {"news", "books"}


def test_the_first_steps_of_a_branch_are_those_of_its_parent(taken_run: Path) -> None:
    """Steps 0 and 1 read 4 rows of 16 tokens each in another run, the others 2 rows of 48."""
    training = runs.write_training(taken_run.parent / "t", taken_run, steps=5, batch_rows=2, done=0)
    record = json.loads((training / "config.json").read_text())
    record["config"]["batch_stages"] = [{"steps": 2, "rows": 4}]
    segments = [{"run": "/runs/parent", "end": 2, "sequence_length": 16}]
    (training / "config.json").write_text(json.dumps({**record, "parent": {"segments": segments}}))
    found = [trace(str(training), step) for step in range(5)]
    assert [one.made_by for one in found] == ["/runs/parent"] * 2 + [str(training)] * 3
    assert [one.first_position for one in found] == [0, 4, 8, 10, 12]
    assert [one.sequence_length for one in found] == [16, 16, 48, 48, 48]
    assert open_training(str(training)).done == 2
    for step in (1, 2):
        lines = printed(render_trace, found[step])
        assert ("made by /runs/parent, of which this run is a branch" in lines) is (step == 1)
    for one in found[1].segments:
        pack, _, part = one["file"].rpartition("/")
        row = one["row"]
        steps = open_training(str(training)).steps_of
        assert steps(str(taken_run / pack), part, [(row, 16)]) == [1]
        assert steps(str(taken_run / pack), part, [(row, 17)]) == [], "cut off in the parent"


def test_what_has_no_answer(taken_run: Path) -> None:
    home = taken_run.parent
    training = runs.write_training(home / "t", taken_run, steps=2)
    for step in (-1, 2):
        with pytest.raises(InputError, match=f"t has no step {step}: its steps are 0 to 1"):
            trace(str(training), step)
    with pytest.raises(InputError, match="is not a training run"):
        trace(str(taken_run), 0)
    gone = runs.write_training(home / "gone", home / "moved", steps=2, read=taken_run)
    with pytest.raises(InputError, match=r"the data of .*gone cannot be read"):
        trace(str(gone), 0)
    assert trace(str(gone), 0, data=str(taken_run)).rows == 2
    for path in taken_run.glob("*-pack-*/tokens-*.parquet"):
        path.unlink()
    with pytest.raises(InputError, match="no lineage at"):
        trace(str(training), 0)
