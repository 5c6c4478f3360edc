"""`winnow inspect`: what is printed of a file, and that a recipe with the printed line runs."""

import gzip
import json
from pathlib import Path

from tests.runs import winnow_here


def test_the_line_it_prints_reads_the_file(tmp_path: Path) -> None:
    path = tmp_path / "dolma" / "x.json.gz"
    path.parent.mkdir()
    row = {"id": "1", "text": "The town is old.", "source": "wiki", "created": "2020-01-01"}
    path.write_bytes(gzip.compress(json.dumps(row).encode()))
    done = winnow_here("inspect", path)
    assert "jsonl, fits dolma" in done.stdout
    assert "missing: metadata.url, so that url stays empty" in done.stdout
    line = done.stdout.splitlines()[-1]
    recipe = tmp_path / "r.yaml"
    recipe.write_text(f"version: 1\nname: r\nsources:\n  a:\n    {line}\n    - rewrite: {{unicode: {{}}}}\n")
    run = tmp_path / "run"
    assert winnow_here("curate", recipe, "--output", run, "--inline").returncode == 0
    shown = json.loads(
        winnow_here("sql", run, "select text, corpus.subset as s, corpus.synthetic as g from read", "--json").stdout
    )
    assert shown == [{"text": "The town is old.", "s": "wiki", "g": False}]


def test_an_unknown_corpus_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "x").write_text("text\n")
    done = winnow_here("inspect", tmp_path / "x", "--corpus", "dolmo")
    assert done.returncode == 2
    assert "did you mean 'dolma'" in done.stderr
