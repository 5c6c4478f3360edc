"""Whole fits: what is learned is the same however units, buckets and attempts fall, and what is left in the folder."""

import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from curation.account.lineage.requests import Request
from curation.core.errors import RecipeError
from curation.core.manifest import Manifest, read_manifest
from curation.engine.driver import runner
from curation.engine.executor.executor import Executor
from curation.engine.executor.inline import Inline
from curation.engine.fit.fit_stage import learned
from curation.engine.fit.portions import portions_of
from curation.engine.recipe.recipe import parse
from pipelines.takedown import take_down
from tests.curation.engine.fit.toys import KEPT, Plain, write_rows
from tests.curation.engine.inputs import numbered_shards, text, write_sources
from tests.noting import Noting


def curated(
    folder: Path, fits: str, *, name: str = "run", executor: Executor | None = None
) -> dict[str, tuple[Path, Manifest]]:
    """Folder and manifest of each stage of a run of `inputs.RECIPE` with these fits in place of its tokenizer."""
    recipe = write_sources(folder).partition("  - fit:")[0] + fits
    run = runner.curate(parse(recipe, "fits.yaml"), str(folder / name), executor or Inline())
    stages = {}
    for entry in run.stages:
        manifest = read_manifest(str(folder / name / entry.folder))
        assert manifest is not None
        stages[entry.name] = (folder / name / entry.folder, manifest)
    return stages


