"""The commands about models that judge quality: what they write, print and refuse."""

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curation.core.errors import InputError, UserError, WinnowError
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe import recipe
from curation.models.dsir.features import count
from curation.models.dsir.importance import NgramCounts
from curation.models.ngram.unigrams import parse
from pipelines.commands import model
from tests.curation.extract.articles import ARTICLE, STORY
from tests.curation.extract.student.made_pages import write_crawl
from tests.curation.extract.student.small_model import small_model
from tests.curation.models.classifier.examples import BAD, GOOD, texts

SETTINGS = ["kind=logistic", "buckets=4096"]
EXTRACTOR_RECIPE = """
version: 1
sources:
  web:
    - read: {{warc: {{paths: ['{archives}']}}}}
    - fit: {{extractor: {{{options}}}}}
    - extract: {{learnt: {{model: '@extractor'}}}}
"""


@pytest.fixture
def files(tmp_path: Path) -> dict[str, list[str]]:
    rows = {"good": texts(GOOD, 120), "bad": texts(BAD, 100)}
    for name, several in rows.items():
        lines = [json.dumps({"text": text, "body": text, "verdict": name, "year": n}) for n, text in enumerate(several)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines) + "\n")
    return {name: [str(tmp_path / f"{name}.jsonl")] for name in rows}


def train(folder: Path, kind: str = "classifier", **options: Any) -> dict[str, Any]:
    model.train(kind, output=str(folder / "out"), **{"settings": SETTINGS, **options})
    record: dict[str, Any] = json.loads((folder / "out" / "sample.json").read_text())
    return record


