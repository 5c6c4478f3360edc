"""A crawl, a model trained on it, and a page taken down afterwards, all as a user does it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from curation.tokens.shards import TokenData
from tests.runs import ENVIRONMENT, data_hashes, winnow, winnow_here
from tests.training.runs import TINY


def train(run: Path, output: Path) -> None:
    settings = {"data": str(run), "output": str(output), "train": TINY | {"keep_checkpoints": 9}}
    config = output.parent / "train.json"
    config.write_text(json.dumps(settings))
    done = subprocess.run(
        [sys.executable, "-m", "training", str(config)],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_from_a_step_to_the_page_and_out(finished_run: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    model = tmp_path / "model"
    recipe = tmp_path / "small.yaml"
    shutil.copytree(finished_run / "run", run)
    train(run, model)
    found = json.loads(winnow_here("trace", model, "--step", "2", "--json").stdout)
    data = TokenData.open(str(run))
    rows = {(one["file"], one["row"]) for one in found["segments"]}
    assert rows == set(data.locate(2, batch_rows=4))
    url = found["segments"][0]["url"]
    (tmp_path / "urls.txt").write_text(url + "\n")
    done = json.loads(winnow_here("takedown", run, "--urls", tmp_path / "urls.txt", "--json").stdout)
    (trained,) = done["plan"]["trainings"]
    assert trained["training"] == str(model)
    assert trained["first_step"] <= 2
    assert trained["checkpoints"] == [step for step in (3, 6, 8) if step > trained["first_step"]]
    TokenData.open(str(run)).verify()
    train(run, tmp_path / "again")  # on what is left
    before = data_hashes(run)
    recipe.write_text((finished_run / "small.yaml").read_text())
    again = winnow("curate", recipe, "--output", run)
    assert again.returncode == 0, again.stderr
    assert data_hashes(run) == before
    recipe.write_text(recipe.read_text().replace("gopher_quality: {}", "gopher_quality: {min_words: 51}"))
    changed = winnow("curate", recipe, "--output", run)
    assert changed.returncode == 0, changed.stderr
    (story,) = json.loads(winnow_here("why", run, "--url", url, "--json").stdout)
    assert (story["reason"], story["dropped_by"]) == ("takedown", "gopher")
    assert url not in winnow_here("trace", model, "--step", "2", "--data", run).stdout
