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


def test_of_several_files_those_that_nobody_reads_are_named_and_the_others_shown(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1\n00:00:01,000 --> 00:00:03,000\nThe town is old.\n")
    (tmp_path / "b").write_bytes(b"<?xml version='1.0'?><svg/>")
    (tmp_path / "empty").write_bytes(b"")
    done = winnow_here("inspect", *(tmp_path / name for name in ("a", "b", "empty", "gone")))
    assert done.returncode == 2
    assert f"{tmp_path}/a: SubRip subtitles\ncertain: it begins with the times of a cue\n" in done.stdout
    assert "The town is old." in done.stdout
    b, empty, gone = done.stderr.splitlines()
    assert b.startswith(f"{tmp_path}/b is of no form that is recognized here")
    assert empty == f"{tmp_path}/empty has nothing to read: it is empty, or damaged from its beginning"
    assert gone.startswith(f"no file at {tmp_path}/gone")
    done = winnow_here("inspect", tmp_path / "a", "--json")
    (answer,) = json.loads(done.stdout)
    assert {name: answer[name] for name in ("form", "source", "sure", "seen", "also", "needs")} == {
        "form": "SubRip subtitles",
        "source": "subtitles",
        "sure": "certain",
        "seen": "it begins with the times of a cue",
        "also": [],
        "needs": {},
    }
