"""Whole fits: what is learned is the same however units, buckets and attempts fall, and what is left in the folder."""

import hashlib
import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from curation.core.errors import InputError, StageError
from curation.core.manifest import Manifest, read_manifest
from curation.core.protocols import Piece
from curation.engine.fit import count, groups, portions, stage
from curation.engine.fit.example_files import ExampleFile
from curation.engine.fit.portions import Portion, portions_of
from curation.engine.fit.stage import learn_here
from curation.engine.recipe.address import list_inputs
from curation.engine.recipe.recipe import parse
from curation.engine.run import exchange, runner
from curation.engine.run.session import Session
from tests.curation.engine.fit.toys import Labelled, Listed, Plain, Words
from tests.curation.engine.inputs import numbered_shards, write_sources

KEPT = [n for n in range(4000) if n % 4 != 3]


def write_rows(path: Path, rows: Sequence[dict[str, Any]]) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def curated(folder: Path, fits: str, *, name: str = "run") -> dict[str, tuple[Path, Manifest]]:
    """Folder and manifest of each stage of a run of `inputs.RECIPE` with these fits in place of its tokenizer."""
    recipe = write_sources(folder).partition("  - fit:")[0] + fits
    run = runner.curate(parse(recipe, "fits.yaml"), str(folder / name), Session())
    stages = {}
    for entry in run.stages:
        manifest = read_manifest(str(folder / name / entry.folder))
        assert manifest is not None
        stages[entry.name] = (folder / name / entry.folder, manifest)
    return stages


def test_an_asset_of_several_files_is_sealed_with_the_hash_of_each(tmp_path: Path, ran: object, toys: object) -> None:
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


def test_all_kept_text_in_the_order_of_the_shards_however_they_are_grouped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = numbered_shards(tmp_path, shards=4, rows=1000)
    content = learn_here(Plain(), portions_of(shards))[0]["plain.txt"]
    assert [int(one) for one in content.split()] == KEPT
    monkeypatch.setattr(portions, "PORTION_BYTES", 1)
    assert len(portions_of(shards)) == 4
    assert learn_here(Plain(), portions_of(shards))[0]["plain.txt"] == content


@pytest.mark.parametrize("buckets", [1, 4, 32])
def test_counts_are_sums_however_they_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buckets: int) -> None:
    shards = numbered_shards(tmp_path, shards=4, rows=1000)
    monkeypatch.setattr(portions, "PORTION_BYTES", 1)
    monkeypatch.setattr(count, "CHUNK_BYTES", 1000)
    monkeypatch.setattr(stage, "buckets_for", lambda size: buckets)
    files, record = learn_here(Words(), portions_of(shards))
    assert json.loads(files["words.json"]) == Counter(map(str, KEPT))
    assert record["groups"][0]["documents"] == len(KEPT)
    assert record["groups"][0]["sample_bytes"] == sum(len(str(n)) for n in KEPT)


def test_counts_of_a_balanced_sample(tmp_path: Path) -> None:
    shards = numbered_shards(tmp_path, shards=2, rows=2000, sources=("web", "books"))
    fit = Words(sample_by="source", sample_weights={"web": 1, "books": 0})
    assert json.loads(learn_here(fit, portions_of(shards))[0]["words.json"]) == {str(n): 1 for n in KEPT if n < 2000}


def test_gathered_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "RANGES", 1)
    files, _ = learn_here(Words(), portions_of(numbered_shards(tmp_path)))
    assert json.loads(files["words.json"]) == Counter(map(str, KEPT))


def test_examples_of_files_and_of_a_chain(tmp_path: Path, ran: object, toys: object) -> None:
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


def test_examples_of_another_chain_and_of_files_alone(tmp_path: Path, ran: object, toys: object) -> None:
    path = write_rows(tmp_path / "good.jsonl", [{"text": "good text"}])
    fit = f"  - fit: {{labelled: {{positives: '{path}', negatives: {{chain: books}}}}}}\n"
    fit += f"  - fit: {{labelled: {{labelled: {{files: ['{path}'], label: text}}}}}}\n    name: files"
    stages = curated(tmp_path, fit)
    shown = json.loads((stages["labelled"][0] / "labelled.json").read_text())
    assert Counter(label for label, _, _ in shown) == {"positive": 1, "negative": 13}
    assert stages["labelled"][1].address_parts["upstream"] == [stages["books-read"][1].address]
    assert stages["files"][1].address_parts["upstream"] == []
    assert json.loads((stages["files"][0] / "labelled.json").read_text()) == [["good text", "good text", False]]