def test_an_asset_of_several_files_is_sealed_with_the_hash_of_each(tmp_path: Path, toys: object) -> None:
    folder, manifest = curated(tmp_path, "  - fit: {plain: {}}")["plain"]
    assert manifest.asset is not None
    contents = {name: (folder / name).read_bytes() for name in ("plain.txt", "plain.count")}
    assert contents["plain.count"] == b"24"
    assert manifest.asset["file"] == "plain.txt"
    assert manifest.asset["files"] == {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    assert manifest.asset["sha256"] == manifest.asset["files"]["plain.txt"]
    (group,) = manifest.asset["sample"]["groups"]
    assert (group["group"], group["documents"]) == ("all text", 24)
    assert {path.name for path in folder.iterdir()} == {"plain.txt", "plain.count", "_fitted", "_manifest.json"}


def test_all_kept_text_in_the_order_of_the_shards_however_they_are_grouped(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, shards=4, rows=1000)
    content = learned(Plain(), portions_of(shards), Inline())[0]["plain.txt"]
    assert [int(one) for one in content.split()] == KEPT
    cut = portions_of(shards, least=1)
    assert len(cut) == 4
    assert learned(Plain(), cut, Inline())[0]["plain.txt"] == content


def test_examples_of_files_and_of_a_chain(tmp_path: Path, toys: object) -> None:
    rows = [{"body": f"good text {n}", "score": n, "name": "x"} for n in range(10)] + [{"body": None, "score": 9}]
    path = write_rows(tmp_path / "good.jsonl", rows)
    positive = f"{{files: ['{path}'], text: body, where: score >= 4}}"
    fit = f"  - fit: {{labelled: {{positives: {positive}, negatives: {{}}, held_out: 0.5}}}}"
    folder, manifest = curated(tmp_path, fit)["labelled"]
    shown = json.loads((folder / "labelled.json").read_text())
    positives = sorted(text for label, text, _ in shown if label == "positive")
    assert positives == [f"good text {n}" for n in range(4, 10)]
    assert Counter(label for label, _, _ in shown) == {"positive": 6, "negative": 24}
    assert manifest.asset is not None
    negative, positive = manifest.asset["sample"]["groups"]
    assert (positive["documents"], positive["conflicts"], positive["repeated"]) == (6, 0, 0)
    assert (negative["group"], negative["documents"]) == ("negative", 24)
    held = Counter(label for label, _, held_out in shown if held_out)
    assert (positive["held_out"], negative["held_out"]) == (held["positive"], held["negative"])
    assert 5 < held.total() < 25
    assert manifest.address_parts["examples"]["positive"][1] == 1


def test_examples_of_another_chain_and_of_files_alone(tmp_path: Path, toys: object) -> None:
    path = write_rows(tmp_path / "good.jsonl", [{"text": "good text"}])
    fit = f"  - fit: {{labelled: {{positives: '{path}', negatives: {{chain: books}}}}}}\n"
    fit += f"  - fit: {{labelled: {{labelled: {{files: ['{path}'], label: text}}}}}}\n    name: files"
    stages = curated(tmp_path, fit)
    shown = json.loads((stages["labelled"][0] / "labelled.json").read_text())
    assert Counter(label for label, _, _ in shown) == {"positive": 1, "negative": 13}
    assert stages["labelled"][1].address_parts["upstream"] == [stages["books-read"][1].address]
    assert stages["files"][1].address_parts["upstream"] == []
    assert json.loads((stages["files"][0] / "labelled.json").read_text()) == [["good text", "good text", False]]


def test_a_text_that_was_taken_down_is_not_learnt_from_a_file(
    tmp_path: Path, toys: object, caplog: pytest.LogCaptureFixture
) -> None:
    texts = [text(3), text(3).upper(), "a text that nobody took down"]
    path = write_rows(tmp_path / "good.jsonl", [{"text": one} for one in texts])
    fit = f"  - fit: {{labelled: {{positives: '{path}', negatives: {{}}, held_out: %s}}}}"
    _, manifest = curated(tmp_path, fit % 0.1)["labelled"]
    assert manifest.asset is not None
    assert [group.get("taken_down") for group in manifest.asset["sample"]["groups"]] == [None, None]
    take_down(str(tmp_path / "run"), Request("url", ("http://news-0.example/3",), ""))
    caplog.clear()
    folder, manifest = curated(tmp_path, fit % 0.2)["labelled"]
    shown = json.loads((folder / "labelled.json").read_text())
    assert [text for label, text, _ in shown if label == "positive"] == texts[2:]
    assert text(3) not in [text for _, text, _ in shown]
    assert manifest.asset is not None
    _, positive = manifest.asset["sample"]["groups"]
    assert (positive["taken_down"], positive["documents"]) == (2, 1)
    assert "left out because their text was taken down: 2 of positive" in caplog.text


def test_a_resumed_fit_that_is_committed_runs_no_step(tmp_path: Path, toys: object) -> None:
    noting = Noting()
    folder, _ = curated(tmp_path, "  - fit: {words: {}}", executor=noting)["words"]
    assert [step for step, _ in noting.ran][-3:] == ["CountStep", "MergeStep", "FinishStep"]
    content = (folder / "words.json").read_bytes()
    (folder / "_manifest.json").unlink()
    noting.ran.clear()
    folder, _ = curated(tmp_path, "  - fit: {words: {}}", executor=noting)["words"]
    assert (folder / "words.json").read_bytes() == content
    assert noting.ran == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        pytest.param("positives: {files: [%s/none.jsonl]}", "no input matches .*none.jsonl", id="missing"),
        pytest.param("positives: {files: [%s/a.jsonl], text: body}", 'a.jsonl: .*column "body" not found', id="field"),
        pytest.param("positives: {files: [%s/a.jsonl], where: 'x >'}", "where is no condition: .*", id="condition"),
        pytest.param("positives: {files: [%s/a.jsonl], where: x > 1}", 'a.jsonl: .*column "x" not found', id="unknown"),
        pytest.param("positives: %s/a.txt", "a.txt: its name ends in neither .parquet nor .jsonl", id="ending"),
    ],
)
def test_files_of_examples_are_looked_at_before_any_work(
    tmp_path: Path, toys: object, options: str, message: str
) -> None:
    noting = Noting()
    for name in ("a.jsonl", "a.txt"):
        (tmp_path / name).write_text(json.dumps({"text": "words"}) + "\n")
    recipe = write_sources(tmp_path).partition("  - fit:")[0] + f"  - fit: {{labelled: {{{options % tmp_path}}}}}"
    with pytest.raises(RecipeError, match=message):
        runner.curate(parse(recipe, "fits.yaml"), str(tmp_path / "run"), noting)
    assert noting.ran == []
