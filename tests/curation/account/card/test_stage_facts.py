"""Inputs with what was passed over, each reason with the limit that was set, and what was taken out and met."""

import dataclasses
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from curation.account.card.markdown import markdown
from curation.account.card.stage_facts import (
    ContaminationFacts,
    RedactionFacts,
    StageFacts,
    inputs,
    limit_of,
    number,
    stage_facts,
)
from curation.account.run import Run
from curation.core.manifest import Manifest
from curation.core.shard_table import ShardTable
from tests.curation.account.corpus import curate, made, write_lines

TOKEN = "ghp_" + "Ab3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hL3nR6"  # invented
QUESTION = "How many hens does the widow of the miller keep in the yard behind the old brewery at harvest time?"
RECIPE = """
version: 1
shards: {group_mb: 0}
%(privacy)s
sources:
  web:
    - read: {jsonl: {paths: ["%(folder)s/web.jsonl"], url: url}}
    - rewrite: {secrets: {}}
    - fit: {evalsets: {sets: {hens: {files: "%(folder)s/hens.json", question: question}}}}
    - filter: {contamination: {evalsets: "@evalsets", method: llama}}
"""
TEXTS = {
    "clean": "The people of the town read a book about the tide and about the road that it covers twice a day.",
    "token": f"The build reads {TOKEN} and {TOKEN[:-1]}Z from the file, which was a mistake of the people of the town.",
    "quoting": f"They asked: {QUESTION}",
    "copying": f"Question of the week. {QUESTION} Nobody knew.",
}


def facts(run: str) -> dict[str, StageFacts]:
    return {one.name: one for one in map(stage_facts, Run.open(run).stages)}


def test_inputs(untokenized: str, carded_sources: Path) -> None:
    web, books = inputs(Run.open(untokenized))
    assert (web.source, web.reader, web.extractor) == ("web", "jsonl", None)
    assert web.paths == (f"{carded_sources}/web-*.jsonl",)
    assert (web.files, web.records, web.passed_over, web.faults, web.licence) == (2, 7, {}, 0, None)
    assert (books.files, books.records, books.licence) == (1, 2, "CC0-1.0")
    assert books.file_bytes == (carded_sources / "books.jsonl").stat().st_size
    assert web.file_bytes == sum((carded_sources / f"web-{n}.jsonl").stat().st_size for n in (0, 1))
    assert len(books.listing) == 64


def test_a_ready_corpus_with_its_version_and_licence(tmp_path: Path) -> None:
    write_lines(tmp_path / "a.jsonl", [{"text": "A story of the tide."}])
    source = f"read: {{corpus: {{name: common_pile, paths: [{tmp_path}/a.jsonl]}}}}"
    run = made(f"version: 1\nsources:\n  pile:\n    - {source}\n", tmp_path / "run")
    (pile,) = inputs(run)
    assert pile.corpus == ("common_pile (layout as of v0.1, its Comma training set 5afc546; licence that of each part)")
    assert f"\n  - ready corpus: `{pile.corpus}`\n" in markdown(run.card())


def test_an_extractor_and_what_was_passed_over(finished_run: Path) -> None:
    (web,) = inputs(Run.open(finished_run / "run"))
    assert (web.reader, web.extractor, web.records) == ("warc", "resiliparse", 120)
    assert web.passed_over == {"status.404": 3, "type.image/png": 3}


def test_stages_with_reasons_limits_and_edits(untokenized: str) -> None:
    found = facts(untokenized)
    assert list(found) == ["web-read", "web-gopher_quality", "web-unicode", "books-read", "dedup"]
    gopher = found["web-gopher_quality"]
    assert (gopher.rows, gopher.kept, gopher.components, gopher.chain) == (7, 6, ("gopher_quality",), "web")
    (dropped,) = gopher.dropped
    assert (dropped.reason, dropped.documents, dropped.limit) == ("gopher_quality.words:low", 1, "at least 30")
    assert "gopher_quality.words (high)" in gopher.never_fired
    assert found["web-unicode"].edits
    assert found["web-unicode"].dropped == ()
    assert [(one.reason, one.limit) for one in found["dedup"].dropped] == [("dedup.exact:duplicate", "")]
    assert found["dedup"].folder.endswith(found["dedup"].address[:8])