def test_equal_texts_count_once_and_those_of_two_labels_not_at_all(tmp_path: Path) -> None:
    good = [{"text": f"good {n}"} for n in range(5)] + [{"text": "Good  0"}, {"text": "shared"}]
    bad = [{"text": f"bad {n}"} for n in range(3)] + [{"text": "shared"}, {"text": ""}]
    files, record = examples_learned(tmp_path, good, bad)
    shown = json.loads(files["labelled.json"])
    assert sorted(text for label, text, _ in shown if label == "negative") == ["bad 0", "bad 1", "bad 2"]
    assert len([text for label, text, _ in shown if label == "positive"]) == 5
    figures = {one["group"]: (one["documents"], one["repeated"], one["conflicts"]) for one in record["groups"]}
    assert figures == {"positive": (5, 1, 1), "negative": (3, 0, 1)}


def test_the_order_is_that_of_hashes_whatever_the_files(tmp_path: Path) -> None:
    good, bad = ([{"text": f"{kind} {n}"} for n in range(50)] for kind in ("good", "bad"))
    content = examples_learned(tmp_path, good, bad)[0]
    assert examples_learned(tmp_path, good[::-1], bad)[0] == content
    labels = [label for label, _, _ in json.loads(content["labelled.json"])]
    assert labels != sorted(labels) != labels[::-1]


def test_labels_that_share_most_texts_are_refused(tmp_path: Path) -> None:
    good, bad = ([{"text": f"{n}"} for n in range(first, 10)] for first in (0, 4))
    with pytest.raises(InputError, match="6 of 6 texts that were drawn for 'negative' are also examples of another"):
        examples_learned(tmp_path, good, bad)


def examples_learned(
    folder: Path, good: list[dict[str, Any]], bad: list[dict[str, Any]], **options: Any
) -> tuple[dict[str, bytes], dict[str, Any]]:
    paths = (write_rows(folder / "good.jsonl", good), write_rows(folder / "bad.jsonl", bad))
    fit = Labelled(positives=paths[0], negatives=paths[1], **options)
    several = [
        Portion(label, file=ExampleFile(Piece.of(file), one))
        for label, one in fit.examples().items()
        for file in list_inputs(one.files)
    ]
    return learn_here(fit, several)


def test_a_sample_of_labels_that_are_equally_large(tmp_path: Path) -> None:
    good, bad = ([{"text": f"{kind} {n:04}"} for n in range(size)] for kind, size in (("good", 500), ("evil", 2000)))
    options = {"sample_bytes": 3600, "sample_temperature": float("inf")}
    files, record = examples_learned(tmp_path, good, bad, **options)
    labels = Counter(label for label, _, _ in json.loads(files["labelled.json"]))
    assert labels == {"positive": 200, "negative": 200}
    assert [one["available_bytes"] for one in record["groups"]] == [18_000, 4_500]


def test_candidates_that_are_too_few_are_drawn_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = Listed(sample_by="source", sample_bytes=4_000, sample_weights={"web": 3, "books": 1})
    several = portions_of(numbered_shards(tmp_path, rows=4000, sources=("web", "books")))
    expected = learn_here(fit, several)
    monkeypatch.setattr(groups, "MARGIN", 0.001)
    monkeypatch.setattr(groups, "LEAST_DOCUMENTS", 0.01)
    assert learn_here(fit, several) == expected


def test_a_resumed_fit_that_is_committed_runs_no_step(
    tmp_path: Path, ran: list[tuple[str, list[int]]], toys: object
) -> None:
    folder, _ = curated(tmp_path, "  - fit: {words: {}}")["words"]
    assert [step for step, _ in ran][-3:] == ["CountStep", "MergeStep", "FinishStep"]
    content = (folder / "words.json").read_bytes()
    (folder / "_manifest.json").unlink()
    ran.clear()
    assert (curated(tmp_path, "  - fit: {words: {}}")["words"][0] / "words.json").read_bytes() == content
    assert ran == []


def test_a_chain_of_which_nothing_is_left(tmp_path: Path, ran: object, toys: object) -> None:
    fit = "  - filter: {gopher_quality: {min_words: 100000}}\n    name: none\n  - fit: {plain: {}}"
    recipe = write_sources(tmp_path).replace("    - filter: {gopher_quality: {}}\n", "").partition("  - fit:")[0] + fit
    with pytest.raises(StageError, match="plain has no text to learn from: see `winnow funnel`"):
        runner.curate(parse(recipe, "m"), str(tmp_path / "run"), Session())
