"""What a card says of values that were taken out and of items of evaluation sets, by hand on four documents."""

import json
from pathlib import Path

import pytest

from curation.account.card.checked import ContaminationFacts, RedactionFacts
from curation.account.card.markdown import markdown
from curation.account.run import Run
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse

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


@pytest.fixture(params=["", "privacy: {originals: until_sealed}"], ids=["kept", "gone"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Run:
    rows = [{"url": f"http://a.example/{name}", "text": text} for name, text in TEXTS.items()]
    (tmp_path / "web.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "hens.json").write_text(json.dumps({"question": QUESTION, "answer": "12"}) + "\n")
    text = RECIPE % {"folder": tmp_path, "privacy": request.param}
    runner.curate(parse(text, "r.yaml"), str(tmp_path / "run"), Inline(), lambda _: None)
    return Run.open(tmp_path / "run")


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
