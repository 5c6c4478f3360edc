"""A model trained on a crawl, asked which texts it has read: the steps are those whose batches spell them."""

import json
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer

from curation.tokens.shards import TokenData
from tests.end_to_end.test_takedown_trained import train
from tests.runs import winnow_here
from tests.training.runs import TINY

SETTINGS: dict[str, Any] = {**TINY}
STEPS = SETTINGS["steps"]
ROWS = SETTINGS["batch_rows"]
WORDS = 16


def asked(run: Path, model: Path, text: str) -> dict[str, Any]:
    done = winnow_here("evalsets", "seen", run, "--item", text, "--model", model, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_the_steps_are_those_whose_batches_spell_the_text(finished_run: Path, tmp_path: Path) -> None:
    run = finished_run / "run"
    model = tmp_path / "model"
    train(run, model)
    data = TokenData.open(str(run))
    (vocabulary,) = run.glob("*-pack-*/tokenizer.json")
    tokenizer = Tokenizer.from_file(str(vocabulary))
    rows = [
        [" ".join(tokenizer.decode(row.tolist()).split()) for row in data.batch(step, batch_rows=ROWS).tokens]
        for step in range(STEPS + 2)
    ]
    for step in (0, STEPS - 1, STEPS + 1):
        words = max(rows[step], key=len).split()
        text = " ".join(words[len(words) // 2 :][:WORDS])
        found = asked(run, model, text)
        spelt = {at for at in range(STEPS) if any(text in row for row in rows[at])}
        assert found["steps"] == STEPS
        assert found["kept_whole"] >= 1
        steps = {at for one in found["documents"] for own in one["tokens"]["trainings"] for at in own["steps"]}
        assert steps == spelt, text
        assert (step in steps) == (step < STEPS)
