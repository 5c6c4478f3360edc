"""A chain's figures are those of the run: its manifests, its texts and its tokens."""

from pathlib import Path

import pyarrow.compute as pc

from curation.account.audit.clean import words
from curation.account.audit.losses.report import Amount
from curation.account.audit.losses.stored import losses
from tests.curation.account.corpus import curate, curate_sources, rows


def test_the_stages_lose_what_the_run_dropped(corpus: Path) -> None:
    run = curate(corpus, score=0.93)
    loss = losses(run, run.stages[0], words)
    assert [stage.stage for stage in loss.stages] == [stage.name for stage in run.stages]
    for found, stage in zip(loss.stages, run.stages, strict=True):
        assert found.given.documents == stage.manifest.total("rows")
        assert found.lost.documents == stage.manifest.total("rows") - stage.manifest.total("kept")
        first = {limit.limit: limit.first.documents for limit in found.limits if limit.first.documents}
        assert first == {reason: count for reason, count in stage.manifest.merged("dropped").items() if count}
        alone = {limit.limit: limit.alone.documents for limit in found.limits}
        fired = {limit: count for limit, count in stage.manifest.merged("fired").items() if count}
        assert {limit: alone[limit] for limit in fired} == fired
    texts = rows(run, run.stages[0].name)["text"].to_pylist()
    assert loss.given == Amount(300, sum(len(text.split()) for text in texts))
    kept = rows(run, "tokenize").filter(pc.field("drop_reason").is_null())["text"].to_pylist()
    assert loss.kept == Amount(len(kept), sum(len(text.split()) for text in kept))


def test_one_of_two_sources_through_the_joined_stages(corpus: Path) -> None:
    run = curate_sources(corpus)
    start = next(stage for stage in run.stages if stage.entry.chain == "two")
    loss = losses(run, start, words)
    assert loss.chain == "two"
    assert [stage.verb for stage in loss.stages] == ["read", "filter", "filter", "rewrite", "dedup"]
    ends = rows(run, "dedup").to_pylist()
    assert loss.kept.documents == sum(row["source"] == "two" and row["drop_reason"] is None for row in ends)
    assert 0 < loss.kept.documents < loss.given.documents == 100
