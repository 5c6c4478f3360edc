"""The recipe of docs/recipes.md can be planned as it stands there, with an input for each of its sources."""

import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from curation.models.evalsets.sets import EvalSet
from pipelines.api import plan
from tests.crawl import make_archives

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "recipes.md").read_text()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder, with the recipe and a file for each source."""
    (recipe,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    (tmp_path / "four.yaml").write_text(recipe)
    make_archives(tmp_path / "crawl", archives=1, pages=3)
    for name in ("books", "maths", "code", "gsm8k"):
        (tmp_path / name).mkdir()
    (tmp_path / "books" / "a.jsonl.gz").touch()
    pq.write_table(pa.table({"text": ["1 + 1 = 2"]}), tmp_path / "maths" / "a.parquet")
    (tmp_path / "code" / "a.jsonl.gz").touch()
    item = {"question": "How many clips did Natalia sell altogether in April and May this year?", "answer": "72"}
    (tmp_path / "gsm8k" / "test.jsonl").write_text(json.dumps(item) + "\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_its_recipe_can_be_planned_by_its_command(folder: Path) -> None:
    (command,) = re.findall(r"^winnow plan (.*)$", PAGE, re.MULTILINE)
    inputs = re.findall(r"--input (\w+=)'(.*?)'", command)
    lines = plan("four.yaml", str(folder / "run"), inputs=["".join(one) for one in inputs])
    names = [line.node.name for line in lines]
    assert names[:3] == ["web-extract", "web-language", "web-gopher"]
    assert names[-8:] == [
        *("dedup", "redact", "evalsets", "contamination", "tokenizer", "tokenize", "pack", "mix"),
    ]
    assert [len(line.node.upstream) for line in lines if line.node.name == "dedup"] == [4]


def test_it_tells_every_field_of_an_evaluation_set() -> None:
    told = re.findall(r"^\| `(\w+)` \|", PAGE, re.MULTILINE)
    assert told == list(EvalSet.__dataclass_fields__)
