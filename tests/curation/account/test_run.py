"""The Python API: a run answers by its methods what the command line asks."""

from pathlib import Path

import numpy as np
import pytest

from curation.account.run import Run
from curation.core.errors import InputError, UserError
from tests.takedowns import rows


def test_questions(taken_run: Path) -> None:
    run = Run.open(taken_run)
    funnel = run.funnel()
    assert [line.name for line in funnel.stages] == [stage.name for stage in run.stages]
    (story,) = run.why(url="http://news-1.example/7")
    assert (story.dropped_by, story.reason) == ("news-gopher_quality", "gopher_quality.words:low")
    assert run.why(doc_id=story.doc_id) == [story]
    assert (story.tokens, story.taken_down) == ({}, None)
    (row,) = run.show("news-gopher_quality", reason="gopher_quality")
    assert row.url == story.url
    assert [stage.name for stage in run.duplicates()] == ["news-dedup", "near", "spans"]
    (tuning,) = run.tune(changes={"gopher_quality": {"min_words": 3, "min_stop_words": 0}})
    assert tuning.won.documents == 1
    assert run.card().contents.total.documents == funnel.stages[-3].kept
    assert len(run.files()) == sum(stage.verb.documents for stage in run.stages)


def test_token_batches(taken_run: Path) -> None:
    run = Run.open(taken_run)
    data = run.token_data()
    batches = list(run.token_batches(4))
    assert len(batches) == -(-data.rows // 4) > 2
    for step, batch in enumerate(batches[:-1]):
        assert (batch.tokens.shape, batch.segment_ids.shape) == ((4, 49), (4, 49))
        np.testing.assert_array_equal(batch.tokens, data.batch(step, batch_rows=4).tokens)
    (last,) = run.token_batches(4, first_step=len(batches) - 1)
    np.testing.assert_array_equal(last.tokens, batches[-1].tokens)
    assert len(last.tokens) == data.rows - 4 * (len(batches) - 1)
    (every,) = run.token_batches(1 << 20)
    np.testing.assert_array_equal(every.tokens, np.concatenate([batch.tokens for batch in batches]))
    assert not list(run.token_batches(4, first_step=len(batches)))
    with pytest.raises(UserError, match="batch_rows is 0 and first_step 0; give at least 1 and 0"):
        run.token_batches(0)
    padding = run.token_data().padding
    known = {token for row in rows(taken_run, "tokenize") for token in row["tokens"]}
    assert set(np.unique(batches[0].tokens).tolist()) <= known | {padding}


def test_without_a_mix(untokenized: str) -> None:
    with pytest.raises(InputError):
        Run.open(untokenized).token_data()
