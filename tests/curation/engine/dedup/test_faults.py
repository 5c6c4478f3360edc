"""Documents that a method fails on, runs that break off, and what is mended: nothing is lost, nothing stays stale."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pyarrow as pa
import pytest

from curation.core import catalog
from curation.core.dedup_methods import Keys
from curation.core.errors import StageError
from curation.dedup.exact import Exact
from curation.dedup.line import Line
from curation.engine.dedup import attach
from tests.curation.engine.dedup.runs import COPY, curate, recipe, rows, stage_folder, write_shards

FOOT = "This line stands at the foot of every page of theirs."
FILLER = [f"a document of its own, number {number} of them all" for number in range(200)]
BROKEN = {"words": ("boom",)}


def fails(batch: pa.RecordBatch) -> None:
    if any(word in (text or "") for word in BROKEN["words"] for text in batch.column("text").to_pylist()):
        raise ArithmeticError("no keys for boom")


@dataclass(frozen=True, kw_only=True)
class Touchy(Exact):
    """`exact`, which fails on some texts."""

    version: ClassVar[int] = 1

    def keys(self, batch: pa.RecordBatch) -> Keys:
        fails(batch)
        return super().keys(batch)


@dataclass(frozen=True, kw_only=True)
class TouchyLine(Line):
    """`line`, which fails on some texts."""

    version: ClassVar[int] = 1

    def keys(self, batch: pa.RecordBatch) -> Keys:
        fails(batch)
        return super().keys(batch)


@pytest.fixture
def touchy(monkeypatch: pytest.MonkeyPatch) -> None:
    find = catalog.find
    made = {"exact": Touchy, "line": TouchyLine}
    monkeypatch.setattr(catalog, "find", lambda verb, key: made.get(key) or find(verb, key))


@pytest.mark.usefixtures("touchy")
def test_what_failed_stands_for_nobody(tmp_path: Path) -> None:
    """The first document has the others' URL, but one method fails on it: it is dropped, and they must not be."""
    same = [{"text": text, "url": "http://same.example/"} for text in ("boom", "one", "two")]
    write_shards(tmp_path / "given", [same[:2], [same[2], *FILLER]])
    curate(recipe(tmp_path / "given", "canonical_url: {}, exact: {}"), tmp_path / "run")
    found = rows(tmp_path / "run")
    assert [row["drop_reason"] for row in found[0]] == ["error.exact.ArithmeticError", None]
    assert found[1][0]["drop_reason"] == COPY % "canonical_url"
    assert found[1][0]["canonical_url"]["duplicate_of"] == 1


@pytest.mark.usefixtures("touchy")
def test_a_failing_document_of_spans_costs_only_itself(tmp_path: Path) -> None:
    write_shards(tmp_path / "given", [[f"boom\n{FOOT}", f"one\n{FOOT}"], [f"two\n{FOOT}", *FILLER]])
    curate(recipe(tmp_path / "given", "line: {}"), tmp_path / "run")
    found = rows(tmp_path / "run")
    assert [row["drop_reason"] for row in found[0]] == ["error.line.ArithmeticError", None]
    assert [row["line"]["repeated"] for row in (*found[0], found[1][0])] == [0, 0, 1]


@pytest.mark.usefixtures("touchy")
def test_what_is_mended_is_done_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The copies lie in another shard than the document that failed at first."""
    write_shards(tmp_path / "given", [["boom"], ["other", "boom "], ["BOOM"]])
    monkeypatch.setitem(BROKEN, "words", ("boom", "BOOM"))
    text = recipe(tmp_path / "given", "exact: {}", options="max_errors: 0.0")
    with pytest.raises(StageError, match="dedup failed on"):
        curate(text, tmp_path / "run")
    monkeypatch.setitem(BROKEN, "words", ())
    curate(text, tmp_path / "run")
    copy = COPY % "exact"
    assert [[row["drop_reason"] for row in shard] for shard in rows(tmp_path / "run")] == [[None], [None, copy], [copy]]


@pytest.mark.parametrize(("first", "second"), [(0, 1000), (1000, 0)])
def test_a_broken_run_may_go_on_in_the_other_way(
    tmp_path: Path, first: int, second: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Clusters found by rounds before the crash, by one task after it, or the other way round."""
    write_shards(tmp_path / "given", [[f"text {number % 7}" for number in range(start, start + 9)] for start in (0, 9)])
    options = "local_links: {}"
    curate(recipe(tmp_path / "given", "exact: {}", options=options.format(5)), tmp_path / "whole")
    write = attach.AttachStep.run

    def breaks(*_: object) -> None:
        raise StageError("killed")

    monkeypatch.setattr(attach.AttachStep, "run", breaks)
    with pytest.raises(StageError, match="killed"):
        curate(recipe(tmp_path / "given", "exact: {}", options=options.format(first)), tmp_path / "run")
    monkeypatch.setattr(attach.AttachStep, "run", write)
    curate(recipe(tmp_path / "given", "exact: {}", options=options.format(second)), tmp_path / "run")
    assert rows(tmp_path / "run") == rows(tmp_path / "whole")
    left = [path.name for path in stage_folder(tmp_path / "run").iterdir() if path.is_dir()]
    assert sorted(left) == ["_commits", "_keys"]


@pytest.mark.parametrize("shards", [1, 2])
def test_exact_verification_compares_within_a_shard_too(tmp_path: Path, shards: int) -> None:
    """The signatures of so few hashes are equal, the texts are not."""
    words = [f"word{number}" for number in range(400)]
    texts = [" ".join(words), " ".join([*words[:-1], "another"])]
    write_shards(tmp_path / "given", [texts] if shards == 1 else [[one] for one in texts])
    minhash = "minhash: {hashes: 2, bands: 1, rows: 1, threshold: 0.999, verify: exact}"
    curate(recipe(tmp_path / "given", minhash), tmp_path / "run")
    assert [row["drop_reason"] for shard in rows(tmp_path / "run") for row in shard] == [None, None]


@pytest.mark.parametrize("shards", [1, 3])
def test_equal_simhashes_are_never_split(tmp_path: Path, shards: int) -> None:
    """Three equal texts and one with other spaces: whatever the shards, one is left."""
    texts = ["a b c d e f g h i j k l m", "a  b c d e f g h i j k l m", "a b c d e f g h i j k l m "]
    write_shards(tmp_path / "given", [texts[number::shards] for number in range(shards)])
    options = "clusters: {max_documents: 2, split: true}"
    curate(recipe(tmp_path / "given", "simhash: {}", options=options), tmp_path / "run")
    assert [row["drop_reason"] for shard in rows(tmp_path / "run") for row in shard].count(None) == 1
