"""Every document once, where its journey ended."""

from pathlib import Path

from curation.account.evalsets.journeys import ended, packed, texts
from curation.account.run import Run
from tests.curation.account.evalsets import TEXTS, curate, url


def test_each_document_once(tmp_path: Path) -> None:
    run = Run.open(curate(tmp_path, action="drop"))
    found = [
        (row["url"], row["text"], one.shard.stage.name, one.kept)
        for one in ended(run)
        for _, table in texts(one.shard, one.rows, ("url",))
        for row in table.to_pylist()
    ]
    assert {where: text for where, text, _, _ in found} == {url(at): text for at, text in enumerate(TEXTS)}
    assert len(found) == len(TEXTS)
    dropped = {where: stage for where, _, stage, kept in found if not kept}
    assert dropped == {url(5): "gopher_quality", url(1): "contamination", url(3): "contamination"}


def test_packed_rows(tmp_path: Path) -> None:
    run = Run.open(curate(tmp_path, found=False))
    shard = run.stage("tokenize").shards[0]
    (doc_id, *_) = shard.read(["doc_id"])["doc_id"].to_pylist()
    assert list(packed(run, shard, [doc_id, "0" * 32])) == [doc_id]
    assert packed(run, shard, []) == {}