def test_training_a_classifier(tmp_path: Path, files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    record = train(tmp_path, positives=files["good"], negatives=files["bad"])
    shown = capsys.readouterr().out
    assert "out/model.bin: classifier, 4 files" in shown.replace("\n", "")
    assert "documents held out: auc 1.0000" in shown.replace("\n", " ")
    assert set(record["files"]) == {"model.bin", "report.json", "card.md", "calibration.png"}
    for name, digest in record["files"].items():
        assert hashlib.sha256((tmp_path / "out" / name).read_bytes()).hexdigest() == digest
    groups = {group["group"]: group for group in record["sample"]["groups"]}
    assert (groups["positive"]["documents"], groups["negative"]["documents"]) == (120, 100)
    assert str(files["good"][0]) in (tmp_path / "out" / "card.md").read_text()


def test_the_same_files_give_the_same_model(tmp_path: Path, files: dict[str, list[str]]) -> None:
    first = train(tmp_path, positives=files["good"], negatives=files["bad"])
    assert train(tmp_path, positives=files["good"], negatives=files["bad"]) == first


def test_an_n_gram_model_is_trained_and_inspected(
    tmp_path: Path, files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    train(tmp_path, "ngram_model", files=files["good"], settings=["order=2", "discounts=[0.5, 1, 1.5]", "language=en"])
    assert "out/model.arpa: ngram_model, 1 files" in capsys.readouterr().out.replace("\n", "")
    path = str(tmp_path / "out" / "model.arpa")
    model.inspect(path, on=[*files["good"], *files["bad"]], as_json=True)
    facts = json.loads(capsys.readouterr().out)
    assert (facts["kind"], facts["language"], facts["normalization"]) == ("ngram_model", "en", "nfc")
    assert len(facts["ngrams"]) == 2
    assert facts["scores"]["documents"] == 220
    assert facts["scores"]["perplexity"]["10"] < 20 < 50 < facts["scores"]["perplexity"]["90"]
    model.inspect(path)
    assert "2-grams" in capsys.readouterr().out


def test_kenlms_own_form_is_written_where_its_program_is(
    tmp_path: Path, files: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "build_binary"
    program.write_text('#!/bin/sh\nprintf "%s from %s" "$1" "$2" > "$3"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    train(tmp_path, "ngram_model", files=files["good"], settings=["order=2", "discounts=[0.5, 1, 1.5]"])
    out = tmp_path / "out"
    assert (out / "model.binary").read_text() == f"probing from {out}/model.arpa"
    assert json.loads((out / "model.binary.json").read_text())["normalization"] == "nfc"


def test_grades_of_a_teacher(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        {"text": f"{phrase} {n}", "score": score}
        for score, phrase in enumerate((BAD, "a b c d", GOOD))
        for n in range(90)
    ]
    (tmp_path / "scores.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    train(tmp_path, labelled=[str(tmp_path / "scores.jsonl")], label="score", settings=["buckets=4096", "epochs=25"])
    assert "grades beside the teacher's: Spearman" in capsys.readouterr().out.replace("\n", " ")


def test_training_from_labelled_files(
    tmp_path: Path, files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    both = [*files["good"], *files["bad"]]
    options = {"label": "verdict", "positive": "good", "text": "body", "where": "year < 90"}
    record = train(tmp_path, labelled=both, as_json=True, **options)
    assert json.loads(capsys.readouterr().out) == record
    assert [(group["group"], group["documents"]) for group in record["sample"]["groups"]] == [("bad", 90), ("good", 90)]


def test_training_from_plain_files(
    tmp_path: Path, files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    record = train(tmp_path, "unigrams", files=files["good"], settings=["min_count=1"])
    assert "learned from 120 documents, 0.0 MB of the 0.0 MB there are" in capsys.readouterr().out
    (group,) = record["sample"]["groups"]
    size = sum(len(text) for text in texts(GOOD, 120))
    assert (record["sample"]["by"], group["group"], group["documents"]) == ("", "all text", 120)
    assert group["available_bytes"] == group["sample_bytes"] == size
    counts = parse((tmp_path / "out" / "unigrams.bin").read_bytes())
    assert counts.counts.sum() == sum(len(text.split()) for text in texts(GOOD, 120))


def test_training_from_a_part_of_plain_files(tmp_path: Path, files: dict[str, list[str]]) -> None:
    size = sum(len(text) for text in texts(GOOD, 120))
    record = train(tmp_path, "unigrams", files=files["good"], settings=["min_count=1", f"sample_bytes={size // 2}"])
    (group,) = record["sample"]["groups"]
    assert 30 < group["documents"] < 90  # each is drawn by its hash with the chance 1/2; 5.5 is one standard deviation
    assert group["sample_bytes"] < group["available_bytes"] == size


def test_inspecting_a_model(tmp_path: Path, files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    train(tmp_path, positives=files["good"], negatives=files["bad"])
    path = str(tmp_path / "out" / "model.bin")
    capsys.readouterr()
    model.inspect(path)
    assert "labels: negative, positive; positive: positive" in capsys.readouterr().out
    model.inspect(path, on=files["bad"])
    shown = capsys.readouterr().out
    assert "score of positive, 100 documents" in shown
    assert "worst 0.0" in shown
    model.inspect(path, on=files["good"], as_json=True)
    scores = json.loads(capsys.readouterr().out)["scores"]
    assert (scores["documents"], scores["kept"]["0.5"]) == (120, 1.0)


def test_inspecting_counts_of_dsir(
    tmp_path: Path, files: dict[str, list[str]], capsys: pytest.CaptureFixture[str]
) -> None:
    sides = (count(pa.array(texts(words, 50)), order=2, buckets=1 << 16) for words in (GOOD, BAD))
    (tmp_path / "dsir.bin").write_bytes(NgramCounts(2, *(side.astype(np.uint64) for side in sides)).to_bytes())
    model.inspect(str(tmp_path / "dsir.bin"))
    assert "n-grams of 1 to 2 words in 65,536 buckets" in capsys.readouterr().out
    model.inspect(str(tmp_path / "dsir.bin"), on=[*files["good"], *files["bad"]])
    shown = " ".join(capsys.readouterr().out.split())
    assert "220 documents" in shown
    assert "54.5 % are likelier in the target" in shown  # the 120 good ones
    assert "what speaks for the target most: the (+" in shown


def test_an_extractor_from_archives_is_the_one_that_a_recipe_makes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write_crawl(tmp_path)
    archives = str(tmp_path / "*.warc.gz")
    settings = ["teacher={resiliparse: {}, trafilatura: {}}", "pages=40", "trees=10"]
    record = train(tmp_path, "extractor", files=[archives], settings=settings)
    shown = " ".join(capsys.readouterr().out.split())
    assert "learnt from resiliparse and trafilatura on" in shown
    assert "other hosts, by pages learnt from" in shown
    assert list(record["files"]) == ["extractor.bin"]
    text = EXTRACTOR_RECIPE.format(archives=archives, options=", ".join(settings).replace("=", ": "))
    run = runner.curate(recipe.parse(text, "r.yaml"), str(tmp_path / "run"), Inline())
    made = tmp_path / "run" / run.stages[0].folder / "extractor.bin"
    assert (tmp_path / "out" / "extractor.bin").read_bytes() == made.read_bytes()


@pytest.mark.parametrize(
    ("kind", "options", "error", "message"),
    [
        pytest.param("clasifier", {}, UserError, "no kind of model 'clasifier'; did you mean 'classifier'", id="kind"),
        pytest.param("classifier", {}, WinnowError, "give positives and negatives, or labelled", id="nothing"),
        pytest.param("classifier", {"files": ["a"]}, UserError, "--files is not for classifier", id="plain files"),
        pytest.param("unigrams", {"positives": ["a"]}, UserError, "--positives is not for unigrams", id="labels"),
        pytest.param(
            "unigrams", {"settings": []}, UserError, "unigrams learns from documents; give --files", id="no files"
        ),
        pytest.param(
            "ngram_model",
            {"files": ["a"], "settings": ["sample_by=source"]},
            UserError,
            "sample_by is 'source', and files have no columns but the text",
            id="groups of plain files",
        ),
        pytest.param("extractor", {}, UserError, "extractor learns from web archives; give --files", id="no archives"),
        pytest.param("extractor", {"positives": ["a"]}, UserError, "--positives is not for extractor", id="good pages"),
        pytest.param("extractor", {"files": ["a"], "where": "b"}, UserError, "--where are of documents", id="where"),
        pytest.param(
            "extractor",
            {"files": ["a"], "settings": ["teacher={resilparse: {}}"]},
            WinnowError,
            "no extract named 'resilparse'; did you mean 'resiliparse'",
            id="teacher",
        ),
        pytest.param("classifier", {"settings": ["kinds=x"]}, WinnowError, "unknown option 'kinds'", id="option"),
        pytest.param(
            "classifier", {"settings": ["kind"]}, UserError, "--set kind: expected OPTION=VALUE", id="setting"
        ),
    ],
)
def test_what_train_refuses(
    tmp_path: Path, kind: str, options: dict[str, Any], error: type[WinnowError], message: str
) -> None:
    with pytest.raises(error, match=message):
        train(tmp_path, kind, **options)
    assert not (tmp_path / "out").exists()


def test_files_are_looked_at_before_any_work(tmp_path: Path, files: dict[str, list[str]]) -> None:
    with pytest.raises(InputError, match="no input matches"):
        train(tmp_path, positives=files["good"], negatives=[str(tmp_path / "none.jsonl")])
    with pytest.raises(InputError, match='column "words" not found'):
        train(tmp_path, positives=files["good"], negatives=files["bad"], text="words")
    with pytest.raises(InputError, match="are also examples of another label"):
        train(tmp_path, positives=files["good"], negatives=files["good"])
    assert not (tmp_path / "out").exists()


def test_inspecting_what_is_no_model(tmp_path: Path, files: dict[str, list[str]]) -> None:
    with pytest.raises(InputError, match=r"good\.jsonl is no classifier that winnow can use"):
        model.inspect(files["good"][0])


def test_what_a_learnt_extractor_keeps_of_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "page.html").write_text(ARTICLE)
    model.inspect(small_model(), page=str(tmp_path / "page.html"), html=str(tmp_path / "seen.html"))
    shown = capsys.readouterr().out
    assert "other hosts, by pages learnt from" in shown
    assert "seen.html" in shown
    seen = (tmp_path / "seen.html").read_text()
    assert f"<div class=kept><p>{STORY[0]}</p><small>" in seen
    assert "<div class=left><p>news</p>" in seen
    with pytest.raises(UserError, match="give both"):
        model.inspect(small_model(), page=str(tmp_path / "page.html"))
