"""A model's card: tables of what is known, words where nothing is, and harmless text of strangers."""

from pathlib import Path
from typing import Any

import pytest

from curation.account.card.card import card
from curation.account.card.facts import Card
from curation.account.sealed.run_folder import RunFolder
from pipelines.release.model_card import model_card
from tests.training.runs import TINY
from training.config.parse import as_mapping, parse

ENERGY = {"measured_by": [], "duration": 12.3}
LOSS = {"rows": 3, "labels": 12.0, "loss": 2.5, "perplexity": 12.18, "bits_per_byte": None}
EVALUATION = {
    "losses": {"validation": {"all": LOSS}},
    "tasks": {"sums": {"version": 1, "n": 10, "shots": 0, "metrics": {"acc": {"value": 0.25, "stderr": None}}}},
    "probes": {"facts": {"n": 8, "accuracy": 0.5, "chance": 0.25}},
}
MARKED = "[click](javascript:alert(1)) <b>"
SAFETY = {
    "generations": {
        "texts": 4,
        "personal_data": {"texts": 1, "kinds": {"email": 1}, "samples": ["to <email>"]},
        "listed_terms": {"texts": 1, "samples": [MARKED]},
    },
    "memorisation": {
        "trained": {
            "passages": 8,
            "repeated": 2,
            "samples": [{"doc_id": "a", "url": "http://a.example/`x`", "source": "web", "step": 3, "text": "Words."}],
        },
        "held_out": {"passages": 0, "repeated": 0},
    },
}


@pytest.fixture(scope="module")
def data(finished_run: Path) -> Card:
    return card(RunFolder.open(finished_run / "run"))


def written(data: Card, **changed: Any) -> str:
    result = {"parameters": 1500, "tokens": 32_000, "validation_loss": 3.25, "bits_per_byte": None, "world_size": 2}
    facts = {
        "name": "boats",
        "licence": "MIT",
        "creator": "",
        "begun": "2026-01-02T03:04:05+00:00",
        "step": 8,
        "averaged": [],
        "layouts": [{}],
        "origin": None,
        "branch": None,
        "tokenizer": "tokenizer.json",
        "data_fingerprint": "ab" * 16,
        "result": {**result, "energy": ENERGY},
        "config": as_mapping(parse(TINY)),
        "skipped": [],
        "evaluation": {},
        "evaluation_sets": {},
        "dtype": "fp32",
        "writes_text": False,
        "safety": {},
    }
    return model_card({**facts, **changed}, data, recipe="recipe.yaml", training="training.yaml")


def test_what_is_known(data: Card) -> None:
    skipped = [{"step": 5, "position": 10, "rows": 2, "reason": "the loss jumped"}]
    known = {"evaluation_sets": {"sums": None, "places": 3}, "layouts": [{"shard": 2, "tensor": 4}, {}, {"shard": 8}]}
    began = {"weights": "base", "known": False}
    found = written(
        data, evaluation=EVALUATION, safety=SAFETY, writes_text=True, skipped=skipped, origin=began, **known
    )
    for line in (
        "| `all` | 2.5 | 12.18 | – |",
        "| `sums` | 10 | 0 | `acc` | 0.25 | – |",
        "| `facts` | 8 | 0.5 | 0.25 |",
        "| `sums` | not looked for |",
        "| `places` | 3 |",
        "| layout | `shard` 2 × `tensor` 4, then one process, then `shard` 8 |",
        "weights of `base`, and may know what they did: their data are not in the tables below. Nothing is known of",
        "| 5 | 10 to 11 | the loss jumped |",
        "| texts of its own with personal data | 4 | 1 (25.0 %) |",
        "from `http://a.example/'x'` (`web`), read in update 3",
    ):
        assert line in found
    assert "[click](" not in found
    assert "<b>" not in found


def test_what_is_not_known(data: Card) -> None:
    found = written(data, tokenizer="tokenizer.model", licence="Our own words")
    assert "`winnow evaluate` was not run on this checkpoint" in found
    assert "It writes no text, so nothing was drawn from it." in found
    assert 'license: "other"\nlicense_name: "Our own words"' in found
    assert 'SentencePieceProcessor("FOLDER/tokenizer.model")' in found
    assert "AutoTokenizer" not in found
    assert "unmeasured" in found
    assert "| layout | one process |" in found
    assert "It began with" not in found
