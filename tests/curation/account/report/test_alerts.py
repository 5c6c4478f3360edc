"""Alerts of small runs: each at its threshold and past it."""

import random
from pathlib import Path
from typing import Any

import pytest

from curation.account.redacted import Redactor
from curation.account.report.alerts import Alert, _listed, alerts
from curation.account.report.flow import source_flows
from curation.account.report.sampling import sampled_rows
from curation.account.run import Run
from tests.crawl import prose
from tests.curation.account.corpus import german, made, write_lines

RECIPE = """
version: 1
name: alerted
sources:
  a:
    - read: {jsonl: {paths: [%(folder)s/a.jsonl], url: url}}
%(stages)s
"""


def found(folder: Path, texts: list[str], *stages: str) -> list[tuple[str, str]]:
    """Kind and sentence of each alert of a run of the texts."""
    write_lines(folder / "a.jsonl", [{"text": text, "url": f"http://a.example/{n}"} for n, text in enumerate(texts)])
    recipe = RECIPE % {"folder": folder, "stages": "\n".join(f"    - {stage}" for stage in stages)}
    made(recipe, folder / "run")
    run = Run.open(folder / "run")
    read = {stage: sampled_rows(stage) for stage in run.stages}
    return [(one.kind, one.sentence) for one in alerts(run.stages, read, source_flows(run.stages), Redactor.of(run))]


def texts(count: int, words: int = 10) -> list[str]:
    return [f"number {n} " + "word " * words for n in range(count)]


@pytest.mark.parametrize(
    ("words", "alerted"),
    [
        pytest.param(52, False, id="2.47 %"),
        pytest.param(53, True, id="2.52 %"),
    ],
)
def test_one_document_is_much_of_the_text(tmp_path: Path, words: int, alerted: bool) -> None:
    """199 texts of 103 bytes and a long one; five of 200 documents would be 2.5 %."""
    own = ["x" * 99 + str(n % 10) + f"{n:03d}" for n in range(200)]
    own[7] = "y" * (words * 10)
    shown = found(tmp_path, own)
    assert [kind for kind, _ in shown] == (["one document"] if alerted else [])
    assert not alerted or "http://a.example/7 (doc_id " in shown[0][1]


def test_a_very_small_run_has_long_documents(tmp_path: Path) -> None:
    assert found(tmp_path, [*texts(8), "y" * 90_000]) == []


def test_of_many_alerts_of_a_kind_some_are_listed() -> None:
    many = [Alert("language", f"Limit {n}.", "limits") for n in range(13)]
    shown = list(_listed(many))
    assert shown[:10] == many[:10]
    assert [one.sentence for one in shown[10:]] == ["3 more alerts of the kind above: language."]


def test_a_limit_drops_most_of_a_language(tmp_path: Path) -> None:
    rng = random.Random(0)
    own = [german(rng, 8) for _ in range(25)]
    own += [prose(rng, 8).replace("<p>", "").replace("</p>", "") for _ in range(25)]
    stages = ["filter: {language: {min_score: 0.1}}", "filter: {gopher_quality: {min_words: 1, min_stop_words: 2}}"]
    (sentence,) = [words for kind, words in found(tmp_path, own, *stages) if kind == "language"]
    assert sentence == (
        "Limit gopher_quality.stop_words:low of stage gopher_quality drops 100.0 % of the 25 documents in language de."
    )


def test_a_language_that_the_recipe_does_not_keep_is_no_alert(tmp_path: Path) -> None:
    own = [german(random.Random(n), 8) for n in range(25)]
    shown = found(tmp_path, own, "filter: {language: {languages: [en]}}")
    assert shown == [("nothing kept", "Source a keeps none of its 25 documents.")]


@pytest.mark.parametrize(("copies", "alerted"), [(21, False), (22, True)], ids=["half", "more than half"])
def test_a_source_loses_most_to_dedup(tmp_path: Path, copies: int, alerted: bool) -> None:
    """One of the copies stays."""
    own = [*texts(40 - copies), *["a copy of the one"] * copies]
    sentence = "Source a loses 52.5 % of its 40 documents to the dedup stage dedup."
    assert found(tmp_path, own, "dedup: {exact: {}}") == ([("dedup", sentence)] if alerted else [])


@pytest.mark.parametrize(
    ("stage", "sentence"),
    [
        pytest.param(
            "filter: {gopher_quality: {min_stop_words: 0}}",
            "Stage gopher_quality drops no document: 30 documents pass it as they are.",
            id="filter",
        ),
        pytest.param(
            "dedup: {exact: {}}", "Stage dedup drops no document: 30 documents pass it as they are.", id="dedup"
        ),
        pytest.param(
            "rewrite: {unicode: {}}", "Stage unicode changes no text: 30 documents pass it as they are.", id="rewriter"
        ),
    ],
)
def test_a_stage_changes_nothing(tmp_path: Path, stage: str, sentence: str) -> None:
    assert found(tmp_path, texts(30, 60), stage) == [("nothing changed", sentence)]


@pytest.mark.parametrize(
    ("own", "stage"),
    [
        pytest.param(texts(9, 60), "dedup: {exact: {}}", id="few documents"),
        pytest.param([*texts(30, 60), "short"], "filter: {gopher_quality: {min_stop_words: 0}}", id="one is dropped"),
        pytest.param([*texts(30), "a\u200b\u0007b"], "rewrite: {unicode: {}}", id="one is changed"),
    ],
)
def test_no_alert(tmp_path: Path, own: list[str], stage: Any) -> None:
    assert found(tmp_path, own, stage) == []