def test_what_was_read_leniently_and_faults_that_are_not_listed(untokenized: str) -> None:
    run = Run.open(untokenized)
    manifest = run.stages[0].manifest
    counts = {"skipped.bad_json": 2, "lenient.media_type": 3, "truncated.length": 4, "faults.unlisted": 7}
    commits = (dataclasses.replace(manifest.commits[0], counts=counts), *manifest.commits[1:])
    first = dataclasses.replace(run.stages[0], known=dataclasses.replace(manifest, shards=ShardTable.of(commits)))
    odd = dataclasses.replace(run, stages=(first, *run.stages[1:]))
    web, _ = inputs(odd)
    assert (web.passed_over, web.lenient, web.faults) == ({"bad_json": 2}, {"media_type": 3}, 7)
    assert web.truncated == {"length": 4}
    (warning,) = odd.funnel().stages[0].warnings
    command = f"winnow funnel {untokenized} --json lists the first 0 as `faults` of web-read"
    assert warning == f"7 faults in the input; {command}"


def test_a_limit_that_differs_by_language(corpus: Path) -> None:
    run = curate(corpus)
    gopher = run.stage("gopher").manifest
    assert limit_of("gopher_quality.mean_word_length:high", gopher) == "at most 10 (other than de); de: at most 9"
    assert limit_of("gopher_quality.words:unmeasured", gopher) == "could not be measured"


@pytest.mark.parametrize(
    ("limit", "reason", "words"),
    [
        pytest.param({"at_least": 50}, "a.b:low", "at least 50", id="low"),
        pytest.param({"at_least": 50, "at_most": 0.25}, "a.b:high", "at most 0.25", id="high of both"),
        pytest.param({"one_of": ["en", "de"]}, "a.b:not_in", "one of en, de", id="a list"),
        pytest.param(
            {"one_of": [str(i) for i in range(14)]},
            "a.b:not_in",
            "one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … and 2 more",
            id="a long list",
        ),
        pytest.param(
            {"at_most": 5, "only": ["cut"], "by": "x.state"}, "a.b:high", "cut: at most 5 by x.state", id="by"
        ),
        pytest.param({"at_most": 5}, "a.b:low", "", id="the other side"),
        pytest.param({"at_most": 5}, "extract:empty", "", id="no limit"),
        pytest.param({"at_most": 5}, "takedown", "", id="taken down"),
    ],
)
def test_limits_in_words(limit: dict[str, Any], reason: str, words: str) -> None:
    manifest = SimpleNamespace(limits=({"rule": "a.b", **limit}, {"rule": "a.c", "at_least": 1}))
    assert limit_of(reason, cast(Manifest, manifest)) == words


def test_equal_limits_are_told_once_and_what_they_go_by_after_the_last() -> None:
    limits = (
        {"rule": "a.b", "at_most": 9, "but": ["x", "y", "z"], "by": "c.state"},
        {"rule": "a.b", "at_most": 5, "only": ["x"], "by": "c.state"},
        {"rule": "a.b", "at_most": 7, "only": ["y"], "by": "c.state"},
        {"rule": "a.b", "at_most": 5, "only": ["z"], "by": "c.state"},
    )
    words = limit_of("a.b:high", cast(Manifest, SimpleNamespace(limits=limits)))
    assert words == "at most 9 (other than x, y, z); x, z: at most 5; y: at most 7 by c.state"


def test_numbers() -> None:
    assert [number(one) for one in (50, 100_000.0, 0.35, 2.5)] == ["50", "100,000", "0.35", "2.5"]


@pytest.fixture(params=["", "privacy: {originals: until_sealed}"], ids=["kept", "gone"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    rows = [{"url": f"http://a.example/{name}", "text": text} for name, text in TEXTS.items()]
    write_lines(tmp_path / "web.jsonl", rows)
    write_lines(tmp_path / "hens.json", [{"question": QUESTION, "answer": "12"}])
    return made(RECIPE % {"folder": tmp_path, "privacy": request.param}, tmp_path / "run")


def test_values_and_items_are_counted(run: Run) -> None:
    card = run.card()
    gone = "privacy" in run.record.recipe
    assert card.redacted == (RedactionFacts("secrets", "secrets", 4, 1, {"github_token": 2}, not gone),)
    assert card.contaminated == (ContaminationFacts("contamination", "llama", "drop", 4, 2, 2, {"hens": 2}, 1),)


def test_the_markdown_has_both_and_quotes_neither(run: Run) -> None:
    text = markdown(run.card())
    gone = "privacy" in run.record.recipe
    assert f"| `secrets` | `secrets` | 4 | 1 | github_token 2 | {'gone' if gone else 'in earlier stages'} |" in text
    assert "| `contamination` | llama | drop | 4 | 2 | 2 | 1 |" in text
    assert "| `contamination` | `hens` | 2 |" in text
    assert ("hold the texts as they were before values were taken out" in text) == (not gone)
    assert TOKEN not in text
    assert "widow" not in text


def test_a_run_that_looks_for_neither_has_no_such_sections(finished_run: Path) -> None:
    card = Run.open(finished_run / "run").card()
    assert (card.redacted, card.contaminated) == ((), ())
    assert "## Evaluation sets" not in markdown(card)
