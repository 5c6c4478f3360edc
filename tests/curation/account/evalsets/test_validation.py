"""Near copies of validation documents among training documents: one source is held out, the other is not."""

import json
from pathlib import Path

import pytest

from curation.account.evalsets import validation
from curation.account.run import Run
from curation.core.errors import InputError
from curation.engine.driver import runner
from curation.engine.executor.inline import Inline
from curation.engine.recipe.recipe import parse
from tests.curation.account.evalsets import plain_text

RECIPE = """
version: 1
name: heldout
shards: {group_mb: 0}
sources:
  held:
    - read: {jsonl: {paths: ["%(folder)s/held.jsonl"], url: url}}
  web:
    - read: {jsonl: {paths: ["%(folder)s/web.jsonl"], url: url}}
joined:
  - fit: {tokenizer: {vocab_size: 300}}
  - tokenize: {tokenizer: "@tokenizer", validation: 0, validation_by_source: {held: 1.0}}
  - pack: {sequence_length: 64}
  - mix: {}
"""
HELD = [plain_text(1, 40), plain_text(2, 30), "only five words of it"]
WEB = [f"Before it: {HELD[0].upper()} and after it", " ".join(HELD[1].split()[:20]), plain_text(3), HELD[2]]
WEB.append(" ".join(HELD[0].split()[:30]))  # a further copy, which is not listed besides the closest


@pytest.fixture
def run(tmp_path: Path) -> Run:
    for name, texts in (("held", HELD), ("web", WEB)):
        rows = [{"text": text, "url": f"http://{name}.example/{at}"} for at, text in enumerate(texts)]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    runner.curate(parse(RECIPE % {"folder": tmp_path}, "v.yaml"), str(tmp_path / "run"), Inline())
    return Run.open(tmp_path / "run")


@pytest.mark.parametrize(("portion", "passes"), [(validation.PORTION, 1), (1, 2)])
def test_shared_tokens(run: Run, monkeypatch: pytest.MonkeyPatch, portion: int, passes: int) -> None:
    monkeypatch.setattr(validation, "PORTION", portion)  # of several portions, one has only a text that is too short
    found = run.evalsets_validation()
    assert (found.documents, found.checked, found.train_documents, found.passes) == (3, 2, 5, passes)
    assert (found.shared, found.near) == (2, 1)
    assert found.at_least == {"0.1": 2, "0.5": 2, "0.8": 1, "1.0": 1}
    assert (found.tokens, found.shared_tokens) == (40 + 30, 40 + 20)
    assert [(one.share, one.grams, one.validation_url, one.train_url) for one in found.worst] == [
        (1.0, 40 - 12, "http://held.example/0", "http://web.example/0"),
        (20 / 30, 20 - 12, "http://held.example/1", "http://web.example/1"),
    ]
    assert [piece.text for piece in found.worst[0].excerpt if piece.marked] == [HELD[0].upper()]


def test_a_run_without_a_validation_split(unchecked: Run) -> None:
    with pytest.raises(InputError, match="has no validation documents; raise `validation`"):
        unchecked.evalsets_validation()
