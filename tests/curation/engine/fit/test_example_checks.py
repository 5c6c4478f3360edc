"""Files that a fit reads are looked at before any work."""

import json
from pathlib import Path

import pytest

from curation.core.errors import RecipeError
from curation.engine.driver import runner
from curation.engine.recipe.recipe import parse
from tests.curation.engine.inputs import write_sources
from tests.noting import Noting


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
